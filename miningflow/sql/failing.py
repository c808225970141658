"""An expression that fails when a row reaches it."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.literals import text

FAILS = "ERROR"


def failing(message: str) -> exp.Expression:
    """Returns an expression of any type that ends the query with a message."""
    return exp.Anonymous(this=FAILS, expressions=[text(message)])
