"""Measures of predictions as three layers of SQL, and the columns that they are computed from."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from miningflow.sql.conditions import is_known
from miningflow.sql.literals import column

PART = "part"
GROUP = "group"
ACTUAL = "actual"
PREDICTED = "predicted"
DECISION = "decision"
PROBABILITY = "probability"


@dataclass(frozen=True)
class Measures:
    """What each row needs to know of the others, sums over rows, and measures made of the sums."""

    windows: dict[str, exp.Expression] = field(default_factory=dict)
    sums: dict[str, exp.Expression] = field(default_factory=dict)
    measures: dict[str, exp.Expression] = field(default_factory=dict)

    def __or__(self, other: Measures) -> Measures:
        return Measures(
            self.windows | other.windows, self.sums | other.sums, self.measures | other.measures
        )


def both_known(*names: str) -> exp.Expression:
    """Holds for rows in which all of these columns have a value."""
    known = exp.and_(*(is_known(column(name)) for name in names), copy=False)
    return exp.Paren(this=known)
