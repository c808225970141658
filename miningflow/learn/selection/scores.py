"""Feature selection by a score of each feature alone."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal, Self, Unpack

import numpy as np
from numpy.typing import ArrayLike

from miningflow.learn.arrays import Indices, Matrix
from miningflow.learn.scikit_learn import (
    Interval,
    StrOptions,
    validate_data,
)
from miningflow.learn.selection.class_counts import (
    class_moments,
    distinct_counts,
    presence_counts,
    without_stored_zeros,
)
from miningflow.learn.selection.classes import class_codes
from miningflow.learn.selection.column_selector import COUNT_OR_SHARE, ColumnSelector, count_of
from miningflow.learn.selection.fitting_score import FITTING, fitting_score
from miningflow.learn.selection.kolmogorov_smirnov import kolmogorov_smirnov
from miningflow.learn.selection.moment_scores import MOMENT_SCORES
from miningflow.learn.selection.parameter_words import KeepWord, OtherWord
from miningflow.learn.selection.presence_scores import PRESENCE_SCORES
from miningflow.learn.selection.ranking import Ranked, check_one_limit, kept, ranked

Measure = Literal[
    "auto", "information_gain", "odds_ratio", "chi2", "bns", "fisher", "pearson", "ks"
]


class ScoreSelector(ColumnSelector):
    """Selects the features with the highest scores.

    `auto` is `information_gain` where columns are mostly 0, as in counts and texts, and otherwise
    `fisher`; `measure_` is the choice. `information_gain`, `odds_ratio`, `chi2` and `bns`
    (bi-normal separation) look at whether a value is 0 or not; `fisher`, `pearson` and `ks`
    (Kolmogorov–Smirnov) at the number. The positive one of two classes is the second in sorted
    order, which matters to the odds ratio only. With more classes each is scored against the rest,
    and the scores are combined by their maximum or mean.

    Kept are `n_features_to_select` features (or this share of them, below 1), or those with a score
    of at least `threshold`, or as many as it takes until rows have `sparsity` values other than 0
    on average; without any of these, half of them. `trace_` has the features from the highest score
    down, the first of equals first.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "measure": [StrOptions({FITTING, *PRESENCE_SCORES, *MOMENT_SCORES, "ks"})],
        "n_features_to_select": COUNT_OR_SHARE,
        "threshold": [Interval(Real, None, None, closed="neither"), None],
        "sparsity": [Interval(Real, 0, None, closed="neither"), None],
        "combine": [StrOptions({"max", "mean"})],
    }

    keep = OtherWord("n_features_to_select")

    measure_: str
    scores_: Matrix
    trace_: tuple[Ranked, ...]

    def __init__(
        self,
        measure: Measure = "auto",
        *,
        n_features_to_select: int | float | None = None,
        threshold: float | None = None,
        sparsity: float | None = None,
        combine: Literal["max", "mean"] = "max",
        **other_words: Unpack[KeepWord],
    ) -> None:
        self.measure = measure
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.sparsity = sparsity
        self.combine = combine

    def _takes_sparse(self) -> bool:
        return True

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Scores every feature."""
        self._validate_params()
        examples, target = validate_data(
            self, X, y, dtype=np.float64, accept_sparse="csr", ensure_min_samples=2
        )
        keep = count_of(self.n_features_to_select, self.n_features_in_)
        check_one_limit(self.n_features_in_, keep, threshold=self.threshold, sparsity=self.sparsity)
        classes, codes = class_codes(target)
        examples = without_stored_zeros(examples)
        # Two classes need only the second against the first.
        positive = range(1, 2) if len(classes) == 2 else range(len(classes))
        filled = presence_counts(examples, codes).present.sum(axis=0) / len(codes)
        self.measure_ = fitting_score(filled) if self.measure == FITTING else self.measure
        by_class = self._by_class(examples, codes, positive)
        self.scores_ = by_class.max(axis=0) if self.combine == "max" else by_class.mean(axis=0)
        self.trace_ = ranked(self.scores_, filled, keep, self.threshold, self.sparsity)
        self.support_ = kept(self.trace_)
        return self

    def _by_class(self, X: Any, codes: Indices, positive: range) -> Matrix:
        if self.measure_ in PRESENCE_SCORES:
            counts = presence_counts(X, codes)
            presence = PRESENCE_SCORES[self.measure_]
            return np.array([presence(counts.against_rest(code)) for code in positive])
        if self.measure_ in MOMENT_SCORES:
            moments = class_moments(X, codes)
            moment = MOMENT_SCORES[self.measure_]
            return np.array([moment(moments.against_rest(code)) for code in positive])
        distances = [
            [kolmogorov_smirnov(row[code], row.sum(axis=0) - row[code]) for code in positive]
            for row in distinct_counts(X, codes)
        ]
        return np.array(distances).T
