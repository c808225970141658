"""Numbers that PostgreSQL can multiply: it takes overflow and underflow for errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from sqlglot import exp

from miningflow.sql.block import Block, Source
from miningflow.sql.literals import double
from miningflow.sql.models.model_inputs import ModelInputs
from miningflow.sql.models.values import Number, Value, as_number

# Squares of numbers in this range are doubles, with room for weights and scales.
LARGEST, SMALLEST = 1e100, 1e-100
# So is a product of several numbers whose sizes are roots of these.
_LARGEST_PRODUCT, _SMALLEST_PRODUCT = 1e290, 1e-290

NEXT_TO_ZERO = 1e-200

_ARITHMETIC = (exp.Mul, exp.Add, exp.Sub, exp.Neg, exp.Paren)


def within_range(columns: ModelInputs, read: Iterable[str]) -> ModelInputs:
    """Returns numbers beyond the range as NULL or 0, and NaN and infinity as NULL.

    So are the factors of products, there and in the columns of the rows that are read. What takes
    more than reading a column is computed in a SELECT below, since it is compared several times.
    """
    safe = _changed(columns, _guarded_products)
    once = ModelInputs(_guarded(columns.rows, set(read)), safe.values).read_once()
    return _changed(once, lambda atom: limited(atom, LARGEST, SMALLEST))


def is_plain(columns: ModelInputs) -> bool:
    """Returns whether all numbers are columns as they are read."""
    atoms = [v.atom for v in map(as_number, columns.values) if isinstance(v, Number)]
    return all(
        atom is None
        or isinstance(atom, exp.Column)
        or (isinstance(atom, exp.Cast) and isinstance(atom.this, exp.Column))
        for atom in atoms
    )


def off_zero(columns: ModelInputs, read: Iterable[str]) -> ModelInputs:
    """Adds to plain numbers, and subtracts again, what turns exactly those next to 0 into 0.

    Then no product underflows.
    """
    rows = _guarded(columns.rows, set(read))

    def moved(atom: exp.Expression) -> exp.Expression:
        added = exp.Add(this=atom.copy(), expression=double(NEXT_TO_ZERO))
        return exp.Paren(this=exp.Sub(this=added, expression=double(NEXT_TO_ZERO)))

    return _changed(ModelInputs(rows, columns.values), moved)


def limited(tree: exp.Expression, largest: float, smallest: float) -> exp.Expression:
    """Returns NULL for what is larger than a bound or no number, and 0 for what is too small."""
    zero = exp.Between(this=tree.copy(), low=double(-smallest), high=double(smallest))
    known = exp.Between(this=tree.copy(), low=double(-largest), high=double(largest))
    return exp.Case(ifs=[exp.If(this=zero, true=double(0)), exp.If(this=known, true=tree.copy())])


def _changed(
    columns: ModelInputs, change: Callable[[exp.Expression], exp.Expression]
) -> ModelInputs:
    """Changes what numbers read; codes of categories are in range."""
    values: list[Value] = []
    for value in map(as_number, columns.values):
        if isinstance(value, Number) and value.atom is not None:
            values.append(replace(value, atom=change(value.atom)))
        else:
            values.append(value)
    return columns.with_values(values)


def _guarded(block: Block, read: set[str]) -> Block:
    """Guards the products in some columns, and in those below that they read."""
    columns = dict(block.columns)
    below: dict[str, set[str]] = {alias: set() for alias in block.inputs}
    for name in read & set(columns):
        for node in columns[name].find_all(exp.Column):
            below[node.table].add(node.name)
        columns[name] = _guarded_products(columns[name])
    inputs: dict[str, Source] = {
        alias: _guarded(source, below[alias]) if isinstance(source, Block) else source
        for alias, source in block.inputs.items()
    }
    return replace(block, columns=columns, inputs=inputs)


def _guarded_products(tree: exp.Expression) -> exp.Expression:
    """Limits the factors of each product so that it can be neither too large nor too small."""
    copy = tree.copy()
    for product in list(copy.find_all(exp.Mul)):
        if product.find_ancestor(exp.Mul) is None:
            factors = list(_factors(product))
            power = 1 / max(2, len(factors))
            largest, smallest = _LARGEST_PRODUCT**power, _SMALLEST_PRODUCT**power
            for factor in factors:
                factor.replace(limited(factor.copy(), largest, smallest))
    return copy


def _factors(tree: exp.Expression) -> Iterator[exp.Expression]:
    """Returns what products and sums are made of, without literals."""
    if isinstance(tree, _ARITHMETIC):
        for part in tree.iter_expressions():
            yield from _factors(part)
    elif not isinstance(tree, exp.Literal):
        yield tree
