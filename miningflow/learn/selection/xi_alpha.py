"""Feature selection guided by the ξα-estimate of a support vector machine's error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from miningflow.learn.selection.binary_signs import binary_signs
from miningflow.learn.selection.estimates import Estimate, SpanEstimate, XiAlphaEstimate
from miningflow.learn.selection.estimates_folds import CrossValidationEstimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.kernels import Kernel, LinearKernel, RadialKernel
from miningflow.learn.selection.screening import screened
from miningflow.learn.selection.search import Judge, Trace, Trial
from miningflow.learn.selection.search_course import Course
from miningflow.learn.selection.search_strategies import beam, floating, greedy
from miningflow.learn.threads import single_blas_thread


class XiAlphaSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Selects columns for a binary target by a search with one training run per subset.

    After T. Euler, Feature Selection with Support Vector Machines (2002). A level of the search
    tries every neighbour of the current subset; the best is taken if its estimated error is lower,
    or also if it is equal with `accept_equal`. The first of equal candidates wins. Columns of one
    number in `groups` stay together; at least `minimum` groups are kept, better or not, or exactly
    `keep`. `screen` leaves only so many groups to the search, those whose linear kernels are best
    aligned with the target.

    `search` is "greedy", as the paper's; "beam" goes on from the best `beam_width` subsets of a
    level; "floating" goes on from the end of a greedy search and takes steps back.

    `estimate` is "xi_alpha", "span" or "cross_validation". With `rho=2` the first is not below the
    leave-one-out error; `rho=1` is the paper's. The second is closer to leave-one-out, on both
    sides. The third trains once for each of `folds`, which all subsets share.

    Columns are centred but not scaled: standardise them first. The linear kernel is scaled to a
    mean diagonal of 1 for each subset, so `C` means the same for any number of columns; keep it
    near 1. `gamma=None` is scikit-learn's "scale" for each subset.

    `callback` sees each trial when it has been made, before any of its level is accepted; `trace_`
    has them all with the outcome, also after an interrupt. The last accepted is the choice.
    `screened_` and `group_support_` tell of the groups, in ascending order, which were searched and
    which were chosen.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"linear", "radial"})],
        "C": [Interval(Real, 0, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="neither"), None],
        "tolerance": [Interval(Real, 0, None, closed="neither")],
        "direction": [StrOptions({"backward", "forward"})],
        "search": [StrOptions({"greedy", "floating", "beam"})],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
        "accept_equal": ["boolean"],
        "estimate": [StrOptions({"xi_alpha", "span", "cross_validation"})],
        "rho": [Interval(Real, 0, None, closed="neither")],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "groups": ["array-like", None],
        "screen": [Interval(Integral, 1, None, closed="left"), None],
        "minimum": [Interval(Integral, 1, None, closed="left")],
        "keep": [Interval(Integral, 1, None, closed="left"), None],
        "callback": [callable, None],
    }

    support_: NDArray[np.bool_]
    group_support_: NDArray[np.bool_]
    screened_: NDArray[np.bool_]
    error_: float
    trace_: tuple[Trial, ...]
    n_features_in_: int

    def __init__(
        self,
        kernel: Literal["linear", "radial"] = "linear",
        *,
        C: float = 1.0,
        gamma: float | None = None,
        tolerance: float = 1e-3,
        direction: Literal["backward", "forward"] = "backward",
        search: Literal["greedy", "floating", "beam"] = "greedy",
        beam_width: int = 3,
        accept_equal: bool = False,
        estimate: Literal["xi_alpha", "span", "cross_validation"] = "xi_alpha",
        rho: float = 2.0,
        folds: int = 10,
        groups: Sequence[int] | NDArray[np.integer[Any]] | None = None,
        screen: int | None = None,
        minimum: int = 1,
        keep: int | None = None,
        callback: Callable[[Trial], object] | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.tolerance = tolerance
        self.direction = direction
        self.search = search
        self.beam_width = beam_width
        self.accept_equal = accept_equal
        self.estimate = estimate
        self.rho = rho
        self.folds = folds
        self.groups = groups
        self.screen = screen
        self.minimum = minimum
        self.keep = keep
        self.callback = callback

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Searches for the subset of columns with the lowest estimated error."""
        self._validate_params()
        examples, target = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        signs = binary_signs(target)
        groups = self._groups()
        estimate = self._estimate(signs)
        trace = Trace(self.callback)
        try:
            with single_blas_thread():
                columns = ColumnGroups.of(examples, groups, self._kernel())
                if self.screen is not None:
                    columns = screened(columns, signs, self.screen)
                chosen = self._search(columns, Judge(estimate, trace))
        finally:
            self.trace_ = trace.trials
        self.error_ = chosen.error
        self.support_ = np.isin(groups, chosen.subset)
        self.group_support_ = np.isin(np.unique(groups), chosen.subset)
        self.screened_ = np.isin(np.unique(groups), list(columns.parts))
        return self

    def _search(self, columns: ColumnGroups, judge: Judge) -> Trial:
        forward = self.direction == "forward"
        course = Course(columns, forward, self.accept_equal, self.minimum, self.keep)
        if self.search == "beam":
            return beam(course, judge, self.beam_width)
        return floating(course, judge) if self.search == "floating" else greedy(course, judge)

    def _estimate(self, signs: NDArray[np.float64]) -> Estimate:
        if self.estimate == "cross_validation":
            return CrossValidationEstimate.stratified(signs, self.C, self.tolerance, self.folds)
        if self.estimate == "span":
            return SpanEstimate(signs, self.C, self.tolerance)
        return XiAlphaEstimate(signs, self.C, self.rho, self.tolerance)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_

    def _kernel(self) -> Kernel:
        return LinearKernel() if self.kernel == "linear" else RadialKernel(self.gamma)

    def _groups(self) -> NDArray[np.intp]:
        groups = np.arange(self.n_features_in_) if self.groups is None else np.asarray(self.groups)
        if groups.shape != (self.n_features_in_,) or groups.dtype.kind not in "iu":
            raise ValueError(
                f"groups must be one integer per column, {self.n_features_in_} of them; "
                f"got {groups.dtype} of shape {groups.shape}"
            )
        self._check_counts(len(np.unique(groups)))
        return groups.astype(np.intp)

    def _check_counts(self, groups: int) -> None:
        searched = groups if self.screen is None else min(groups, self.screen)
        left = f"there are {groups}" if searched == groups else f"screen={self.screen} leaves fewer"
        for name, count in (("minimum", self.minimum), ("keep", self.keep)):
            if count is not None and count > searched:
                raise ValueError(f"{name}={count} groups cannot be kept; {left}")
        if self.keep is not None and self.keep < self.minimum:
            raise ValueError(f"keep={self.keep} is below minimum={self.minimum}")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags
