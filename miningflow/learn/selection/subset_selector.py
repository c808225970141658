"""What selectors share that search subsets of columns with one machine for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.scikit_learn import (
    Interval,
    StrOptions,
    validate_data,
)
from miningflow.learn.selection.binary_signs import binary_signs
from miningflow.learn.selection.column_selector import ColumnSelector, kernel_name
from miningflow.learn.selection.estimates import Estimate, SpanEstimate, XiAlphaEstimate
from miningflow.learn.selection.estimates_folds import CrossValidationEstimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.kernels import Kernel, LinearKernel, RadialKernel
from miningflow.learn.selection.parameter_words import OtherWord
from miningflow.learn.selection.screening import screened
from miningflow.learn.selection.search.subsets import Trace, Trial
from miningflow.learn.threads import single_blas_thread

EstimateName = Literal["xi_alpha", "span", "cross_validation"]
UsedEstimate = EstimateName | Literal["nested_cross_validation"]


class SubsetSelector(ColumnSelector):
    """A search for columns of a binary target; a subclass says how.

    `estimate_` names the estimate that was used, `screened_` and `group_support_` tell of the
    groups, in ascending order, which were searched and which were chosen.
    """

    _two_classes_only: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"linear", "radial", "rbf"})],
        "C": [Interval(Real, 0, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "estimate": [StrOptions({"xi_alpha", "span", "cross_validation"}), None],
        "rho": [Interval(Real, 0, None, closed="neither")],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "groups": ["array-like", None],
        "screen": [Interval(Integral, 1, None, closed="left"), None],
        "callback": [callable, None],
    }

    kernel: Literal["linear", "radial", "rbf"]
    C: float
    gamma: float | Literal["scale"] | None
    tol: float
    tolerance = OtherWord("tol")
    estimate: EstimateName | None
    rho: float
    cv: int
    folds = OtherWord("cv")
    groups: Sequence[int] | NDArray[np.integer[Any]] | None
    screen: int | None
    callback: Callable[[Trial], object] | None

    group_support_: Mask
    screened_: Mask
    error_: float
    estimate_: UsedEstimate
    _costs: Matrix | None
    trace_: tuple[Trial, ...]

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Searches for the subset of columns with the lowest estimated error."""
        self._validate_params()
        examples, target = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        signs = binary_signs(target)
        self._costs = self._costs_of(target)
        groups = self._groups()
        self._check_counts(len(np.unique(groups)))
        self.estimate_ = self._estimate_name()
        trace = Trace(self.callback)
        try:
            with single_blas_thread():
                columns = ColumnGroups.of(examples, groups, self._kernel())
                if self.screen is not None:
                    columns = screened(columns, signs, self.screen)
                chosen = self._search(columns, self._estimate(columns, signs), trace)
        finally:
            self.trace_ = trace.trials
        self.error_ = chosen.error
        self.support_ = np.isin(groups, chosen.subset)
        self.group_support_ = np.isin(np.unique(groups), chosen.subset)
        self.screened_ = np.isin(np.unique(groups), list(columns.parts))
        return self

    def _search(self, columns: ColumnGroups, estimate: Estimate, trace: Trace) -> Trial:
        raise NotImplementedError

    def _estimate_name(self) -> UsedEstimate:
        return self.estimate or "xi_alpha"

    def _check_counts(self, groups: int) -> None:
        """Refuses settings that ask for more groups than there are."""

    def _estimate(self, columns: ColumnGroups, signs: Matrix) -> Estimate:
        if self.estimate_ == "cross_validation":
            return CrossValidationEstimate.stratified(signs, self.C, self.tol, self.cv, self._costs)
        if self.estimate_ == "span":
            return SpanEstimate(signs, self.C, self.tol, self._costs)
        return XiAlphaEstimate(signs, self.C, self.rho, self.tol, self._costs)

    def _costs_of(self, target: NDArray[Any]) -> Matrix | None:
        """Returns what errors about rows cost, in units of C, if they differ."""
        return None

    def _kernel(self) -> Kernel:
        if kernel_name(self.kernel) == "linear":
            return LinearKernel()
        return RadialKernel(None if self.gamma == "scale" else self.gamma)

    def _groups(self) -> Indices:
        groups = np.arange(self.n_features_in_) if self.groups is None else np.asarray(self.groups)
        if groups.shape != (self.n_features_in_,) or groups.dtype.kind not in "iu":
            raise ValueError(
                f"groups must be one integer per column, {self.n_features_in_} of them; "
                f"got {groups.dtype} of shape {groups.shape}"
            )
        return groups.astype(np.intp)
