"""Counts, shares and sums over rows as SQL trees, in doubles."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from miningflow.sql.conditions import when
from miningflow.sql.literals import double


def as_double(tree: exp.Expression) -> exp.Expression:
    """Casts a number to a double."""
    return exp.Cast(this=tree, to=exp.DataType.build("double"))


def row_count() -> exp.Expression:
    """Counts rows."""
    return as_double(exp.Count(this=exp.Star()))


def count_if(condition: exp.Expression) -> exp.Expression:
    """Counts the rows for which a condition holds."""
    return sum_if(condition, double(1))


def sum_if(condition: exp.Expression, value: exp.Expression) -> exp.Expression:
    """Adds up a value over the rows for which a condition holds; 0 if there are none."""
    return exp.Sum(this=when(condition.copy(), value.copy(), double(0)))


def share(part: exp.Expression, whole: exp.Expression) -> exp.Expression:
    """Divides; NULL where the whole is zero."""
    top = _enclosed(part.copy())
    return exp.Div(this=top, expression=exp.Nullif(this=whole.copy(), expression=double(0)))


def plus(*parts: exp.Expression) -> exp.Expression:
    """Adds numbers."""
    found = parts[0].copy()
    for part in parts[1:]:
        found = exp.Add(this=found, expression=part.copy())
    return found


def minus(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """Subtracts one number from another."""
    return exp.Sub(this=left.copy(), expression=_enclosed(right.copy()))


def times(*factors: exp.Expression) -> exp.Expression:
    """Multiplies numbers."""
    found = _enclosed(factors[0].copy())
    for factor in factors[1:]:
        found = exp.Mul(this=found, expression=_enclosed(factor.copy()))
    return found


def over_groups(
    aggregate: exp.Expression,
    groups: Iterable[exp.Expression],
    order: exp.Expression | None = None,
) -> exp.Expression:
    """Computes what holds for the group of a row; with an order, for its rows up to this one."""
    ordered = exp.Ordered(this=order, nulls_first=False) if order else None
    return exp.Window(
        this=aggregate,
        partition_by=[group.copy() for group in groups],
        order=exp.Order(expressions=[ordered]) if ordered else None,
    )


def _enclosed(tree: exp.Expression) -> exp.Expression:
    return exp.Paren(this=tree) if isinstance(tree, exp.Binary) else tree
