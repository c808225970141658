"""Selection that drops features which repeat others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from miningflow.declare import (
    Feature,
    LearningError,
    Selection,
    TrainingRows,
    number,
    operator,
)
from miningflow.declare.selection import Trial
from miningflow.learn.selection.class_sums import ClassSums

from .selection_learned import LearnedSelection, superset


@operator
class StatisticalFeatureSelection(LearnedSelection):
    """Drops features that are correlated with one that stays.

    The attributes are gone through in the order they are listed: one stays if its correlation with
    every one that stayed before is at most `threshold`, up or down. So list first what you would
    rather keep. A constant feature is correlated with nothing, and stays. The correlations come
    from sums that are streamed from all rows.
    """

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
        "the highest correlation, up or down, that is borne", default=0.9, minimum=0, maximum=1
    )

    def select(self, rows: TrainingRows) -> Selection:
        """Streams the sums, then goes through the attributes."""
        trace = correlated(rows, self.names(), self.threshold)
        kept = tuple(t.changed for t in trace if t.accepted)
        dropped = tuple(t.changed for t in trace if not t.accepted)
        reason = correlation_reason(self.threshold)
        scores = {t.changed: t.value for t in trace}
        return Selection(kept, dropped, reason, scores, trace, "correlation")


def correlation_reason(threshold: float) -> str:
    """Says why a feature was dropped."""
    return f"correlated by more than {threshold:g} with a feature that stays"


def correlated(
    rows: TrainingRows, names: Sequence[str], threshold: float, known: Sequence[str] = ()
) -> tuple[Trial, ...]:
    """Goes through features; each is accepted, or too much like one that was accepted before.

    Rows in which one of the `known` features is NULL do not count either.
    """
    sums = ClassSums(len(names))
    for batch in rows.batches([*names, *known]):
        matrix = np.column_stack([batch[name] for name in names])
        sums.add(matrix, np.full(len(matrix), "all", dtype=object))
        rows.progress(0.0, f"{sums.rows:,.0f} rows read")
    if sums.rows < 2:
        raise LearningError(
            "fewer than two rows to learn from have all attributes known",
            "fill missing values first, for example with AssignAverageValue",
        )
    correlations = np.abs(sums.gram()) / sums.rows
    kept: list[int] = []
    trace: list[Trial] = []
    for i, name in enumerate(names):
        highest = max((float(correlations[i, k]) for k in kept), default=0.0)
        stays = highest <= threshold
        if stays:
            kept.append(i)
        trace.append(Trial(i + 1, tuple(names[k] for k in kept), name, highest, stays))
    return tuple(trace)
