"""Feature selection guided by the ξα-estimate of a support vector machine's error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, Literal, Unpack, assert_never

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Matrix
from miningflow.learn.scikit_learn import Interval, StrOptions, compute_sample_weight
from miningflow.learn.selection.column_selector import COUNT_OR_SHARE, count_of
from miningflow.learn.selection.estimates import Estimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.parameter_words import OtherWord, SearchWords
from miningflow.learn.selection.search.course import Course
from miningflow.learn.selection.search.guided import Guide, NestedEstimate, Training, guided
from miningflow.learn.selection.search.strategies import beam, floating, greedy
from miningflow.learn.selection.search.subsets import Judge, Trace, Trial
from miningflow.learn.selection.subset_selector import EstimateName, SubsetSelector, UsedEstimate

SearchName = Literal["guided", "greedy", "floating", "beam"]


class XiAlphaSelector(SubsetSelector):
    """Selects columns for a binary target by a search that trains a machine for each subset.

    After T. Euler, Feature Selection with Support Vector Machines (2002), whose search is
    "greedy": a level tries every neighbour of the current subset; the best is taken if its
    estimated error is lower, or also if it is equal with `accept_equal`. The first of equal
    candidates wins. "beam" continues from the best `beam_width` subsets of a level, "floating" goes
    on from the end of a greedy search and takes steps back. "guided", the default backward, tries
    only the few groups whose weights are least, goes down to the end, and chooses the best subset
    on the way: fewer columns and fewer machines. Forward, "greedy" is the default.

    Columns of one number in `groups` stay together; at least `minimum` groups are kept, better or
    not, or exactly `n_features_to_select`, or below 1 this share of all. `screen` limits the number
    of groups to search, those whose linear kernels are best aligned with the target.

    `estimate` is "xi_alpha", "span" or "cross_validation". With `rho=2` the first is not below the
    leave-one-out error; `rho=1` is the paper's. The second is closer to leave-one-out, on both
    sides. The third trains once for each of `cv` folds, which all subsets share. The default is the
    first; but a guided search that has to choose the number of columns cross-validates itself, with
    a separate search for each fold: all others are too kind to small subsets that were found on the
    same rows.

    Columns are centred but not scaled: standardise them first. The linear kernel is scaled to a
    mean diagonal of 1 for each subset, so `C` means the same for any number of columns; keep it
    near 1. `gamma=None` is scikit-learn's "scale" for each subset.

    `class_weight` multiplies `C` for the rows of each class, as in scikit-learn: a dictionary, or
    "balanced". Errors then count by the weights of their rows, in every estimate.

    `callback` sees each trial when it has been made, before any of its level is accepted; `trace_`
    has them all with the outcome, also after an interrupt. The last accepted is the choice.
    `screened_` and `group_support_` tell of the groups, in ascending order, which were searched and
    which were chosen.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubsetSelector._parameter_constraints,
        "direction": [StrOptions({"backward", "forward"})],
        "search": [StrOptions({"guided", "greedy", "floating", "beam"}), None],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
        "accept_equal": ["boolean"],
        "minimum": [Interval(Integral, 1, None, closed="left")],
        "n_features_to_select": COUNT_OR_SHARE,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    keep = OtherWord("n_features_to_select")

    def __init__(
        self,
        kernel: Literal["linear", "radial", "rbf"] = "linear",
        *,
        C: float = 1.0,
        gamma: float | Literal["scale"] | None = None,
        tol: float = 1e-3,
        direction: Literal["backward", "forward"] = "backward",
        search: SearchName | None = None,
        beam_width: int = 3,
        accept_equal: bool = False,
        estimate: EstimateName | None = None,
        rho: float = 2.0,
        cv: int = 5,
        groups: Sequence[int] | NDArray[np.integer[Any]] | None = None,
        screen: int | None = None,
        minimum: int = 1,
        n_features_to_select: int | float | None = None,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        callback: Callable[[Trial], object] | None = None,
        **other_words: Unpack[SearchWords],
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.tol = tol
        self.direction = direction
        self.search = search
        self.beam_width = beam_width
        self.accept_equal = accept_equal
        self.estimate = estimate
        self.rho = rho
        self.cv = cv
        self.groups = groups
        self.screen = screen
        self.minimum = minimum
        self.n_features_to_select = n_features_to_select
        self.class_weight = class_weight
        self.callback = callback

    def _strategy(self) -> SearchName:
        if self.direction == "backward":
            return self.search or "guided"
        if self.search == "guided":
            raise ValueError("a guided search goes backward; forward, choose another search")
        return self.search or "greedy"

    def _search(self, columns: ColumnGroups, estimate: Estimate, trace: Trace) -> Trial:
        search, forward = self._strategy(), self.direction == "forward"
        course = Course(columns, forward, self.accept_equal, self.minimum, self._to_keep())
        judge = Judge(estimate, trace)
        match search:
            case "guided":
                return guided(course, judge, Guide(columns, estimate.signs, self._training()))
            case "beam":
                return beam(course, judge, self.beam_width)
            case "floating":
                return floating(course, judge)
            case "greedy":
                return greedy(course, judge)
            case _:
                assert_never(search)

    def _estimate_name(self) -> UsedEstimate:
        sized = self._strategy() == "guided" and self.n_features_to_select is None
        return self.estimate or ("nested_cross_validation" if sized else "xi_alpha")

    def _estimate(self, columns: ColumnGroups, signs: Matrix) -> Estimate:
        if self.estimate_ == "nested_cross_validation":
            return NestedEstimate.of(columns, signs, self._training(), self.cv)
        return super()._estimate(columns, signs)

    def _training(self) -> Training:
        return Training(self.C, self.tol, self.rho, self._costs)

    def _to_keep(self) -> int | None:
        return count_of(self.n_features_to_select, len(np.unique(self._groups())))

    def _costs_of(self, target: NDArray[Any]) -> Matrix | None:
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, Mapping) and min(self.class_weight.values()) <= 0:
            raise ValueError(f"class_weight must be above 0, got {dict(self.class_weight)}")
        found: Matrix = compute_sample_weight(self.class_weight, target)
        return found

    def _check_counts(self, groups: int) -> None:
        searched = groups if self.screen is None else min(groups, self.screen)
        left = f"there are {groups}" if searched == groups else f"screen={self.screen} leaves fewer"
        keep = self._to_keep()
        for name, count in (("minimum", self.minimum), ("n_features_to_select", keep)):
            if count is not None and count > searched:
                raise ValueError(f"{name}={count} groups cannot be kept; {left}")
        if keep is not None and keep < self.minimum:
            raise ValueError(f"n_features_to_select={keep} is below minimum={self.minimum}")
