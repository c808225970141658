"""Correlations between numeric features, from sums that are streamed from all rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from miningflow.declare import LearningError, TrainingRows
from miningflow.declare.selection import Trial
from miningflow.learn.selection.class_sums import ClassSums


def drop_correlated(
    rows: TrainingRows, names: Sequence[str], threshold: float, known: Sequence[str] = ()
) -> tuple[Trial, ...]:
    """Tries features in their order; accepts one if no accepted feature is too correlated with it.

    Rows in which one of the `known` features is NULL are left out as well.
    """
    sums = ClassSums(len(names))
    for batch in rows.batches([*names, *known]):
        matrix = np.column_stack([batch[name] for name in names])
        sums.add(matrix, np.full(len(matrix), "all", dtype=object))
        rows.progress(0.0, f"{sums.rows:,.0f} rows read")
    if sums.rows < 2:
        raise LearningError(
            "fewer than two training rows have a value for every attribute",
            "fill missing values first, for example with AssignAverageValue",
        )
    correlations = np.abs(sums.gram()) / sums.rows
    accepted: list[int] = []
    trace: list[Trial] = []
    for i, name in enumerate(names):
        highest = max((float(correlations[i, k]) for k in accepted), default=0.0)
        stays = highest <= threshold
        if stays:
            accepted.append(i)
        trace.append(Trial(i + 1, tuple(names[k] for k in accepted), name, highest, stays))
    return tuple(trace)


def correlation_reason(threshold: float) -> str:
    """Returns the reason why a feature was dropped."""
    return f"correlated by more than {threshold:g} with a feature that stays"
