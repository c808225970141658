"""The alignment of a linear kernel with the target, from inner products of columns alone.

⟨K, T⟩ = Σⱼ (xⱼ'y)² and ⟨K, K⟩ = Σᵢⱼ (xᵢ'xⱼ)² over the columns of the set: no kernel matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.selection.alignment.products import Products

_BLOCK = 256
# A sum left with less than this share of what it held has lost four of its sixteen digits.
_CANCELLED = 1e-4


@dataclass(frozen=True, eq=False, slots=True)
class LinearProblem:
    """Products of columns, and for each column its (xⱼ'y)² summed over the targets."""

    products: Products
    squares: Matrix
    diagonal: Matrix
    scale: float
    target_norm: float

    @classmethod
    def of(cls, products: Products, moments: Matrix, target_norm: float) -> Self:
        """Scales the products to a largest of 1, so that their squares cannot overflow."""
        diagonal = products.diagonal
        scale = float(diagonal.max()) or 1.0
        squares = ((moments / np.sqrt(scale)) ** 2).sum(axis=1)
        return cls(products, squares, diagonal / scale, scale, target_norm)

    def overlap(self, features: Indices) -> Matrix:
        """Returns for each column the sum of its squared products with these columns."""
        total = np.zeros(len(self.diagonal))
        for start in range(0, len(features), _BLOCK):
            block = self.products.columns(features[start : start + _BLOCK]) / self.scale
            total += np.einsum("ij,ij->i", block, block)
        return total


class LinearAlignment:
    """A set of columns and the alignment of its kernel, ready for columns to come and go."""

    def __init__(
        self,
        problem: LinearProblem,
        inside: Mask,
        overlap: Matrix | None = None,
        most: Matrix | None = None,
    ) -> None:
        self.inside = inside
        self._problem = problem
        fresh = problem.overlap(np.flatnonzero(inside)) if overlap is None else overlap
        self._overlap = fresh
        self._most = fresh if most is None else most
        self._numerator = float(problem.squares[inside].sum())
        self._denominator = float(fresh[inside].sum())

    @property
    def alignment(self) -> float:
        """The alignment of the set."""
        return float(self._ratio(np.array(self._numerator), np.array(self._denominator)))

    def added(self) -> Matrix:
        """Returns the alignment after adding each column; -inf for those inside."""
        problem = self._problem
        numerator = self._numerator + problem.squares
        denominator = self._denominator + 2 * self._overlap + problem.diagonal**2
        return np.where(self.inside, -np.inf, self._ratio(numerator, denominator))

    def removed(self) -> Matrix:
        """Returns the alignment after removing each column; -inf for those outside."""
        problem = self._problem
        numerator = self._numerator - problem.squares
        denominator = self._denominator - 2 * self._overlap + problem.diagonal**2
        after = np.where(self.inside, self._ratio(numerator, denominator), -np.inf)
        # At most one column can outweigh all others so much: two would outweigh each other.
        lost = self.inside & (denominator < _CANCELLED * self._denominator)
        for column in np.flatnonzero(lost):
            after[column] = LinearAlignment(problem, self._but(np.array([column]))).alignment
        return after

    def with_column(self, column: int) -> LinearAlignment:
        """Returns the set with one more column."""
        inside = self.inside.copy()
        inside[column] = True
        overlap = self._overlap + self._problem.overlap(np.array([column]))
        return LinearAlignment(self._problem, inside, overlap, overlap)

    def without(self, columns: Indices) -> LinearAlignment:
        """Returns the set without these columns."""
        inside = self._but(columns)
        if len(columns) >= np.count_nonzero(inside):
            return LinearAlignment(self._problem, inside)
        overlap = self._overlap - self._problem.overlap(columns)
        if (overlap[inside] < _CANCELLED * self._most[inside]).any():
            return LinearAlignment(self._problem, inside)
        return LinearAlignment(self._problem, inside, overlap, self._most)

    def _but(self, columns: Indices) -> Mask:
        inside = self.inside.copy()
        inside[columns] = False
        return inside

    def _ratio(self, numerator: Matrix, denominator: Matrix) -> Matrix:
        # Columns of zeros have no direction, so nothing they could be aligned with.
        root = np.sqrt(np.maximum(denominator, 0.0)) * self._problem.target_norm
        return np.divide(numerator, root, out=np.zeros_like(numerator), where=root > 0)
