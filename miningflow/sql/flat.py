"""A column of a block as one expression over the columns of a scan: the body of a SQL function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from miningflow.sql.bind import Binding, bound
from miningflow.sql.block import Append, Block, Naming, PerEngine, Scan, Source, Values
from miningflow.sql.dialects import DIALECTS
from miningflow.sql.literals import unused
from miningflow.sql.postgres_once import mentioned_once

# Nodes that may be written again; what would take more is computed once and referred to. DuckDB
# and Spark find equal arithmetic, and a name costs them a list, so they get more.
MOST_REPEATED, MOST_REPEATED_WHERE_COMPUTED_AGAIN = 150, 12
# Nobody would want to call a larger function.
MOST_NODES = 20_000

_Columns = dict[str, exp.Expression]
_OFTEN = 100


class NotFlat(Exception):
    """The value of a row depends on more than the row."""


@dataclass(frozen=True)
class Reading:
    """What is known of a scan: the block behind it, if rows follow from its rows alone."""

    behind: Callable[[str], Block | None]
    leaf: Callable[[str, str], exp.Expression]
    """The expression for a column of a scan that has nothing behind it."""


@dataclass
class _Layer:
    """A SELECT of the chain, with the columns that are needed of it."""

    block: Block
    columns: list[str]

    def tree(self, name: str, dialect: str) -> exp.Expression:
        """Returns a column, on PostgreSQL in the form that mentions as little as possible twice."""
        tree = self.block.columns[name]
        return tree.transform(mentioned_once) if DIALECTS[dialect].computes_again else tree


@dataclass
class _Writing:
    dialect: str
    naming: Naming
    parameters: tuple[str, ...]
    bindings: list[Binding] = field(default_factory=list)
    model: _Columns = field(default_factory=dict)

    @property
    def of_model(self) -> Binding:
        """The values that are read from tables of the model."""
        return Binding(unused("values of the model", self.parameters), self.model)


def flat(block: Block, name: str, reading: Reading, naming: Naming, dialect: str) -> exp.Expression:
    """Writes a column as an expression; raises NotFlat where groups or joins take part in it.

    The SELECTs below one another become values that are computed once and have names.
    """
    layers, scanned = _chain(block, name, reading, dialect)
    if any(join.kind == "lateral" for layer in layers for join in layer.block.joins):
        return exp.Subquery(this=_query(block, [name], reading, naming, dialect))
    known: _Columns = {c: reading.leaf(scanned, c) for c in _needed(layers[-1])}
    writing = _Writing(dialect, naming, tuple(known))
    examined: _Columns = {n: tree for n, tree in known.items() if isinstance(tree, exp.Case)}
    known |= _named_once(examined, _used(layers[-1], dialect), "arguments", writing)
    for i, layer in reversed(list(enumerate(layers))):
        above = layers[i - 1] if i else None
        known = _written(layer, above, known, writing, len(layers) - i)
    if writing.model and DIALECTS[dialect].functions == "spark":
        raise NotFlat  # it takes no query for an argument of functions over lists
    outer = [writing.of_model] if writing.model else []
    tree = bound([*outer, *writing.bindings], known[name], dialect)
    if sum(1 for _ in tree.walk()) > MOST_NODES:
        raise NotFlat
    return tree


def _chain(block: Block, name: str, reading: Reading, dialect: str) -> tuple[list[_Layer], str]:
    """Returns the SELECTs from the column down to the scan, and the scan."""
    layers = [_Layer(block, [name])]
    while True:
        current = layers[-1]
        source = _row_source(current.block)
        if isinstance(source, Scan):
            behind = reading.behind(source.name)
            if behind is None:
                return layers, source.name
            source = behind
        inner = source.block(dialect) if isinstance(source, PerEngine) else source
        if not isinstance(inner, Block):
            raise NotFlat
        layers.append(_Layer(inner, _needed(current)))


def _query(
    block: Block, names: Sequence[str], reading: Reading, naming: Naming, dialect: str
) -> exp.Select:
    """Writes columns as a query over one row, where a sum over a table is part of them."""
    slim = block.project(names).prune(names)
    scans = _scans(slim)
    query = slim.select(
        lambda table: exp.Table(this=exp.to_identifier(table)) if table in scans else naming(table),
        dialect,
    )
    for table in list(query.find_all(exp.Table)):
        if table.name in scans and not table.db:
            behind = reading.behind(table.name)
            if behind is None:
                inner = exp.Select(
                    expressions=[
                        exp.Alias(
                            this=reading.leaf(table.name, column),
                            alias=exp.to_identifier(column, quoted=True),
                        )
                        for column in scans[table.name]
                    ]
                )
            else:
                inner = _query(behind, scans[table.name], reading, naming, dialect)
            alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name, quoted=True))
            table.replace(exp.Subquery(this=inner, alias=alias))
    return query


def _scans(source: Source) -> dict[str, tuple[str, ...]]:
    """Returns the scans of a source with the columns that are read."""
    match source:
        case Scan(name, columns):
            return {name: columns}
        case PerEngine():
            return _scans(source.rows)
        case Block():
            found: dict[str, tuple[str, ...]] = {}
            for inner in source.inputs.values():
                found |= _scans(inner)
            return found
    return {}


def is_row_wise(block: Block, dialect: str) -> bool:
    """Returns whether the rows of a block follow from the rows of one scan, one by one."""
    if _over_rows(block):
        return False
    try:
        source = _row_source(block)
        inner = source.block(dialect) if isinstance(source, PerEngine) else source
        if isinstance(inner, Block):
            return is_row_wise(inner, dialect)
        return isinstance(inner, Scan)
    except NotFlat:
        return False


def _over_rows(source: Source) -> set[str]:
    """Returns the columns that are computed over several rows, by window functions."""
    if not isinstance(source, Block):
        return set()
    inner = {alias: _over_rows(below) for alias, below in source.inputs.items()}
    return {
        name
        for name, tree in source.columns.items()
        if tree.find(exp.Window)
        or any(c.name in inner.get(c.table, ()) for c in tree.find_all(exp.Column))
    }


def _row_source(block: Block) -> Source:
    if block.group or block.order or block.limit is not None:
        raise NotFlat
    sources = [source for source in block.inputs.values() if not _is_model(source)]
    if len(sources) != 1 or any(join.kind not in ("cross", "lateral") for join in block.joins):
        raise NotFlat
    return sources[0]


def _needed(layer: _Layer) -> list[str]:
    """Returns the columns that a layer reads from the rows below."""
    return list(
        dict.fromkeys(
            column.name
            for name in layer.columns
            for column in layer.block.columns[name].find_all(exp.Column)
            if not _is_model(layer.block.inputs[column.table])
        )
    )


def _written(
    layer: _Layer, above: _Layer | None, below: _Columns, writing: _Writing, depth: int
) -> _Columns:
    """Writes the columns of a layer over what is known of the one below; costly ones get a name."""

    def known(node: exp.Expression) -> exp.Expression:
        if not isinstance(node, exp.Column):
            return node
        source = layer.block.inputs[node.table]
        if _is_model(source):
            assert isinstance(source, Block)
            return _of_model(source, node.name, writing, depth)
        return enclosed(below[node.name].copy())

    trees = {name: layer.tree(name, writing.dialect).transform(known) for name in layer.columns}
    if above is None:
        return trees
    return _named_once(trees, _used(above, writing.dialect), f"layer {depth}", writing)


def _named_once(trees: _Columns, used: Counter[str], name: str, writing: _Writing) -> _Columns:
    """Names what is costly and used several times."""
    costly = {n: t for n, t in trees.items() if _is_costly(t, used[n], writing.dialect)}
    if not costly:
        return trees
    binding = Binding(unused(name, writing.parameters), costly)
    writing.bindings.append(binding)
    return {**trees, **{name: binding.refer(name, writing.dialect) for name in costly}}


def _used(layer: _Layer, dialect: str) -> Counter[str]:
    """Counts how often columns of the rows below are read; for every item of a list is often."""
    trees = [layer.tree(name, dialect) for name in layer.columns]
    used = Counter(column.name for tree in trees for column in tree.find_all(exp.Column))
    for tree in trees:
        for function in tree.find_all(exp.Lambda):
            used.update({column.name: _OFTEN for column in function.find_all(exp.Column)})
    return used


def _is_costly(tree: exp.Expression, uses: int, dialect: str) -> bool:
    """Returns whether to compute something once."""
    if uses < 2:
        return False
    size = sum(1 for _ in tree.walk())
    most = MOST_REPEATED_WHERE_COMPUTED_AGAIN if DIALECTS[dialect].computes_again else MOST_REPEATED
    return (uses - 1) * size > most or tree.find(exp.Lambda, exp.Subquery) is not None


def _of_model(block: Block, name: str, writing: _Writing, depth: int) -> exp.Expression:
    """Reads a value of a one-row table; every column names its table, which no parameter is.

    It is read outside of all else, since DuckDB takes no query inside of a lambda.
    """
    called = f"{name} {depth}"
    if called not in writing.model:
        query = block.project([name]).prune([name]).select(writing.naming, writing.dialect)
        for i, select in enumerate(list(query.find_all(exp.Select))):
            _make_unmistakable(select, f"model {i + 1}")
        writing.model[called] = exp.Subquery(this=query)
    return writing.of_model.refer(called, writing.dialect)


def _make_unmistakable(select: exp.Select, alias: str) -> None:
    """Renames what a SELECT reads and returns, since parameters may have names of its columns."""
    table = select.args["from_"].this
    table.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    nested = isinstance(table, exp.Subquery)
    own = [c for c in select.find_all(exp.Column) if c.parent_select is select]
    for column in own:
        column.set("table", exp.to_identifier(alias, quoted=True))
        if nested:
            column.set("this", exp.to_identifier(f"{column.name} of model", quoted=True))
    for tree in list(select.expressions):
        name = tree.alias_or_name if nested and isinstance(tree, exp.Column) else None
        given = name or f"{tree.alias_or_name} of model"
        inner = tree.this if isinstance(tree, exp.Alias) else tree.copy()
        alias_of = exp.to_identifier(given, quoted=True)
        tree.replace(exp.Alias(this=inner, alias=alias_of))


def _is_model(source: Source) -> bool:
    """Returns whether a source reads only literal tables, such as support vectors."""
    match source:
        case Values():
            return True
        case Block():
            return _all_models(source.inputs.values())
        case Append(branches):
            return _all_models(branches)
    return False


def _all_models(sources: Iterable[Source]) -> bool:
    return all(_is_model(source) for source in sources)


def enclosed(tree: exp.Expression) -> exp.Expression:
    """Puts an expression into parentheses unless it needs none."""
    atoms = (
        exp.Column,
        exp.Literal,
        exp.Paren,
        exp.Func,
        exp.Case,
        exp.Cast,
        exp.Subquery,
        exp.Dot,
    )
    return tree if isinstance(tree, atoms) else exp.Paren(this=tree)
