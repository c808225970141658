"""What a comparison of selectors is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from miningflow.learn.selection.comparison_metrics import METRICS, Metric
from miningflow.warn import ResultWarning
from miningflow.warn.of_comparisons import comparison_warnings

if TYPE_CHECKING:
    import pandas as pd

FEWEST_ROWS = 20
MOST_FOLDS = 100


@dataclass(frozen=True)
class Question:
    """Which selectors to compare by what, on how many rows, in how many folds."""

    selectors: tuple[str, ...] = ()
    rows: int = 1000
    folds: int = 5
    metric: str = "error"


@dataclass(frozen=True)
class Comparison:
    """The result of a comparison: a curve for each selector, and what it was measured on."""

    step: str
    features: tuple[str, ...]
    rows: int
    folds: int
    metric: str
    constant: float
    """The metric of the best machine that gives all rows the same answer."""
    constant_error: float
    """The error of always answering with the most frequent class."""
    curves: tuple[Any, ...]
    advice: Any
    advised_step: str
    """The advice as a complete step of the case, in YAML."""
    left_out: Mapping[str, str]
    """Selectors that cannot be used on these data, and why."""
    always_kept: Mapping[str, tuple[str, ...]]
    """For selectors that cannot drop every feature, those that they keep."""
    operators: Mapping[str, str]
    """The operator of each selector."""

    @property
    def beats_constant(self) -> bool:
        """Returns whether the best result is better than one answer for all rows.

        It must be better by more than its standard error.
        """
        metric = self._metric
        worst = metric.sorted(self.advice.best) + float(self.advice.standard_error)
        return worst < metric.sorted(self.constant)

    @property
    def warnings(self) -> tuple[ResultWarning, ...]:
        """Returns what makes the comparison doubtful, and what to do about it."""
        return comparison_warnings(
            self.step, self.metric, self.advice.best, self.constant, self.beats_constant
        )

    @property
    def _metric(self) -> Metric:
        return METRICS[self.metric]

    def __repr__(self) -> str:
        names = ", ".join(curve.contestant.name for curve in self.curves)
        return f"<Comparison at {self.step!r} by {self.metric}: {names}>"

    def _repr_html_(self) -> str:
        from miningflow.verbs.compare.page import comparison_page

        return comparison_page(self)

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each selector and number of features."""
        import pandas as pd

        columns = ["selector", "operator", "features", self.metric, "deviation", "seconds"]
        rows = [
            [c.contestant.name, self.operators[c.contestant.name], size, mean, deviation, c.seconds]
            for c in self.curves
            for size, mean, deviation in zip(c.sizes, c.means, c.deviations, strict=True)
        ]
        return pd.DataFrame(rows, columns=columns)
