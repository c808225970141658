"""NaN and infinity as NULL: engines compare them as numbers, and would make up a class."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.conditions import when
from miningflow.sql.literals import double

# Beyond this a value is infinite, NaN (which compares as greater than everything), or about to be.
GREATEST = 1e300


def is_finite(tree: exp.Expression) -> exp.Expression:
    """Holds for numbers; not for NULL, NaN and infinity."""
    return exp.Between(this=tree, low=double(-GREATEST), high=double(GREATEST))


def finite(tree: exp.Expression) -> exp.Expression:
    """Returns the number itself, and NULL for NaN and infinity."""
    return when(is_finite(tree), tree.copy())
