"""The operator that drops features correlated with other features."""

from __future__ import annotations

from typing import ClassVar

from miningflow.declare import (
    Feature,
    Selection,
    TrainingRows,
    number,
    operator,
)
from miningflow.train.correlations import correlation_reason, drop_correlated

from .selection_learned import LearnedSelection, superset


@operator
class StatisticalFeatureSelection(LearnedSelection):
    """Drops features that are correlated with a feature that stays.

    The attributes are examined in the order in which they are listed: one stays if the absolute
    value of its correlation with every attribute that already stays is at most `threshold`. So list
    the features that you prefer to keep first. A constant feature is correlated with nothing, and
    stays. The correlations are computed from sums that are streamed from all rows.
    """

    alias: ClassVar[str] = "SelectUncorrelated"
    finds: ClassVar[tuple[str, ...]] = (
        "correlated",
        "correlation",
        "redundant",
        "collinear",
        "multicollinearity",
    )
    example: ClassVar[str] = """
    different:
      operator: StatisticalFeatureSelection
      input: Customer
      attributes: [age, income, household]
      nulls: drop_rows
      threshold: 0.9
    """

    attributes: tuple[Feature, ...] = superset("numeric")
    threshold: float = number(
        "the highest absolute correlation that is allowed", default=0.9, minimum=0, maximum=1
    )

    def select(self, rows: TrainingRows) -> Selection:
        """Computes the correlations, and examines the attributes in order."""
        trace = drop_correlated(rows, self.names(), self.threshold)
        kept = tuple(t.changed for t in trace if t.accepted)
        dropped = tuple(t.changed for t in trace if not t.accepted)
        reason = correlation_reason(self.threshold)
        scores = {t.changed: t.value for t in trace}
        return Selection(kept, dropped, reason, scores, trace, "correlation")
