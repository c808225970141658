"""Lineage of blocks: which columns of scans a column is made of, and which decide on the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from miningflow.sql.block import Append, Block, Named, PerEngine, Recursion, Scan, Source, Values

How = Literal[
    "IDENTITY",
    "TRANSFORMATION",
    "AGGREGATION",
    "JOIN",
    "GROUP_BY",
    "FILTER",
    "SORT",
    "WINDOW",
    "CONDITIONAL",
]
"""What becomes of a value. The first three are direct: the value itself is used."""

_DIRECT: tuple[How, ...] = ("IDENTITY", "TRANSFORMATION", "AGGREGATION")
# Functions over several rows that give the value of one of them.
_OF_ONE_ROW = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)


@dataclass(frozen=True, order=True)
class Use:
    """A column of a scan, and how it is used."""

    source: str
    column: str
    how: How

    @property
    def is_direct(self) -> bool:
        """Returns whether its values are used, and not only looked at."""
        return self.how in _DIRECT

    def then(self, how: How) -> Use:
        """Returns the use of a column that is made by this use, when it is used in turn."""
        if not self.is_direct:
            return self if how in _DIRECT else Use(self.source, self.column, how)
        return Use(self.source, self.column, _combined(self.how, how))


Uses = frozenset[Use]
Columns = Mapping[str, Uses]


@dataclass(frozen=True)
class Lineage:
    """What the columns of a block are made of, and what decides which rows it has."""

    columns: Columns
    rows: Uses


def lineage(block: Block) -> Lineage:
    """Follows the columns of a block to the scans that it reads; literal tables have none."""
    return _of_block(block, {}, {})


def scanned(source: Source) -> set[str]:
    """Names what a block scans, whether columns of it are used or only rows."""
    match source:
        case Scan(name):
            return {name}
        case Block():
            return {name for inner in source.inputs.values() for name in scanned(inner)}
        case Append(branches):
            return {name for branch in branches for name in scanned(branch)}
        case PerEngine() | Recursion():
            return scanned(source.rows)
    return set()


def _of_block(block: Block, outer: Mapping[str, Columns], named: Mapping[str, Columns]) -> Lineage:
    """Follows a block that may read inputs around it (lateral), and parts of a recursion."""
    inputs: dict[str, Columns] = dict(outer)
    rows: set[Use] = set()
    for alias, source in block.inputs.items():
        found = _of_source(source, inputs, named)
        inputs[alias] = found.columns
        rows |= found.rows
    for trees, how in _deciding(block):
        rows |= {use for tree in trees for use in _uses(tree, how, inputs)}
    columns = {n: frozenset(_uses(t, "IDENTITY", inputs)) for n, t in block.columns.items()}
    return Lineage(columns, frozenset(rows))


def _deciding(block: Block) -> Iterator[tuple[Iterable[exp.Expression], How]]:
    yield [join.on for join in block.joins if join.on is not None], "JOIN"
    yield block.where, "FILTER"
    yield block.group, "GROUP_BY"
    yield block.order, "SORT"


def _of_source(
    source: Source, outer: Mapping[str, Columns], named: Mapping[str, Columns]
) -> Lineage:
    match source:
        case Scan(name, columns):
            whole = {c: frozenset([Use(name, c, "IDENTITY")]) for c in columns}
            return Lineage(whole, frozenset())
        case Values(columns=columns):
            return Lineage(dict.fromkeys(columns, frozenset()), frozenset())
        case Named(name):
            return Lineage(named[name], frozenset())
        case Append(branches):
            return _together(_of_block(branch, outer, named) for branch in branches)
        case PerEngine():
            return _of_engine(source, outer, named)
        case Recursion():
            return _of_recursion(source, outer, named)
        case Block():
            return _of_block(source, outer, named)


def _of_engine(
    source: PerEngine, outer: Mapping[str, Columns], named: Mapping[str, Columns]
) -> Lineage:
    """Takes a model at its word: what it adds is made of all that it reads, on every engine."""
    found = _of_block(source.rows, outer, named)
    read = {use for name in source.shapes.inputs for use in found.columns[name]}
    made = frozenset(use.then("TRANSFORMATION") for use in read)
    columns = {n: made if n in source.shapes.outputs else found.columns[n] for n in source.columns}
    return Lineage(columns, found.rows)


def _of_recursion(
    source: Recursion, outer: Mapping[str, Columns], named: Mapping[str, Columns]
) -> Lineage:
    """Goes round until nothing is added: a row may be made of all rows before it."""
    rows = _of_block(source.rows, outer, named)
    inside = {**named, source.rows_name: rows.columns}
    found = _of_block(source.first, outer, inside)
    while True:
        inside[source.name] = found.columns
        further = _together([found, _of_block(source.then, outer, inside)])
        if further == found:
            return Lineage(found.columns, found.rows | rows.rows)
        found = further


def _together(parts: Iterable[Lineage]) -> Lineage:
    columns: dict[str, Uses] = {}
    rows: Uses = frozenset()
    for part in parts:
        for name, uses in part.columns.items():
            columns[name] = columns.get(name, frozenset()) | uses
        rows |= part.rows
    return Lineage(columns, rows)


def _uses(tree: exp.Expression, how: How, inputs: Mapping[str, Columns]) -> Iterator[Use]:
    """Returns what an expression reads; `how` is what becomes of its value."""
    if isinstance(tree, exp.Column):
        found = inputs.get(tree.table, {}).get(tree.name, frozenset())
        yield from (use.then(how) for use in found)
        return
    for child, changed in _children(tree):
        yield from _uses(child, _combined(how, changed), inputs)


def _children(tree: exp.Expression) -> Iterator[tuple[exp.Expression, How]]:
    match tree:
        case exp.Case():
            if tree.this:
                yield tree.this, "CONDITIONAL"
            for branch in tree.args["ifs"]:
                yield branch.this, "CONDITIONAL"
                yield branch.args["true"], "TRANSFORMATION"
            if tree.args.get("default"):
                yield tree.args["default"], "TRANSFORMATION"
        case exp.If():
            yield tree.this, "CONDITIONAL"
            results = [tree.args.get("true"), tree.args.get("false")]
            yield from ((result, "TRANSFORMATION") for result in results if result is not None)
        case exp.Filter():
            yield tree.this, "IDENTITY"
            yield tree.expression, "FILTER"
        case exp.Window():
            yield tree.this, "IDENTITY"
            others = [tree.args.get("order"), *(tree.args.get("partition_by") or ())]
            yield from ((other, "WINDOW") for other in others if other is not None)
        case exp.Paren():
            yield tree.this, "IDENTITY"
        case _:
            many = isinstance(tree, exp.AggFunc) and not isinstance(tree, _OF_ONE_ROW)
            changed: How = "AGGREGATION" if many else "TRANSFORMATION"
            yield from ((child, changed) for child in tree.iter_expressions())


def _combined(first: How, second: How) -> How:
    """Returns what becomes of a value that is used in one way, and then in another."""
    if first in _DIRECT and second in _DIRECT:
        return max(first, second, key=_DIRECT.index)
    return first if first not in _DIRECT else second
