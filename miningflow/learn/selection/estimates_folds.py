"""The error of a support vector machine on a subset of columns, by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.scikit_learn import StratifiedKFold
from miningflow.learn.selection.estimates import share_of, without_columns
from miningflow.learn.selection.gram import SubsetGram
from miningflow.learn.selection.subset_machine import train

Fold = tuple[Indices, Indices]


@dataclass(frozen=True, eq=False, slots=True)
class CrossValidationEstimate:
    """The share of rows that a machine trained on the other folds gets wrong, or of their costs.

    All subsets have the same folds, which are pairs of training and test rows, and their kernels
    are cut from the matrix of all rows.
    """

    signs: Matrix
    C: float
    tolerance: float
    folds: tuple[Fold, ...]
    costs: Matrix | None = None
    """What errors about rows cost, in units of C."""

    @classmethod
    def stratified(
        cls, signs: Matrix, C: float, tolerance: float, folds: int, costs: Matrix | None = None
    ) -> Self:
        """Takes stratified folds."""
        return cls(signs, C, tolerance, stratified_folds(signs, folds), costs)

    def __call__(self, gram: SubsetGram) -> float:
        """Returns the share of wrong rows."""
        if not gram.subset:
            return without_columns(self.signs, self.costs)
        matrix = gram.matrix
        # Counted over all folds: a mean of shares would differ by rounding where counts are equal.
        wrong = np.zeros(len(self.signs), dtype=bool)
        for training, test in self.folds:
            wrong[test] = self._wrong(matrix, training, test)
        return share_of(wrong, self.costs)

    def _wrong(self, matrix: Matrix, training: Indices, test: Indices) -> Mask:
        signs = self.signs[training]
        if (signs == signs[0]).all():
            return np.asarray(self.signs[test] != signs[0])
        rows = matrix[:, training]
        costs = None if self.costs is None else self.costs[training]
        machine = train(rows[training], signs, self.C, self.tolerance, costs)
        positive = machine.decisions(rows[test]) > 0
        return np.asarray(positive != (self.signs[test] > 0))


def stratified_folds(signs: Matrix, folds: int) -> tuple[Fold, ...]:
    """Spreads the rows of each class over the folds in their order, as scikit-learn does.

    There are no more folds than rows of the smaller class, but at least two.
    """
    smaller = round(without_columns(signs) * len(signs))
    splitter = StratifiedKFold(max(2, min(folds, smaller)))
    return tuple(splitter.split(signs[:, np.newaxis], signs))
