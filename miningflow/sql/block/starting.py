"""Functions that start a block: over one source, over joined sources, over groups of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from miningflow.sql.block.block import NESTED, Block, Join, Source, passed_on


def over(source: Source) -> Block:
    """Starts a block that has all columns of a source; a block that can be fused stays itself."""
    if isinstance(source, Block):
        return source if source.fusable else source.layered()
    return Block({name: passed_on(name) for name in source.columns}, {NESTED: source})


def beside(sources: Mapping[str, Source], joins: Iterable[Join]) -> Block:
    """Starts a block over several joined sources; its columns are still to be chosen."""
    return Block({}, dict(sources), tuple(joins))


def grouped(
    source: Source,
    by: Iterable[str] | Mapping[str, str],
    aggregates: Mapping[str, exp.Expression],
) -> Block:
    """Aggregates a source, by columns or over all rows; expressions use feature names.

    A map `by` renames columns in the result: new name → column.
    """
    names = by if isinstance(by, Mapping) else {name: name for name in by}
    keys = {new: passed_on(name) for new, name in names.items()}
    trees = {name: qualified(tree, NESTED) for name, tree in aggregates.items()}
    return Block({**keys, **trees}, {NESTED: source}, group=tuple(keys.values()))


def qualified(tree: exp.Expression, alias: str) -> exp.Expression:
    """Copies an expression over feature names as one over the columns of an input."""
    copy = tree.copy()
    for node in copy.find_all(exp.Column):
        node.set("table", exp.to_identifier(alias, quoted=True))
    return copy
