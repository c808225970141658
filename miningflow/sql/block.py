"""Blocks: one SELECT each, built by operators, fused, pruned and printed by the compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, Protocol

from sqlglot import exp

from miningflow.sql.dialects import DIALECTS
from miningflow.sql.literal_table import Values
from miningflow.sql.literals import column

# A fused expression may grow to this many nodes or levels before it gets a SELECT of its own:
# substituting without a limit doubles it with every step that uses a feature twice.
MOST_NODES = 400
MOST_LEVELS = 60

NESTED = "rows"
Naming = Callable[[str], exp.Table]


@dataclass(frozen=True)
class Scan:
    """The rows of a source concept or of another step, by name."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Append:
    """The rows of several blocks with equal columns, one after the other (UNION ALL)."""

    branches: tuple[Block, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names the columns, which are those of every branch."""
        return tuple(self.branches[0].columns)


@dataclass(frozen=True)
class Named:
    """A part of a recursion, by the name that it has inside of it."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Recursion:
    """Rows that follow one from another: a first SELECT, and one that goes on from the last rows.

    Both read `rows` by its name, and the second also what it gave itself the time before.
    """

    name: str
    rows_name: str
    rows: Block
    first: Block
    then: Block

    @property
    def columns(self) -> tuple[str, ...]:
        """Names the columns, which both have."""
        return tuple(self.first.columns)

    def prune(self, used: set[str]) -> Recursion:
        """Keeps what is used, and what a row needs of the one before."""
        needed = used | self.then.reads(self.name)
        first, then = self.first.prune(needed), self.then.prune(needed)
        rows = self.rows.prune(first.reads(self.rows_name) | then.reads(self.rows_name))
        return replace(self, rows=rows, first=first, then=then)

    def select(self, naming: Naming, dialect: str) -> exp.Select:
        """Prints the recursion as a SELECT with its parts before it."""
        first, then = self.first.select(naming, dialect), self.then.select(naming, dialect)
        parts = {
            self.rows_name: self.rows.select(naming, dialect),
            self.name: exp.Union(this=first, expression=then, distinct=False),
        }
        ctes = [
            exp.CTE(this=tree, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
            for name, tree in parts.items()
        ]
        return exp.Select(
            expressions=[column(name) for name in self.columns],
            from_=exp.From(this=_named_table(self.name)),
            with_=exp.With(expressions=ctes, recursive=True),
        )


class Shapes(Protocol):
    """Columns that a SELECT adds to rows, in the shape that suits each engine."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names the columns of the rows that are read."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names the columns that are added."""

    @property
    def tables(self) -> tuple[Values, ...]:
        """Gives the literal tables that are read, the same ones on every engine."""

    def block(self, rows: Block, dialect: str) -> Block:
        """Adds the outputs to all columns of the rows, in SQL for one engine."""


@dataclass(frozen=True)
class PerEngine:
    """Rows with columns added by a SELECT that is chosen when it is printed for an engine."""

    rows: Block
    shapes: Shapes
    columns: tuple[str, ...]
    owner: str = ""

    def block(self, dialect: str) -> Block:
        """Gives the SELECT for an engine, with the columns that are needed."""
        block = self.shapes.block(self.rows, dialect)
        owned = block.owned_by(self.owner) if self.owner else block
        return owned.project(self.columns).prune(self.columns)

    def prune(self, used: set[str]) -> Source:
        """Keeps what is used, and what the added columns read."""
        if not used.intersection(self.shapes.outputs):
            return self.rows.prune(used)
        columns = tuple(name for name in self.columns if name in used)
        rows = self.rows.prune({*used, *self.shapes.inputs})
        return replace(self, rows=rows, columns=columns)

    def users(self, step: str, wanted: Mapping[str, str]) -> dict[tuple[str, str], str]:
        """Tells who needs each column of a scan: what the added columns read, this step does."""
        passed_on = {name: user for name, user in wanted.items() if name in self.rows.columns}
        return self.rows.users(step, passed_on | dict.fromkeys(self.shapes.inputs, step))

    def values(self) -> list[Values]:
        """Gives the literal tables that the rows and the added columns read."""
        tables = [_owned_values(v, self.owner) if self.owner else v for v in self.shapes.tables]
        return [*self.rows.values(), *tables]

    def owned_by(self, step: str) -> PerEngine:
        """Names the literal tables after the step they belong to."""
        return replace(self, rows=self.rows.owned_by(step), owner=self.owner or step)


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
    repeatable: bool = False
    """Whether what it computes may be computed at each place that uses it."""

    def extend(self, added: Mapping[str, exp.Expression]) -> Block:
        """Adds columns, or replaces those of the same name; expressions use feature names."""
        base = self._fusable_with(added.values())
        columns = dict(base.columns)
        columns.update((name, base._fused(tree)) for name, tree in added.items())
        return replace(base, columns=columns)

    def derive(self, columns: Mapping[str, exp.Expression]) -> Block:
        """Has these columns and no others; expressions use the names of those before."""
        base = self._fusable_with(columns.values())
        return replace(base, columns={name: base._fused(t) for name, t in columns.items()})

    def filter(self, condition: exp.Expression) -> Block:
        """Keeps the rows for which a condition over feature names holds."""
        base = self._fusable_with([condition])
        return replace(base, where=(*base.where, base._fused(condition)))

    def layered(self) -> Block:
        """Puts a SELECT around this one, so that what it computes is computed once."""
        return _over_block(self)

    def project(self, names: Iterable[str]) -> Block:
        """Keeps some columns, in the given order."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def first(self, most: int, order: Iterable[exp.Expression]) -> Block:
        """Keeps at most so many rows, the first in an order over feature names."""
        keys = list(order)
        base = self._fusable_with(keys)
        return replace(base, order=tuple(base._fused(tree) for tree in keys), limit=most)

    def prune(self, needed: Iterable[str]) -> Block:
        """Drops the columns that nobody needs, down to the scans; conditions and keys stay."""
        wanted = set(needed)
        columns = {name: tree for name, tree in self.columns.items() if name in wanted}
        if not columns:  # a SELECT needs a column even where only the rows count
            name, tree = next(iter(self.columns.items()))
            columns = {name: tree}
        slim = replace(self, columns=columns)
        used = slim._used()
        inputs = {alias: _prune(source, used[alias]) for alias, source in self.inputs.items()}
        return replace(slim, inputs=inputs)

    def users(self, step: str, wanted: Mapping[str, str]) -> dict[tuple[str, str], str]:
        """Tells for each column of a scan who needs it: this step, unless it only passes it on.

        `wanted` gives for each column of this block the step that needs it.
        """
        inner: dict[str, dict[str, str]] = {alias: {} for alias in self.inputs}
        for name, tree in self.columns.items():
            for node in tree.find_all(exp.Column):
                passed_on = node is tree
                if node.table in inner:
                    inner[node.table][node.name] = wanted.get(name, step) if passed_on else step
        for alias, name in self._read(columns={}):
            if alias in inner:
                inner[alias][name] = step
        found: dict[tuple[str, str], str] = {}
        for alias, source in self.inputs.items():
            if isinstance(source, Scan):
                found.update(((source.name, c), user) for c, user in inner[alias].items())
            elif isinstance(source, Recursion):
                found.update(source.rows.users(step, dict.fromkeys(source.rows.columns, step)))
            elif isinstance(source, Block | PerEngine):
                found.update(source.users(step, inner[alias]))
            elif isinstance(source, Append):
                for block in source.branches:
                    found.update(block.users(step, inner[alias]))
        return found

    def values(self) -> list[Values]:
        """Gives the literal tables that the block reads."""
        found: list[Values] = []
        for source in self.inputs.values():
            if isinstance(source, Values):
                found.append(source)
            elif isinstance(source, Recursion):
                found += source.rows.values()
            elif isinstance(source, Block | PerEngine):
                found += source.values()
            elif isinstance(source, Append):
                found += [v for block in source.branches for v in block.values()]
        return found

    def owned_by(self, step: str) -> Block:
        """Names the literal tables of this block after the step they belong to."""
        if not self.values():
            return self
        return replace(self, inputs={a: _owned(s, step) for a, s in self.inputs.items()})

    def select(self, naming: Naming, dialect: str) -> exp.Select:
        """Prints the block as a SELECT tree for an engine; `naming` gives the table of a scan."""
        alias, source = next(iter(self.inputs.items()))
        lone = alias if len(self.inputs) == 1 else None
        tree = exp.Select(
            expressions=[_named(name, _bare(e, lone)) for name, e in self.columns.items()],
            from_=exp.From(this=_table(source, alias, naming, dialect, lone is not None)),
        )
        if self.joins:
            tree.set("joins", [self._join(join, naming, dialect) for join in self.joins])
        if self.where:
            conditions = [_bare(e, lone) for e in self.where]
            tree.set("where", exp.Where(this=exp.and_(*conditions, copy=False)))
        if self.group:
            tree.set("group", exp.Group(expressions=[_bare(e, lone) for e in self.group]))
        if self.order:
            keys = [exp.Ordered(this=_bare(e, lone), nulls_first=False) for e in self.order]
            tree.set("order", exp.Order(expressions=keys))
        if self.limit is not None:
            tree.set("limit", exp.Limit(expression=exp.Literal.number(self.limit)))
        return tree

    def reads(self, name: str) -> set[str]:
        """Names the columns that are read of a part of a recursion, by this SELECT or below."""
        used, found = self._used(), set()
        for alias, source in self.inputs.items():
            if isinstance(source, Named) and source.name == name:
                found |= used[alias]
            elif isinstance(source, Block):
                found |= source.reads(name)
        return found

    @property
    def fusable(self) -> bool:
        """Says whether columns and conditions can be added to this very SELECT."""
        return not self.group and not self.order and self.limit is None

    def _join(self, join: Join, naming: Naming, dialect: str) -> exp.Join:
        table = _table(self.inputs[join.alias], join.alias, naming, dialect, lone=False)
        if join.kind == "cross":
            return exp.Join(this=table, kind="CROSS")
        if join.kind == "lateral":
            alias = table.args["alias"].pop()
            return exp.Join(this=exp.Lateral(this=table, alias=alias), kind="CROSS")
        side = {"kind": "INNER"} if join.kind == "inner" else {"side": join.kind.upper()}
        return exp.Join(this=table, on=join.on.copy() if join.on else None, **side)

    def _used(self) -> dict[str, set[str]]:
        used: dict[str, set[str]] = {alias: set() for alias in self.inputs}
        for alias, name in self._read(self.columns):
            if alias in used:
                used[alias].add(name)
        return used

    def _read(self, columns: Mapping[str, exp.Expression]) -> set[tuple[str, str]]:
        """Gives alias and name of what conditions, keys, lateral inputs and some columns read."""
        trees = [*columns.values(), *self.where, *self.group, *self.order]
        trees += [join.on for join in self.joins if join.on is not None]
        found = {(node.table, node.name) for tree in trees for node in tree.find_all(exp.Column)}
        for join in self.joins:
            source = self.inputs[join.alias]
            if join.kind == "lateral" and isinstance(source, Block):
                found |= source._outer()
        return found

    def _outer(self) -> set[tuple[str, str]]:
        """Gives alias and name of what a lateral input reads of the inputs before it."""
        found = self._read(self.columns)
        for source in self.inputs.values():
            if isinstance(source, Block):
                found |= source._outer()
        return {(alias, name) for alias, name in found if alias not in self.inputs}

    def _fusable_with(self, trees: Iterable[exp.Expression]) -> Block:
        if self.fusable and all(self._grows_within_limits(tree) for tree in trees):
            return self
        return _over_block(self)

    def _grows_within_limits(self, tree: exp.Expression) -> bool:
        nodes, levels, simple = 0, 0, True
        for node in tree.find_all(exp.Column):
            inner = self.columns[node.name]
            if not isinstance(inner, exp.Column):
                simple = False
                size, height = _extent(inner)
                nodes, levels = nodes + size, max(levels, height)
        if simple:
            return True
        size, height = _extent(tree)
        return nodes + size <= MOST_NODES and levels + height <= MOST_LEVELS

    def _fused(self, tree: exp.Expression) -> exp.Expression:
        """Replaces feature names by what this block computes for them."""
        if isinstance(tree, exp.Column):
            return self.columns[tree.name].copy()
        fused = tree.copy()
        for node in list(fused.find_all(exp.Column)):
            inner = self.columns[node.name].copy()
            node.replace(inner if isinstance(inner, _ATOMS) else exp.Paren(this=inner))
        return fused


Source = Scan | Values | Append | Named | Recursion | PerEngine | Block

_ATOMS = (exp.Column, exp.Literal, exp.Paren, exp.Func, exp.Case, exp.Cast)


def over(source: Source) -> Block:
    """Starts a block that has all columns of a source; a block that can be fused stays itself."""
    if isinstance(source, Block):
        return source if source.fusable else _over_block(source)
    return Block({name: _passed_on(name) for name in source.columns}, {NESTED: source})


def beside(sources: Mapping[str, Source], joins: Iterable[Join]) -> Block:
    """Starts a block over several joined sources; its columns are still to be chosen."""
    return Block({}, dict(sources), tuple(joins))


def grouped(
    source: Source,
    by: Iterable[str] | Mapping[str, str],
    aggregates: Mapping[str, exp.Expression],
) -> Block:
    """Aggregates a source, by columns or over all rows; expressions use feature names.

    A map `by` gives columns other names in the result: new name → column.
    """
    names = by if isinstance(by, Mapping) else {name: name for name in by}
    keys = {new: _passed_on(name) for new, name in names.items()}
    trees = {name: qualified(tree, NESTED) for name, tree in aggregates.items()}
    return Block({**keys, **trees}, {NESTED: source}, group=tuple(keys.values()))


def qualified(tree: exp.Expression, alias: str) -> exp.Expression:
    """Copies an expression over feature names as one over the columns of an input."""
    copy = tree.copy()
    for node in copy.find_all(exp.Column):
        node.set("table", exp.to_identifier(alias, quoted=True))
    return copy


def _over_block(block: Block) -> Block:
    return Block({name: _passed_on(name) for name in block.columns}, {NESTED: block})


@lru_cache(maxsize=100_000)
def _passed_on(name: str) -> exp.Column:
    """Refers to a column of a lone input; blocks share it, since they never change a tree."""
    return column(name, NESTED)


def _owned(source: Source, step: str) -> Source:
    match source:
        case Values():
            return _owned_values(source, step)
        case Append(branches):
            return Append(tuple(branch.owned_by(step) for branch in branches))
        case Recursion():
            return replace(source, rows=source.rows.owned_by(step))
        case Block() | PerEngine():
            return source.owned_by(step)
    return source


def _owned_values(values: Values, step: str) -> Values:
    return values if "." in values.name else replace(values, name=f"{step}.{values.name}")


def _prune(source: Source, used: set[str]) -> Source:
    match source:
        case Scan(name, columns):
            return Scan(name, tuple(c for c in columns if c in used))
        case Values():
            return source
        case Named(name, columns):
            return Named(name, tuple(c for c in columns if c in used))
        case Append(branches):
            return Append(tuple(branch.prune(used or branch.columns) for branch in branches))
        case Block() | PerEngine() | Recursion():
            return source.prune(used)


def _table(source: Source, alias: str, naming: Naming, dialect: str, lone: bool) -> exp.Expression:
    match source:
        case Scan(name) | Values(name) | Named(name):
            table = _named_table(name) if isinstance(source, Named) else naming(name)
            if lone:
                return table
            table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
            return table
        case Append(branches):
            inner: exp.Expression = branches[0].select(naming, dialect)
            for branch in branches[1:]:
                added = branch.select(naming, dialect)
                inner = exp.Union(this=inner, expression=added, distinct=False)
        case Recursion():
            inner = source.select(naming, dialect)
        case PerEngine():
            inner = _fenced(source.block(dialect), naming, dialect)
        case Block():
            inner = _fenced(source, naming, dialect)
    return exp.Subquery(
        this=inner, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True))
    )


def _named_table(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def _fenced(block: Block, naming: Naming, dialect: str) -> exp.Select:
    """Prints a nested SELECT so that what it computes is computed once.

    PostgreSQL writes its expressions into the SELECT around it, at each place that uses them,
    unless there is an OFFSET.
    """
    tree = block.select(naming, dialect)
    costly = any(not isinstance(e, exp.Column | exp.Literal) for e in block.columns.values())
    again = DIALECTS[dialect].computes_again
    if again and costly and block.fusable and not block.repeatable:
        tree.set("offset", exp.Offset(expression=exp.Literal.number(0)))
    return tree


def _named(name: str, tree: exp.Expression) -> exp.Expression:
    if isinstance(tree, exp.Column) and tree.name == name:
        return tree
    return exp.Alias(this=tree, alias=exp.to_identifier(name, quoted=True))


def _bare(tree: exp.Expression, lone: str | None) -> exp.Expression:
    """Copies an expression; with a lone input the qualifiers only clutter."""
    if isinstance(tree, exp.Column):  # most columns are only passed on
        return column(tree.name, None if tree.table == lone else tree.table or None)
    copy = tree.copy()
    if lone is not None:
        for node in copy.find_all(exp.Column):
            if node.table == lone:
                node.set("table", None)
    return copy


def _extent(tree: exp.Expression) -> tuple[int, int]:
    """Counts the nodes and the levels of a tree."""
    nodes, levels, stack = 0, 0, [(tree, 1)]
    while stack:
        node, level = stack.pop()
        nodes, levels = nodes + 1, max(levels, level)
        stack += [(child, level + 1) for child in node.iter_expressions()]
    return nodes, levels
