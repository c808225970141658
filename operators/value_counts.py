"""How often the values of a nominal feature occur, alone or by class."""

from __future__ import annotations

from sqlglot import exp

from miningflow.declare import LearningError, TrainingRows
from miningflow.sql.literals import unused

# What is learned is written down value by value.
MOST_VALUES = 100_000


def value_counts(rows: TrainingRows, feature: str) -> dict[str, int]:
    """Counts the known values of a nominal feature, in alphabetical order."""
    n = unused("n", [feature])
    how_many = {n: exp.Count(this=exp.Star())}
    counted = rows.groups([feature], how_many, most=MOST_VALUES + 2)
    known = {row[feature]: int(row[n]) for row in counted if row[feature] is not None}
    if not known:
        raise LearningError(
            f"feature {feature!r} has no known value in the rows to learn from",
            "is it NULL everywhere? leave it out, or fill it from elsewhere first",
        )
    if len(known) > MOST_VALUES:
        raise LearningError(
            f"{feature!r} has more than {MOST_VALUES:,} different values",
            "is it a key or a free text? bring it to fewer values with GenericFeatureConstruction",
        )
    return dict(sorted(known.items()))
