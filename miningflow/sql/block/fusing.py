"""Fusing: an expression over features becomes one over what a SELECT computes for them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

# A fused expression may grow to this many nodes or levels before it gets its own SELECT:
# substituting without a limit doubles it with every step that uses a feature twice.
MOST_NODES = 400
MOST_LEVELS = 60

_ATOMS = (exp.Column, exp.Literal, exp.Paren, exp.Func, exp.Case, exp.Cast)


def fused(tree: exp.Expression, columns: Mapping[str, exp.Expression]) -> exp.Expression:
    """Replaces feature names by what `columns` computes for them."""
    if isinstance(tree, exp.Column):
        return columns[tree.name].copy()
    copy = tree.copy()
    for node in list(copy.find_all(exp.Column)):
        inner = columns[node.name].copy()
        node.replace(inner if isinstance(inner, _ATOMS) else exp.Paren(this=inner))
    return copy


def stays_small(tree: exp.Expression, columns: Mapping[str, exp.Expression]) -> bool:
    """Returns whether an expression, once fused, keeps within the limits."""
    nodes, levels, simple = 0, 0, True
    for node in tree.find_all(exp.Column):
        inner = columns[node.name]
        if not isinstance(inner, exp.Column):
            simple = False
            size, height = _extent(inner)
            nodes, levels = nodes + size, max(levels, height)
    if simple:
        return True
    size, height = _extent(tree)
    return nodes + size <= MOST_NODES and levels + height <= MOST_LEVELS


def _extent(tree: exp.Expression) -> tuple[int, int]:
    """Counts the nodes and the levels of a tree."""
    nodes, levels, stack = 0, 0, [(tree, 1)]
    while stack:
        node, level = stack.pop()
        nodes, levels = nodes + 1, max(levels, level)
        stack += [(child, level + 1) for child in node.iter_expressions()]
    return nodes, levels
