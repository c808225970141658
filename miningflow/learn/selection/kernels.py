"""Kernels that follow from a sum over columns, so that a column can be added or removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


class Kernel(Protocol):
    """What a subset search needs to know about a kernel."""

    def share(self, columns: Matrix) -> Matrix:
        """Returns the n x n matrix that these columns add to the total of a subset."""

    def matrix(self, total: Matrix, variance: float) -> Matrix:
        """Returns the kernel matrix from the total and the summed variance of the columns."""

    def radius(self, matrix: Matrix) -> float:
        """Returns R², the bound on the kernel that the estimate uses."""


@dataclass(frozen=True, slots=True)
class LinearKernel:
    """x·z on centred columns, scaled to a mean diagonal of 1.

    Unscaled, C·R² grows with the number of columns, and the estimate becomes the share of support
    vectors. The mean diagonal of centred columns is the sum of their variances.
    """

    def share(self, columns: Matrix) -> Matrix:
        """Returns the inner products of the rows."""
        return columns @ columns.T

    def matrix(self, total: Matrix, variance: float) -> Matrix:
        """Returns the inner products over their mean diagonal."""
        return total / variance if variance > 0 else total

    def radius(self, matrix: Matrix) -> float:
        """Returns max K - min K: a centred linear kernel has negative values."""
        return float(matrix.max() - matrix.min())


@dataclass(frozen=True, slots=True)
class RadialKernel:
    """exp(-gamma · ‖x - z‖²); without a gamma it is 1 / (the summed variance of the subset).

    That is scikit-learn's "scale" on centred columns, so that a machine trained on the chosen
    columns with the same setting has the kernel its estimate was made with.
    """

    gamma: float | None = None

    def share(self, columns: Matrix) -> Matrix:
        """Returns the squared distances of the rows."""
        distances = np.zeros((len(columns), len(columns)))
        for column in columns.T:
            difference = np.subtract.outer(column, column)
            distances += np.square(difference, out=difference)
        return distances

    def matrix(self, total: Matrix, variance: float) -> Matrix:
        """Returns the kernel of the squared distances."""
        gamma = self.gamma
        if gamma is None:
            gamma = 1.0 / variance if variance > 0 else 1.0
        # A sum of squares from which squares were taken can end a rounding error below 0.
        values: Matrix = np.exp(-gamma * np.maximum(total, 0.0))
        return values

    def radius(self, matrix: Matrix) -> float:
        """Returns max K."""
        return float(matrix.max())
