"""Printing trees for an engine: quoted names, double literals, a comment above."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import ErrorLevel

DIALECTS = ("duckdb", "postgres", "spark")


def render(tree: exp.Expression, dialect: str, comment: str = "") -> str:
    """Prints a tree; names are always quoted, numbers are doubles, the step stands above."""
    if dialect == "postgres":
        tree = tree.transform(_postgres_double)
    sql: str = tree.sql(
        dialect=dialect, identify=True, pretty=True, unsupported_level=ErrorLevel.RAISE
    )
    return f"-- {one_line(comment)}\n{sql}" if comment else sql


def one_line(comment: str) -> str:
    """Makes text safe for a SQL line comment."""
    return " ".join(comment.split())


def _postgres_double(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.Literal) and not node.is_string and "e" in node.name:
        return exp.cast(node.copy(), "double")
    return node
