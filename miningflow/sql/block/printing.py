"""Tables, subqueries and columns of a SELECT, named and quoted."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from miningflow.sql.literals import column

Naming = Callable[[str], exp.Table]
"""Returns the table that holds the rows of a step, of a source concept or of a literal table."""


def named_table(name: str) -> exp.Table:
    """Refers to a table by its exact name."""
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def aliased(table: exp.Table, alias: str, lone: bool) -> exp.Table:
    """Adds the alias of a table; the only input of a SELECT needs none."""
    if not lone:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    return table


def subquery(rows: exp.Expression, alias: str) -> exp.Subquery:
    """Puts a SELECT in parentheses, with an alias."""
    return exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def named_column(name: str, tree: exp.Expression) -> exp.Expression:
    """Names what a SELECT computes; a column that keeps its name is not named again."""
    if isinstance(tree, exp.Column) and tree.name == name:
        return tree
    return exp.Alias(this=tree, alias=exp.to_identifier(name, quoted=True))


def without_qualifier(tree: exp.Expression, lone: str | None) -> exp.Expression:
    """Copies an expression; with a lone input the qualifiers only clutter."""
    if isinstance(tree, exp.Column):  # most columns are only passed on
        return column(tree.name, None if tree.table == lone else tree.table or None)
    copy = tree.copy()
    if lone is not None:
        for node in copy.find_all(exp.Column):
            if node.table == lone:
                node.set("table", None)
    return copy
