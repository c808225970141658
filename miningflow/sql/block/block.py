"""The block: one SELECT over named inputs, which operators extend step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, assert_never

from sqlglot import exp

from miningflow.sql.block.fusing import fused, stays_small
from miningflow.sql.block.per_engine import PerEngine
from miningflow.sql.block.printing import Naming, named_column, subquery, without_qualifier
from miningflow.sql.block.recursion import Recursion
from miningflow.sql.block.sources import Append, Named, Scan, Values
from miningflow.sql.dialects import DIALECTS
from miningflow.sql.literals import column

NESTED = "rows"
"""The alias of a lone input."""


@dataclass(frozen=True)
class Join:
    """How an input of a block is joined to those before it.

    A lateral input is a block that may read columns of the inputs before it, by their alias.
    """

    alias: str
    kind: Literal["inner", "left", "full", "cross", "lateral"]
    on: exp.Expression | None = None


@dataclass(frozen=True)
class Block:
    """One SELECT: named columns over named inputs, with conditions, groups, order and limit.

    Columns inside the expressions are qualified by the alias of their input.
    """

    columns: Mapping[str, exp.Expression]
    inputs: Mapping[str, Source]
    joins: tuple[Join, ...] = ()
    where: tuple[exp.Expression, ...] = ()
    group: tuple[exp.Expression, ...] = ()
    order: tuple[exp.Expression, ...] = ()
    limit: int | None = None

    def extend(self, added: Mapping[str, exp.Expression]) -> Block:
        """Adds columns, or replaces those of the same name; expressions use feature names."""
        base = self._fusable_with(added.values())
        columns = dict(base.columns)
        columns.update((name, fused(tree, base.columns)) for name, tree in added.items())
        return replace(base, columns=columns)

    def derive(self, columns: Mapping[str, exp.Expression]) -> Block:
        """Has exactly these columns; expressions use the names of the present ones."""
        base = self._fusable_with(columns.values())
        return replace(base, columns={n: fused(tree, base.columns) for n, tree in columns.items()})

    def filter(self, condition: exp.Expression) -> Block:
        """Keeps the rows for which a condition over feature names holds."""
        base = self._fusable_with([condition])
        return replace(base, where=(*base.where, fused(condition, base.columns)))

    def layered(self) -> Block:
        """Puts a SELECT around this one, so that what it computes is computed once."""
        return Block({name: passed_on(name) for name in self.columns}, {NESTED: self})

    def project(self, names: Iterable[str]) -> Block:
        """Keeps some columns, in the given order."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def first(self, most: int, order: Iterable[exp.Expression]) -> Block:
        """Keeps at most `most` rows, the first in an order over feature names."""
        keys = list(order)
        base = self._fusable_with(keys)
        return replace(base, order=tuple(fused(key, base.columns) for key in keys), limit=most)

    @property
    def fusable(self) -> bool:
        """Returns whether columns and conditions can be added to this very SELECT."""
        return not self.group and not self.order and self.limit is None

    def _fusable_with(self, trees: Iterable[exp.Expression]) -> Block:
        if self.fusable and all(stays_small(tree, self.columns) for tree in trees):
            return self
        return self.layered()

    def prune(self, needed: Iterable[str]) -> Block:
        """Drops the columns that nobody needs, down to the scans; conditions and keys stay."""
        wanted = set(needed)
        columns = {name: tree for name, tree in self.columns.items() if name in wanted}
        if not columns:  # a SELECT needs a column even where only the rows count
            name, tree = next(iter(self.columns.items()))
            columns = {name: tree}
        slim = replace(self, columns=columns)
        used = slim._used()
        inputs = {alias: source.prune(used[alias]) for alias, source in self.inputs.items()}
        return replace(slim, inputs=inputs)

    def users(self, step: str, wanted: Mapping[str, str]) -> dict[tuple[str, str], str]:
        """Returns for each column of a scan who needs it: this step, unless it only passes it on.

        `wanted` maps each column of this block to the step that needs it.
        """
        inner: dict[str, dict[str, str]] = {alias: {} for alias in self.inputs}
        for name, tree in self.columns.items():
            for node in tree.find_all(exp.Column):
                only_passed_on = node is tree
                if node.table in inner:
                    user = wanted.get(name, step) if only_passed_on else step
                    inner[node.table][node.name] = user
        for alias, name in self._read(columns={}):
            if alias in inner:
                inner[alias][name] = step
        found: dict[tuple[str, str], str] = {}
        for alias, source in self.inputs.items():
            found.update(source.users(step, inner[alias]))
        return found

    def reads(self, name: str) -> set[str]:
        """Returns the columns that are read of a part of a recursion, by this SELECT or below."""
        used, found = self._used(), set()
        for alias, source in self.inputs.items():
            if isinstance(source, Named) and source.name == name:
                found |= used[alias]
            elif isinstance(source, Block):
                found |= source.reads(name)
        return found

    def _used(self) -> dict[str, set[str]]:
        used: dict[str, set[str]] = {alias: set() for alias in self.inputs}
        for alias, name in self._read(self.columns):
            if alias in used:
                used[alias].add(name)
        return used

    def _read(self, columns: Mapping[str, exp.Expression]) -> set[tuple[str, str]]:
        """Returns alias and name of what conditions, keys, lateral inputs and some columns read."""
        trees = [*columns.values(), *self.where, *self.group, *self.order]
        trees += [join.on for join in self.joins if join.on is not None]
        found = {(node.table, node.name) for tree in trees for node in tree.find_all(exp.Column)}
        for join in self.joins:
            source = self.inputs[join.alias]
            if join.kind == "lateral" and isinstance(source, Block):
                found |= source._outer()
        return found

    def _outer(self) -> set[tuple[str, str]]:
        """Returns alias and name of what a lateral input reads of the inputs before it."""
        found = self._read(self.columns)
        for source in self.inputs.values():
            if isinstance(source, Block):
                found |= source._outer()
        return {(alias, name) for alias, name in found if alias not in self.inputs}

    def values(self) -> list[Values]:
        """Returns the literal tables that the block reads."""
        return [values for source in self.inputs.values() for values in source.values()]

    def owned_by(self, step: str) -> Block:
        """Names the literal tables of this block after the step they belong to."""
        if not self.values():
            return self
        return replace(self, inputs={a: s.owned_by(step) for a, s in self.inputs.items()})

    def select(self, naming: Naming, dialect: str) -> exp.Select:
        """Prints the block as a SELECT tree for an engine; `naming` returns the table of a scan."""
        alias, source = next(iter(self.inputs.items()))
        lone = alias if len(self.inputs) == 1 else None

        def bare(trees: Iterable[exp.Expression]) -> list[exp.Expression]:
            return [without_qualifier(tree, lone) for tree in trees]

        names, trees = self.columns.keys(), bare(self.columns.values())
        tree = exp.Select(
            expressions=[named_column(name, t) for name, t in zip(names, trees, strict=True)],
            from_=exp.From(this=source.table(alias, naming, dialect, lone is not None)),
        )
        if self.joins:
            tree.set("joins", [self._join(join, naming, dialect) for join in self.joins])
        if self.where:
            tree.set("where", exp.Where(this=exp.and_(*bare(self.where), copy=False)))
        if self.group:
            tree.set("group", exp.Group(expressions=bare(self.group)))
        if self.order:
            keys = [exp.Ordered(this=key, nulls_first=False) for key in bare(self.order)]
            tree.set("order", exp.Order(expressions=keys))
        if self.limit is not None:
            tree.set("limit", exp.Limit(expression=exp.Literal.number(self.limit)))
        return tree

    def table(self, alias: str, naming: Naming, dialect: str, lone: bool) -> exp.Expression:
        """Prints the block as a subquery, such that what it computes is computed once.

        PostgreSQL writes its expressions into the SELECT around it, at each place that uses them,
        unless there is an OFFSET.
        """
        tree = self.select(naming, dialect)
        costly = any(not isinstance(e, exp.Column | exp.Literal) for e in self.columns.values())
        again = DIALECTS[dialect].computes_again
        if again and costly and self.fusable:
            tree.set("offset", exp.Offset(expression=exp.Literal.number(0)))
        return subquery(tree, alias)

    def _join(self, join: Join, naming: Naming, dialect: str) -> exp.Join:
        table = self.inputs[join.alias].table(join.alias, naming, dialect, lone=False)
        on = join.on.copy() if join.on else None
        match join.kind:
            case "cross":
                return exp.Join(this=table, kind="CROSS")
            case "lateral":
                alias = table.args["alias"].pop()
                return exp.Join(this=exp.Lateral(this=table, alias=alias), kind="CROSS")
            case "inner":
                return exp.Join(this=table, on=on, kind="INNER")
            case "left" | "full":
                return exp.Join(this=table, on=on, side=join.kind.upper())
            case _:
                assert_never(join.kind)


Source = Scan | Values | Append | Named | Recursion | PerEngine | Block


@lru_cache(maxsize=100_000)
def passed_on(name: str) -> exp.Column:
    """Refers to a column of a lone input; blocks share it, since they never change a tree."""
    return column(name, NESTED)
