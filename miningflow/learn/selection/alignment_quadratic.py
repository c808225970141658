"""The alignment of the kernel (1 + ⟨x, z⟩)², a column more or less in closed form.

With M = 1 + X_F X_F' and P = ± xxᵀ of one column, the kernel after the change is (M + P)², taken
element by element, and its sums follow from products of M, M², M³ with powers of x:
Σ(M+P)⁴ = ΣM⁴ ± 4 x'M³x + 6 x²'M²x² ± 4 x³'Mx³ + (Σx⁴)².
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.selection.alignment_products import Features, Matrix

_CANCELLED = 1e-4


class QuadraticAlignment:
    """A set of columns and the alignment of its kernel; holds matrices of rows by rows."""

    def __init__(self, X: Matrix, targets: Matrix, inside: NDArray[np.bool_]) -> None:
        self.inside = inside
        self._X = X
        self._targets = targets
        self._norm = float(np.linalg.norm(targets.T @ targets))
        # Summed anew each time: a fifth of what the candidates cost, and nothing to cancel.
        self._root: Matrix = 1.0 + X[:, inside] @ X[:, inside].T
        self._square = self._root**2
        self._numerator = float(np.einsum("ik,ik->", targets, self._square @ targets))
        self._denominator = float(np.einsum("ij,ij->", self._square, self._square))
        if not np.isfinite(self._denominator):
            raise ValueError("The columns are too large for a quadratic kernel; standardise them.")

    @property
    def alignment(self) -> float:
        """The alignment of the set."""
        return self._numerator / (float(np.sqrt(self._denominator)) * self._norm)

    def added(self) -> Matrix:
        """Returns the alignment after adding each column; -inf for those inside."""
        return self._changed(np.flatnonzero(~self.inside), +1.0)

    def removed(self) -> Matrix:
        """Returns the alignment after removing each column; -inf for those outside."""
        return self._changed(np.flatnonzero(self.inside), -1.0)

    def with_column(self, column: int) -> QuadraticAlignment:
        """Returns the set with one more column."""
        inside = self.inside.copy()
        inside[column] = True
        return QuadraticAlignment(self._X, self._targets, inside)

    def without(self, columns: Features) -> QuadraticAlignment:
        """Returns the set without these columns."""
        inside = self.inside.copy()
        inside[columns] = False
        return QuadraticAlignment(self._X, self._targets, inside)

    def _changed(self, columns: Features, sign: float) -> Matrix:
        x = self._X[:, columns]
        x2 = x * x
        x3 = x2 * x
        root, square = self._root, self._square
        numerator = np.full(len(columns), self._numerator)
        for target in self._targets.T:
            signed = x * target[:, np.newaxis]
            numerator += 2 * sign * _forms(root, signed) + (target @ x2) ** 2
        denominator = (
            self._denominator
            + 4 * sign * _forms(square * root, x)
            + 6 * _forms(square, x2)
            + 4 * sign * _forms(root, x3)
            + (x2 * x2).sum(axis=0) ** 2
        )
        after = np.full(len(self.inside), -np.inf)
        lost = denominator < _CANCELLED * self._denominator
        after[columns[~lost]] = numerator[~lost] / (np.sqrt(denominator[~lost]) * self._norm)
        for column in columns[lost]:  # only a removed column can take so much with it
            after[column] = self.without(np.array([column])).alignment
        return after


def _forms(matrix: Matrix, x: Matrix) -> Matrix:
    """Returns x'Mx for each column."""
    forms: Matrix = np.einsum("ij,ij->j", x, matrix @ x)
    return forms
