"""The alignment of the kernel (1 + ⟨x, z⟩)², a column more or less in closed form.

With M = 1 + X_F X_F' and P = ± xxᵀ of one column, the kernel after the change is (M + P)², taken
element by element, and its sums follow from products of M, M², M³ with powers of x:
Σ(M+P)⁴ = ΣM⁴ ± 4 x'M³x + 6 x²'M²x² ± 4 x³'Mx³ + (Σx⁴)².
A form of M itself needs no rows: v'Mv = (Σv)² + ‖X_F'v‖², and X'v is the same for all sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from miningflow.learn.arrays import Indices, Mask, Matrix

_CANCELLED = 1e-4


@dataclass(frozen=True, eq=False, slots=True)
class QuadraticProblem:
    """The columns, the targets, and what is the same for all sets of columns."""

    X: Matrix
    squares: Matrix
    fourth_powers: Matrix
    targets: Matrix
    norm: float
    matches: Matrix
    signed: Forms
    cubes: Forms

    @classmethod
    def of(cls, X: Matrix, targets: Matrix) -> Self:
        """Computes what is the same for all sets."""
        squares = X**2
        by_target = [Forms.of(X, X * target[:, np.newaxis]) for target in targets.T]
        signed = Forms(
            np.sum([forms.constant for forms in by_target], axis=0),
            np.sum([forms.by_column for forms in by_target], axis=0),
        )
        return cls(
            X,
            squares,
            (squares**2).sum(axis=0) ** 2,
            targets,
            float(np.linalg.norm(targets.T @ targets)),
            np.square(targets.T @ squares).sum(axis=0),
            signed,
            Forms.of(X, X * squares),
        )


@dataclass(frozen=True, eq=False, slots=True)
class Forms:
    """v'Mv of a vector v for each column: (Σv)², and what each column inside adds to it."""

    constant: Matrix
    by_column: Matrix

    @classmethod
    def of(cls, X: Matrix, vectors: Matrix) -> Self:
        """Multiplies the columns of X with the vectors."""
        return cls(vectors.sum(axis=0) ** 2, np.square(X.T @ vectors))

    def within(self, inside: Mask) -> Matrix:
        """Returns the forms, M being that of the columns inside."""
        forms: Matrix = self.constant + inside.astype(np.float64) @ self.by_column
        return forms


class QuadraticAlignment:
    """A set of columns and the alignment of its kernel; holds matrices of rows by rows."""

    def __init__(self, problem: QuadraticProblem, inside: Mask) -> None:
        self.inside = inside
        self._problem = problem
        targets = problem.targets
        # Summed again each time: a fifth of what the candidates cost, and nothing to cancel.
        inner = problem.X[:, inside]
        self._root: Matrix = 1.0 + inner @ inner.T
        self._square = self._root**2
        self._numerator = float(np.einsum("ik,ik->", targets, self._square @ targets))
        self._denominator = float(np.einsum("ij,ij->", self._square, self._square))
        if not np.isfinite(self._denominator):
            raise ValueError("The columns are too large for a quadratic kernel; standardise them.")

    @property
    def alignment(self) -> float:
        """The alignment of the set."""
        return self._numerator / (float(np.sqrt(self._denominator)) * self._problem.norm)

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
        return QuadraticAlignment(self._problem, inside)

    def without(self, columns: Indices) -> QuadraticAlignment:
        """Returns the set without these columns."""
        inside = self.inside.copy()
        inside[columns] = False
        return QuadraticAlignment(self._problem, inside)

    def _changed(self, columns: Indices, sign: float) -> Matrix:
        problem, square = self._problem, self._square
        signed, cubes = problem.signed.within(self.inside), problem.cubes.within(self.inside)
        numerator = self._numerator + problem.matches[columns] + 2 * sign * signed[columns]
        denominator = (
            self._denominator
            + 4 * sign * _forms(square * self._root, problem.X[:, columns])
            + 6 * _forms(square, problem.squares[:, columns])
            + 4 * sign * cubes[columns]
            + problem.fourth_powers[columns]
        )
        after = np.full(len(self.inside), -np.inf)
        lost = denominator < _CANCELLED * self._denominator
        after[columns[~lost]] = numerator[~lost] / (np.sqrt(denominator[~lost]) * problem.norm)
        for column in columns[lost]:  # only a removed column can take so much with it
            after[column] = self.without(np.array([column])).alignment
        return after


def _forms(matrix: Matrix, x: Matrix) -> Matrix:
    """Returns x'Mx for each column."""
    forms: Matrix = np.einsum("ij,ij->j", x, matrix @ x)
    return forms
