"""Printing trees for an engine: quoted names, double literals, a comment above."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import ErrorLevel, UnsupportedError

DIALECTS = ("duckdb", "postgres", "spark")

# What only DuckDB has; printed for another engine it would be wrong, so it is refused by name.
DUCKDB_ONLY = ("LIST_SUM", "LIST_DISTANCE", "LIST_INNER_PRODUCT")


class NotInDialect(ValueError):
    """The tree has something that an engine cannot do."""


def render(tree: exp.Expression, dialect: str, comment: str = "") -> str:
    """Prints a tree; names are always quoted, numbers are doubles, the step stands above.

    The printer may change the tree, so it is not to be used again: copying each took half the time.
    """
    if dialect != "duckdb":
        for node in tree.find_all(exp.Anonymous):
            if node.name in DUCKDB_ONLY:
                raise NotInDialect(
                    f"{dialect} has no {node.name}, which a table of support vectors needs"
                )
    if dialect == "postgres":
        tree = tree.transform(_postgres_double)
    try:
        sql: str = tree.sql(
            dialect=dialect,
            identify=True,
            pretty=True,
            copy=False,
            unsupported_level=ErrorLevel.RAISE,
        )
    except UnsupportedError as error:
        raise NotInDialect(str(error)) from None
    return f"-- {one_line(comment)}\n{sql}" if comment else sql


def one_line(comment: str) -> str:
    """Makes text safe for a SQL line comment."""
    return " ".join(comment.split())


def _postgres_double(node: exp.Expression) -> exp.Expression:
    if isinstance(node, exp.Literal) and not node.is_string and "e" in node.name:
        return exp.cast(node.copy(), "double")
    return node
