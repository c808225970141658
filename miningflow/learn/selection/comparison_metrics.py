"""What selectors are compared by: measures of a machine on rows that it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from miningflow.learn.arrays import Labels, Matrix

MetricName = Literal["error", "accuracy", "f1", "auc"]


@dataclass(frozen=True)
class Metric:
    """A measure of predictions, of which either the lowest or the highest value is best."""

    name: MetricName
    lowest_is_best: bool
    of: Callable[[Labels, Labels, Matrix | None, str | None], float]
    """From the truth, the predictions, the decision values and the positive class."""
    needs_decisions: bool = False

    def best_constant(self, labels: Labels, positive: str | None) -> float:
        """Returns the best value of a machine that gives all rows the same answer."""
        if self.needs_decisions:
            return 0.5
        answers = [np.full_like(labels, answer) for answer in np.unique(labels)]
        values = [self.of(labels, answer, None, positive) for answer in answers]
        return min(values) if self.lowest_is_best else max(values)

    def sorted(self, value: float) -> float:
        """Returns the value so that the lowest is best."""
        return value if self.lowest_is_best else -value


def _error(truth: Labels, answers: Labels, decisions: Any, positive: str | None) -> float:
    return float(np.mean(answers != truth))


def _accuracy(truth: Labels, answers: Labels, decisions: Any, positive: str | None) -> float:
    return float(np.mean(answers == truth))


def _f1(truth: Labels, answers: Labels, decisions: Any, positive: str | None) -> float:
    """Returns F1 of the positive class, or the mean over all classes if there is none."""
    classes = [positive] if positive is not None else list(np.unique(truth))
    found = []
    for each in classes:
        hits = np.count_nonzero((truth == each) & (answers == each))
        named = np.count_nonzero(truth == each) + np.count_nonzero(answers == each)
        found.append(2 * hits / named if named else 0.0)
    return float(np.mean(found))


def _auc(truth: Labels, answers: Labels, decisions: Any, positive: str | None) -> float:
    """Returns how often a row of the second class outranks one of the first; ties count half."""
    first, second = np.unique(truth)
    low, high = decisions[truth == first], decisions[truth == second]
    order = np.sort(low)
    below = np.searchsorted(order, high, side="left")
    not_above = np.searchsorted(order, high, side="right")
    return float((below + not_above).sum() / (2 * len(low) * len(high)))


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("error", True, _error),
        Metric("accuracy", False, _accuracy),
        Metric("f1", False, _f1),
        Metric("auc", False, _auc, needs_decisions=True),
    )
}
