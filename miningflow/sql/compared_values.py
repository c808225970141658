"""The texts that blocks compare their columns with, such as learned categories and codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from miningflow.sql.block import Append, Block, PerEngine, Scan, Source

Compared = dict[tuple[str, str], set[str]]
"""Scan and column → the texts that its values are compared with."""


def compared_values(blocks: Mapping[str, Block], dialect: str) -> Compared:
    """Returns what the columns of tables are compared with that are not among the blocks."""
    tracing = _Tracing(blocks, dialect)
    for block in blocks.values():
        tracing.look_at(block)
    return tracing.found


class _Tracing:
    """Follows columns from where they are compared to the tables that they come from."""

    def __init__(self, blocks: Mapping[str, Block], dialect: str) -> None:
        self.blocks = blocks
        self.dialect = dialect
        self.found: Compared = {}
        self.done: set[tuple[int, str, str]] = set()

    def look_at(self, source: Source) -> None:
        """Notes the comparisons of a block and of those that it reads."""
        match source:
            case PerEngine():
                self.look_at(source.block(self.dialect))
            case Append(branches):
                for branch in branches:
                    self.look_at(branch)
            case Block():
                for column, value in _comparisons(source):
                    self._follow(source, column, value)
                for below in source.inputs.values():
                    self.look_at(below)

    def _follow(self, block: Block, column: exp.Column, value: str) -> None:
        source = block.inputs.get(column.table)
        if source is not None:
            self._note(source, column.name, value)

    def _note(self, source: Source, name: str, value: str) -> None:
        match source:
            case PerEngine():
                self._note(source.block(self.dialect), name, value)
            case Append(branches):
                for branch in branches:
                    self._note(branch, name, value)
            case Block():
                key = id(source.columns), name, value
                if key in self.done or name not in source.columns:
                    return
                self.done.add(key)
                for column in _passed_on(source.columns[name]):
                    self._follow(source, column, value)
            case Scan(table):
                if table in self.blocks:
                    self._note(self.blocks[table], name, value)
                else:
                    self.found.setdefault((table, name), set()).add(value)


def _comparisons(block: Block) -> Iterator[tuple[exp.Column, str]]:
    trees = [*block.columns.values(), *block.where, *block.group, *block.order]
    trees += [join.on for join in block.joins if join.on is not None]
    for tree in trees:
        for node in tree.find_all(exp.EQ, exp.NEQ, exp.In, exp.Case):
            sides = _sides(node)
            values = [side.this for side in sides if _is_text(side)]
            if values:
                for side in sides:
                    for column in _passed_on(side):
                        yield from ((column, value) for value in values)


def _sides(node: exp.Expr) -> list[exp.Expr]:
    """Returns what a comparison compares."""
    match node:
        case exp.In():
            return [node.this, *node.expressions]
        case exp.Case():
            return [node.this, *(branch.this for branch in node.args["ifs"])] if node.this else []
    return [node.this, node.expression]


def _passed_on(tree: exp.Expr) -> Iterator[exp.Column]:
    """Returns the columns whose values a tree may have, unchanged."""
    match tree:
        case exp.Column():
            yield tree
        case exp.Paren() | exp.Cast() | exp.Collate() | exp.Min() | exp.Max():
            yield from _passed_on(tree.this)
        case exp.Coalesce():
            for part in (tree.this, *tree.expressions):
                yield from _passed_on(part)
        case exp.Case():
            for branch in tree.args["ifs"]:
                yield from _passed_on(branch.args["true"])
            if tree.args.get("default") is not None:
                yield from _passed_on(tree.args["default"])


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)
