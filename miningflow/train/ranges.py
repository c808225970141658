"""The range of a numeric feature."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sqlglot import exp

from miningflow.declare import LearningError, TrainingRows
from miningflow.declare.rows import learned_number
from miningflow.sql.literals import column


@dataclass(frozen=True)
class Range:
    """The smallest and the largest value in the training rows."""

    low: float
    high: float


def learn_range(rows: TrainingRows, feature: str) -> Range:
    """Learns the range of a numeric feature."""
    found = rows.aggregate(
        {"low": exp.Min(this=column(feature)), "high": exp.Max(this=column(feature))}
    )
    low, high = (learned_number(found[end], feature) for end in ("low", "high"))
    if not math.isfinite(high - low):
        raise LearningError(
            f"the range of {feature!r} is too wide for a double: {low:g} to {high:g}",
            "bring its values closer together first, for example with GenericFeatureConstruction",
        )
    return Range(low, high)
