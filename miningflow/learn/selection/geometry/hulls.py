"""Affine hulls of the rows of some classes on some groups of columns, and how to find a rank.

One factorisation of a matrix of products, with pivots, gives the dimension of a hull and a test for
all rows at once, where the rank with and without each row would take n + 2 decompositions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.linalg.lapack import dpstrf

from miningflow.learn.arrays import Indices, Mask, Matrix

# Shares of the largest square below which a square is 0: of what is left of a pivot, and of a row's
# distance from a hull, which has lost more digits.
NO_PIVOT = 1e-11
NO_DISTANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Hull:
    """The dimension of an affine hull, and how many rows of the other classes lie in it."""

    dimension: int
    others_inside: int


class Projected(Protocol):
    """The rows on a subset of groups."""

    def hull(self, classes: Mask) -> Hull:
        """Returns the affine hull of the rows of some classes."""


class Clouds(Protocol):
    """The rows, to be projected on subsets of groups."""

    def on(self, groups: Sequence[int]) -> Projected:
        """Returns the rows with the columns of these groups only."""


def pivoted(matrix: Matrix, tolerance: float) -> tuple[int, Indices, Matrix]:
    """Returns rank r, the order of the pivots and the r columns of the Cholesky factor in it."""
    width = len(matrix)
    # LAPACK takes the first pivot however small it is.
    if width == 0 or matrix.diagonal().max() <= tolerance:
        return 0, np.arange(width), np.zeros((width, 0))
    factor, order, rank, _ = dpstrf(matrix, tol=tolerance, lower=1)
    return int(rank), order.astype(np.intp) - 1, np.tril(factor)[:, :rank]


def unit_columns(X: Matrix) -> Matrix:
    """Centres the columns and brings them to a largest value near 1; no hull minds.

    Powers of 2 leave every digit as it is.
    """
    centred = X - X.mean(axis=0)
    # The mean of equal numbers is off by a rounding error.
    centred[:, X.min(axis=0) == X.max(axis=0)] = 0.0
    exponents = np.frexp(np.abs(centred).max(axis=0))[1]
    scaled: Matrix = np.ldexp(centred, -exponents)
    return scaled
