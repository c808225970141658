"""Kernels that follow from a sum over columns, so that a column can be added or removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from miningflow.learn.arrays import Matrix


class Kernel(Protocol):
    """What a subset search needs to know about a kernel."""

    def share(self, columns: Matrix) -> Matrix:
        """Returns the n x n matrix that these columns add to the total of a subset."""

    def matrix(self, total: Matrix, variance: float) -> Matrix:
        """Returns the kernel matrix from the total and the summed variance of the columns."""

    def radius(self, matrix: Matrix) -> float:
        """Returns R², the bound on the kernel that the estimate uses."""

    def contributions(self, columns: Matrix, signed: Matrix, matrix: Matrix) -> Matrix:
        """Returns how much ‖w‖² of a machine changes without each column, to first order.

        Rows are the support vectors, `signed` their α with the sign of the class.
        """


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

    def contributions(self, columns: Matrix, signed: Matrix, matrix: Matrix) -> Matrix:
        """Returns the squared weights."""
        return np.square(signed @ columns)


@dataclass(frozen=True, slots=True)
class RadialKernel:
    """exp(-gamma · ‖x - z‖²); without a gamma it is 1 / (the summed variance of the subset).

    That is scikit-learn's "scale" on centred columns, so that a machine trained on the chosen
    columns with the same setting has the kernel its estimate was made with.
    """

    gamma: float | None = None

    def share(self, columns: Matrix) -> Matrix:
        """Returns the squared distances of the rows."""
        first, *others = columns.T
        distances = _squared_differences(first)
        for column in others:
            distances += _squared_differences(column)
        return distances

    def matrix(self, total: Matrix, variance: float) -> Matrix:
        """Returns the kernel of the squared distances."""
        gamma = self.gamma
        if gamma is None:
            gamma = 1.0 / variance if variance > 0 else 1.0
        # A sum of squares from which squares were taken can end a rounding error below 0.
        values: Matrix = np.maximum(total, 0.0)
        values *= -gamma
        return np.exp(values, out=values)

    def radius(self, matrix: Matrix) -> float:
        """Returns max K."""
        return float(matrix.max())

    def contributions(self, columns: Matrix, signed: Matrix, matrix: Matrix) -> Matrix:
        """Returns |Σ αᵢyᵢ αⱼyⱼ K(i, j) (xᵢ - xⱼ)²| / 2, the derivative of ‖w‖² by γ of a column."""
        products = matrix * np.outer(signed, signed)
        squares = products.sum(axis=1) @ np.square(columns)
        mixed = np.einsum("ij,ij->j", columns, products @ columns)
        changes: Matrix = np.abs(squares - mixed)
        return changes


def _squared_differences(column: Matrix) -> Matrix:
    difference: Matrix = np.subtract.outer(column, column)
    return np.square(difference, out=difference)
