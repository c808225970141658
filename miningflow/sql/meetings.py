"""Where columns meet: those that a join compares, and those that a union puts under each other."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from miningflow.sql.block import Append, Block, PerEngine, Recursion, Scan, Source

Origin = tuple[str, str]
"""A column of a scan: the name of the source or step, and that of the column."""


def meetings(source: Source) -> Iterator[set[Origin]]:
    """Returns sets of columns whose values meet, passed on as they are, in a block or below it."""
    match source:
        case Block():
            yield from _joined(source)
            for inner in source.inputs.values():
                yield from meetings(inner)
        case Append(branches):
            for name in source.columns:
                yield {origin for branch in branches for origin in origins(branch, name)}
            for branch in branches:
                yield from meetings(branch)
        case PerEngine() | Recursion():
            yield from meetings(source.rows)


def origins(source: Source, name: str) -> set[Origin]:
    """Returns the columns of scans that a column passes on; none if it is computed."""
    match source:
        case Scan():
            return {(source.name, name)}
        case Block():
            return _passed_on(source.columns[name], source) if name in source.columns else set()
        case Append(branches):
            return {origin for branch in branches for origin in origins(branch, name)}
        case PerEngine():
            return origins(source.rows, name)
    return set()


def _joined(block: Block) -> Iterator[set[Origin]]:
    for join in block.joins:
        if join.on is not None:
            for equal in join.on.find_all(exp.EQ):
                yield _passed_on(equal.this, block) | _passed_on(equal.expression, block)


def _passed_on(tree: exp.Expression, block: Block) -> set[Origin]:
    match tree:
        case exp.Column() if tree.table in block.inputs:
            return origins(block.inputs[tree.table], tree.name)
        case exp.Coalesce():
            each = [tree.this, *tree.expressions]
            return {origin for one in each for origin in _passed_on(one, block)}
    return set()
