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
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from miningflow.learn.selection.estimates import XiAlphaEstimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.kernels import Kernel, LinearKernel, RadialKernel
from miningflow.learn.selection.search import Trace, Trial, backward, forward
from miningflow.learn.threads import single_blas_thread

_SEARCHES = {"backward": backward, "forward": forward}


class XiAlphaSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Selects columns for a binary target by a greedy search with one training run per subset.

    After T. Euler, Feature Selection with Support Vector Machines (2002). A level of the search
    tries every neighbour of the current subset; the best is taken if its estimated error is lower,
    or also if it is equal with `accept_equal`. The first of equal candidates wins. Columns of one
    number in `groups` stay together; at least `minimum` groups are kept, better or not.

    Columns are centred but not scaled: standardise them first. The linear kernel is scaled to a
    mean diagonal of 1 for each subset, so `C` means the same for any number of columns; keep it
    near 1. `gamma=None` is scikit-learn's "scale" for each subset. With `rho=2` the estimate is not
    below the leave-one-out error; `rho=1` is the paper's.

    `callback` sees each trial when it has been made, before any of its level is accepted; `trace_`
    has them all with the outcome, also after an interrupt.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"linear", "radial"})],
        "C": [Interval(Real, 0, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="neither"), None],
        "tolerance": [Interval(Real, 0, None, closed="neither")],
        "direction": [StrOptions(set(_SEARCHES))],
        "accept_equal": ["boolean"],
        "rho": [Interval(Real, 0, None, closed="neither")],
        "groups": ["array-like", None],
        "minimum": [Interval(Integral, 1, None, closed="left")],
        "callback": [callable, None],
    }

    support_: NDArray[np.bool_]
    group_support_: NDArray[np.bool_]
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
        accept_equal: bool = False,
        rho: float = 2.0,
        groups: Sequence[int] | NDArray[np.integer[Any]] | None = None,
        minimum: int = 1,
        callback: Callable[[Trial], object] | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.tolerance = tolerance
        self.direction = direction
        self.accept_equal = accept_equal
        self.rho = rho
        self.groups = groups
        self.minimum = minimum
        self.callback = callback

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Searches for the subset of columns with the lowest estimated error."""
        self._validate_params()
        examples, target = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        signs = _signs(target)
        groups = self._groups()
        estimate = XiAlphaEstimate(signs, self.C, self.rho, self.tolerance)
        trace = Trace(self.callback)
        try:
            with single_blas_thread():
                columns = ColumnGroups.of(examples, groups, self._kernel())
                search = _SEARCHES[self.direction]
                chosen = search(columns, estimate, self.accept_equal, self.minimum, trace)
        finally:
            self.trace_ = trace.trials
        self.error_ = chosen.error
        self.support_ = np.isin(groups, chosen.subset)
        self.group_support_ = np.isin(np.unique(groups), chosen.subset)
        return self

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
        count = len(np.unique(groups))
        if self.minimum > count:
            raise ValueError(f"minimum={self.minimum} groups cannot be kept; there are {count}")
        return groups.astype(np.intp)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


def _signs(y: NDArray[Any]) -> NDArray[np.float64]:
    """Returns +1 for the second class in sorted order and -1 for the first."""
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}."
        )
    classes = np.unique(y)
    if len(classes) < 2:
        raise ValueError(f"The target has one class, {classes[0]!r}; two are needed.")
    return np.where(y == classes[1], 1.0, -1.0)
