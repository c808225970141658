"""Selection of groups of features by the geometry of their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from miningflow.learn.arrays import Indices, Mask
from miningflow.learn.scikit_learn import (
    Interval,
    StrOptions,
    check_random_state,
    validate_data,
)
from miningflow.learn.selection.class_counts import presence_counts, without_stored_zeros
from miningflow.learn.selection.classes import class_codes
from miningflow.learn.selection.column_selector import ColumnSelector
from miningflow.learn.selection.geometry.gram import GramClouds
from miningflow.learn.selection.geometry.hulls import Clouds
from miningflow.learn.selection.geometry.judges import GeometryJudge, Judge, JudgedSet
from miningflow.learn.selection.geometry.machine import MachineJudge, half_of_rows
from miningflow.learn.selection.geometry.scatter import ScatterClouds
from miningflow.learn.selection.geometry.search import chosen_groups, judged_sets
from miningflow.learn.selection.geometry.splits import count_of_sets
from miningflow.learn.selection.progress import Progress
from miningflow.learn.threads import single_blas_thread


class GeometrySelector(ColumnSelector):
    """Selects groups of features by how the rows of the classes lie on them.

    After C. Stambaugh et al., Analytic Feature Selection for Support Vector Machines. Every set of
    groups is judged for every division of the classes in two: by `geometry`, six ratios of affine
    dimensions and two regression models of them, or by `svm`, the accuracy of a linear machine with
    `C` that learns on one half of the rows and answers on the other. Both take about as long. The
    models were made for text with hundreds of columns of 0 and 1; for continuous or few columns the
    paper itself reports failure, and its finding that random columns are never chosen did not come
    out. `rule="printed"` suggests a set from a probability of .5 on, as the paper does, which finds
    next to none; the default cuts at the intercept of the model.

    `groups` has one number per column; columns of one number stay together. Without it each column
    is a group, and k groups and l classes make (2^k - 1)·(2^(l - 1) - 1) sets, at most `max_sets`.

    Of the sets that most divisions suggest, `choose="score"` takes the one with the highest mean
    score and `smallest` the one with the fewest columns. If none is suggested, the score decides.
    The first of equals is taken, and fewer groups come first. `suggestions_` has the sets that were
    suggested; `trace_` has all of them in the order of trial, and `callback` sees each at once,
    before sets are compared.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "groups": ["array-like", None],
        "choose": [StrOptions({"score", "smallest"})],
        "judge": [StrOptions({"geometry", "svm"})],
        "rule": [StrOptions({"intercept", "printed"})],
        "C": [Interval(Real, 0, None, closed="neither")],
        "max_sets": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "callback": [callable, None],
    }

    group_support_: Mask
    trace_: tuple[JudgedSet, ...]
    suggestions_: tuple[JudgedSet, ...]

    def __init__(
        self,
        groups: Sequence[int] | NDArray[np.integer[Any]] | None = None,
        *,
        choose: Literal["score", "smallest"] = "score",
        judge: Literal["geometry", "svm"] = "geometry",
        rule: Literal["intercept", "printed"] = "intercept",
        C: float = 1.0,
        max_sets: int = 10_000,
        random_state: int | np.random.RandomState | None = None,
        callback: Callable[[JudgedSet], object] | None = None,
    ) -> None:
        self.groups = groups
        self.choose = choose
        self.judge = judge
        self.rule = rule
        self.C = C
        self.max_sets = max_sets
        self.random_state = random_state
        self.callback = callback

    def _takes_sparse(self) -> bool:
        return True

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Judges every set of groups and chooses one."""
        self._validate_params()
        examples, target = validate_data(
            self, X, y, dtype=np.float64, accept_sparse="csr", ensure_min_samples=2
        )
        classes, codes = class_codes(target)
        groups, group_of_column = np.unique(self._groups(), return_inverse=True)
        self._check_count(len(classes), len(groups))
        members = [np.flatnonzero(group_of_column == group) for group in range(len(groups))]
        progress = Progress(self.callback)
        try:
            with single_blas_thread():
                judge = self._judge(without_stored_zeros(examples), codes, members)
                verdicts = judged_sets(judge, classes, groups, progress)
        finally:
            self.trace_ = progress.entries
        chosen = chosen_groups(verdicts, np.bincount(group_of_column), self.choose)
        self.suggestions_ = tuple(each for each in self.trace_ if each.suggested)
        self.group_support_ = np.isin(np.arange(len(groups)), chosen)
        self.support_ = self.group_support_[group_of_column]
        return self

    def _judge(self, X: Any, codes: Indices, members: Sequence[Indices]) -> Judge:
        if self.judge == "geometry":
            present = presence_counts(X, codes).present > 0
            clouds = _clouds(X, codes, members)
            return GeometryJudge(
                clouds, present, members, np.bincount(codes), self.rule == "printed"
            )
        random = check_random_state(self.random_state)
        half = half_of_rows(codes, random)
        seed = random.randint(np.iinfo(np.int32).max)
        return MachineJudge(X, codes, members, half, self.C, seed)

    def _groups(self) -> Indices:
        groups = np.arange(self.n_features_in_) if self.groups is None else np.asarray(self.groups)
        if groups.shape != (self.n_features_in_,) or groups.dtype.kind not in "iu":
            raise ValueError(
                f"groups must be one integer per column, {self.n_features_in_} of them; "
                f"got {groups.dtype} of shape {groups.shape}"
            )
        return groups.astype(np.intp)

    def _check_count(self, classes: int, groups: int) -> None:
        sets = count_of_sets(classes, groups)
        if sets > self.max_sets:
            raise ValueError(
                f"{groups} groups and {classes} classes make {sets} sets to judge, more than "
                f"max_sets={self.max_sets}; put columns into fewer groups, or raise max_sets"
            )


def _clouds(X: Any, codes: Indices, members: Sequence[Indices]) -> Clouds:
    """Returns the rows in the form that makes for the smaller matrices."""
    rows, width = X.shape
    if rows > width:
        return ScatterClouds.of(X.toarray() if issparse(X) else X, codes, members)
    return GramClouds.of(X, codes, members)
