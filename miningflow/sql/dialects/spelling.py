"""Spells a tree for a dialect: every node is known to be right there, or refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from sqlglot import exp

from miningflow.sql.dialects.dialect import Dialect, NotInDialect, Spelling


def spelled(tree: exp.Expression, dialect: Dialect) -> exp.Expression:
    """Returns a statement as the dialect writes it, or raises NotInDialect."""
    if dialect.before is not None:
        tree = dialect.before(tree)
    if dialect.nodes is not None:
        tree = _node_by_node(tree, dialect, dialect.nodes)
        refuse_long(tree, dialect)
    elif dialect.calls is not None:
        for node in tree.find_all(exp.Anonymous):
            if node.name not in dialect.calls:
                raise NotInDialect(f"{dialect.name} has no {node.name}")
    return dialect.after(tree) if dialect.after is not None else tree


def _node_by_node(
    tree: exp.Expression, dialect: Dialect, nodes: Mapping[type[exp.Expression], Spelling]
) -> exp.Expression:
    every = cast(list[exp.Expression], list(tree.walk(bfs=False)))
    for node in reversed(every):  # parts before what they are parts of
        if isinstance(node, exp.Anonymous):
            spelling = (dialect.calls or {}).get(node.name)
            if spelling is None:
                raise dialect.refused(node.name)
        else:
            spelling = nodes.get(type(node))
            if spelling is None:
                raise dialect.refused(type(node))
        new = spelling(node)
        if new is node:
            continue
        if node is tree:
            tree = new
        else:
            node.replace(new)
    return tree


def refuse_long(tree: exp.Expression, dialect: Dialect) -> None:
    """Refuses names and SELECTs that are longer than an engine has them."""
    for node in tree.find_all(exp.Identifier, exp.Select):
        if isinstance(node, exp.Select):
            most = dialect.most_columns
            if most is not None and len(node.expressions) > most:
                raise NotInDialect(
                    f"{dialect.name} has at most {most:,} columns, and this needs "
                    f"{len(node.expressions):,}",
                    "use fewer features, a linear kernel, or dialect 'duckdb'",
                )
        else:
            longest = dialect.longest_name
            if longest is not None and len(node.name.encode()) > longest:
                raise NotInDialect(
                    f"{dialect.name} has no names of more than {longest} bytes: {node.name!r}",
                    "give the column a shorter name in a view",
                )


def called(name: str) -> Callable[[exp.Expression], exp.Expression]:
    """Spells a node as a call of a function of this name, with the same arguments in order."""

    def spell(node: exp.Expression) -> exp.Expression:
        return call(name, *node.iter_expressions())

    return spell


def call(name: str, *arguments: exp.Expression) -> exp.Expression:
    """Calls a function that the printer passes on as it is."""
    return exp.Anonymous(this=name, expressions=[tree.copy() for tree in arguments])
