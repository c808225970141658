"""Conditions as SQL trees: known or NULL, and a value where a condition holds."""

from __future__ import annotations

from sqlglot import exp


def is_null(tree: exp.Expr) -> exp.Expression:
    """Holds where a value is NULL."""
    return exp.Is(this=tree, expression=exp.Null())


def is_known(tree: exp.Expr) -> exp.Expression:
    """Holds where a value is not NULL."""
    return exp.Not(this=is_null(tree))


def when(condition: exp.Expr, value: exp.Expr, otherwise: exp.Expr | None = None) -> exp.Case:
    """Returns a value where a condition holds, and another or NULL where it does not."""
    return exp.Case(ifs=[exp.If(this=condition, true=value)], default=otherwise)
