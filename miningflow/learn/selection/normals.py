"""Feature selection by the weights of a linear support vector machine."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike

from miningflow.learn.arrays import Indices, Matrix
from miningflow.learn.scikit_learn import (
    Interval,
    LinearSVC,
    StrOptions,
    check_random_state,
    validate_data,
)
from miningflow.learn.selection.class_counts import presence_counts, without_stored_zeros
from miningflow.learn.selection.classes import class_codes, share_of_rows
from miningflow.learn.selection.column_selector import COUNT_OR_SHARE, ColumnSelector, count_of
from miningflow.learn.selection.parameter_words import KeepAndTolerance, OtherWord
from miningflow.learn.selection.ranking import Ranked, check_one_limit, kept, ranked
from miningflow.learn.threads import single_blas_thread


class NormalSelector(ColumnSelector):
    """Selects the features with the largest |w| in the normal of a separating hyperplane.

    After J. Brank et al., Feature Selection Using Support Vector Machines. Columns are taken as
    they are, so bring them to one scale first. With more than two classes each has its normal
    against the rest, and the weights are combined by their maximum or mean.

    Kept are `n_features_to_select` features (or this share of them, below 1), or as many as it
    takes until rows have `sparsity` values other than 0 on average; without either, half of them.
    The normal is learned on a share `subset` of the rows, drawn from each class; what is trained on
    the kept features can have them all.

    `memory_budget` is the number of values other than 0 that fit into memory at a time. The normal
    is learned on as many rows as fit with all features, and `rows_that_fit_` says how many fit with
    the kept ones. Unless `n_features_to_select` or `sparsity` says otherwise, features are kept
    until all rows fit, but not fewer than fill half of each row: in the paper half the values and
    twice the rows were better, and further trades were not.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_features_to_select": COUNT_OR_SHARE,
        "sparsity": [Interval(Real, 0, None, closed="neither"), None],
        "C": [Interval(Real, 0, None, closed="neither")],
        "subset": [Interval(Real, 0, 1, closed="right")],
        "memory_budget": [Interval(Integral, 1, None, closed="left"), None],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "combine": [StrOptions({"max", "mean"})],
        "random_state": ["random_state"],
    }

    keep = OtherWord("n_features_to_select")
    tolerance = OtherWord("tol")

    scores_: Matrix
    normals_: Matrix
    trace_: tuple[Ranked, ...]
    rows_learned_: int
    rows_that_fit_: int
    n_iter_: int

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        sparsity: float | None = None,
        C: float = 1.0,
        subset: float = 1.0,
        memory_budget: int | None = None,
        loss: Literal["hinge", "squared_hinge"] = "squared_hinge",
        tol: float = 1e-4,
        max_iter: int = 1000,
        combine: Literal["max", "mean"] = "max",
        random_state: int | np.random.RandomState | None = None,
        **other_words: Unpack[KeepAndTolerance],
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.sparsity = sparsity
        self.C = C
        self.subset = subset
        self.memory_budget = memory_budget
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter
        self.combine = combine
        self.random_state = random_state

    def _takes_sparse(self) -> bool:
        return True

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learns the normal and ranks the features by it."""
        self._validate_params()
        examples, target = validate_data(
            self, X, y, dtype=np.float64, accept_sparse="csr", ensure_min_samples=2
        )
        keep = count_of(self.n_features_to_select, self.n_features_in_)
        check_one_limit(self.n_features_in_, keep, sparsity=self.sparsity)
        codes = class_codes(target)[1]
        examples = without_stored_zeros(examples)
        filled = presence_counts(examples, codes).present.sum(axis=0) / len(codes)
        self.normals_ = self._normals(examples, codes, float(filled.sum()))
        weights = np.abs(self.normals_)
        self.scores_ = weights.max(axis=0) if self.combine == "max" else weights.mean(axis=0)
        sparsity = self._sparsity(len(codes), float(filled.sum()))
        self.trace_ = ranked(self.scores_, filled, keep, sparsity=sparsity)
        self.support_ = kept(self.trace_)
        self.rows_that_fit_ = self._rows_that_fit(len(codes), float(filled[self.support_].sum()))
        return self

    def _normals(self, X: Any, codes: Indices, filled: float) -> Matrix:
        random = check_random_state(self.random_state)
        share = min(self.subset, self._rows_that_fit(len(codes), filled) / len(codes))
        rows = np.flatnonzero(share_of_rows(codes, share, random))
        self.rows_learned_ = len(rows)
        machine = LinearSVC(
            C=self.C,
            loss=self.loss,
            dual="auto",
            tol=self.tol,
            max_iter=self.max_iter,
            random_state=random,
        )
        with single_blas_thread():
            normals: Matrix = machine.fit(X[rows], codes[rows]).coef_
        self.n_iter_ = machine.n_iter_
        return normals

    def _sparsity(self, rows: int, filled: float) -> float | None:
        limits = (self.n_features_to_select, self.sparsity)
        if self.memory_budget is None or limits != (None, None):
            return self.sparsity
        return max(filled / 2, min(filled, self.memory_budget / rows))

    def _rows_that_fit(self, rows: int, filled: float) -> int:
        if self.memory_budget is None or self.memory_budget >= rows * filled:
            return rows
        return int(self.memory_budget / filled)
