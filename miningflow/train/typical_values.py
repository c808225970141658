"""Typical values of features: means, and most frequent values."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from miningflow.declare import Feature, LearningError, TrainingRows
from miningflow.declare.rows import learned_number
from miningflow.sql.literals import column, unused

MOST_VALUES = 1_000_000


def typical_values(rows: TrainingRows, features: Sequence[Feature]) -> dict[str, str | float]:
    """Returns the mean of each numeric feature, and the most frequent value of each nominal one."""
    numeric = [f.name for f in features if f.type == "numeric"]
    values: dict[str, str | float] = {**means(rows, numeric)} if numeric else {}
    values |= {f.name: most_frequent(rows, f.name)[0] for f in features if f.type != "numeric"}
    return values


def means(rows: TrainingRows, features: Sequence[str]) -> dict[str, float]:
    """Returns the mean of the known values of each numeric feature."""
    found = rows.aggregate(
        {f"mean {i}": exp.Avg(this=column(name)) for i, name in enumerate(features)}
    )
    return {name: learned_number(found[f"mean {i}"], name) for i, name in enumerate(features)}


def most_frequent(rows: TrainingRows, feature: str) -> tuple[str, float]:
    """Returns the most frequent value of a nominal feature, and its share of the known values.

    If several values are equally frequent, the first in alphabetical order is returned.
    """
    n = unused("n", [feature])
    groups = rows.groups([feature], {n: exp.Count(this=exp.Star())}, most=MOST_VALUES)
    counts = {group[feature]: int(group[n]) for group in groups if group[feature] is not None}
    if not counts:
        raise LearningError(
            f"feature {feature!r} has no known value in the training rows",
            "is it NULL everywhere? leave it out, or fill it from another source first",
        )
    value = min(counts, key=lambda v: (-counts[v], v))
    return value, counts[value] / sum(counts.values())
