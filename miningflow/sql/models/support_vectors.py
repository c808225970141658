"""A kernel machine as SQL: monomials where those are few, otherwise a table of support vectors.

The table becomes lists in a single row, and functions over lists add up in a fixed order. So the
text of the SQL does not grow with the support vectors, and the rows need no key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sqlglot import exp

from miningflow.learn.kernels import KernelModel, merged
from miningflow.sql.block import Block, Join, Values, grouped, over
from miningflow.sql.literals import column, double, unused
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.cost import Shape, choose
from miningflow.sql.models.finite import is_finite
from miningflow.sql.models.kernel_forms import LOWEST_EXPONENT, Form, call, form_of
from miningflow.sql.models.monomials import monomial_decisions

TABLE = "support_vectors"
_MODEL, _ROWS = "model", "rows"


def kernel_decisions(
    model: KernelModel, rows: Block, inputs: Sequence[str], outputs: Sequence[str]
) -> Block:
    """Adds a decision value per output; NULL where an input is NULL, NaN or infinite."""
    model = merged(model)
    shape = choose(model, len(inputs))
    total = unused("total", [*rows.columns, *outputs])
    known = rows.extend({total: balanced_sum([column(name) for name in inputs])}).layered()
    match shape.kind:
        case "blocks" | "lists":
            known, written = _compared(model, shape, known, inputs, outputs)
        case "monomials":
            written = monomial_decisions(model, inputs)
        case _:
            written = [double(float(intercept)) for intercept in model.intercepts]
    decisions = {
        output: exp.Case(ifs=[exp.If(this=is_finite(column(total)), true=tree)])
        for output, tree in zip(outputs, written, strict=True)
    }
    return known.extend(decisions).project([*rows.columns, *outputs])


@dataclass(frozen=True)
class _Part:
    """Support vectors that serve the same outputs, and the columns for them in the SELECT."""

    start: int
    end: int
    outputs: tuple[int, ...]
    vectors: str
    computed: str
    shares: tuple[str, ...]


def _parts(model: KernelModel, taken: Sequence[str]) -> list[_Part]:
    """Gives the parts of a model; of digits, each output reads two of ten instead of all."""
    parts: list[_Part] = []
    start = 0
    for i, count in enumerate(model.parts or (len(model.support),)):
        end = start + count
        served = np.flatnonzero(model.coefficients[:, start:end].any(axis=1))
        outputs = tuple(int(output) for output in served)
        vectors, computed = (unused(f"{stem}_{i}", taken) for stem in ("vectors", "computed"))
        shares = tuple(unused(f"share_{i}_{output}", taken) for output in outputs)
        if outputs:
            parts.append(_Part(start, end, outputs, vectors, computed, shares))
        start = end
    return parts


def _compared(
    model: KernelModel, shape: Shape, rows: Block, inputs: Sequence[str], outputs: Sequence[str]
) -> tuple[Block, list[exp.Expression]]:
    """Adds what is computed over each part to the rows; gives these, and the decisions then."""
    taken = [*rows.columns, *outputs]
    parts, form = _parts(model, taken), form_of(model, shape.far)
    # Functions over lists refuse NULL even where a CASE leaves the row out, so it becomes 0.
    numbers = [exp.Coalesce(this=column(name), expressions=[double(0)]) for name in inputs]
    encoded, moved = _moved(rows, numbers, form.center)
    names = [unused(f"vector_{i + 1}", taken) for i in range(shape.pieces)]
    encoded = encoded.extend(dict(zip(names, _cut(form.row(moved), shape.pieces), strict=True)))
    comparing = _Comparing(form, shape, [column(name, _ROWS) for name in names], [*taken, *names])
    columns: dict[str, exp.Expression] = {name: column(name, _ROWS) for name in rows.columns}
    exponent = form.exponent(moved)
    if exponent is not None:
        named = unused("exponent", taken)
        encoded = encoded.extend({named: exponent})
        columns[named] = column(named, _ROWS)
    terms: list[list[exp.Expression]] = [[] for _ in outputs]
    for part in parts:
        vectors = column(part.vectors, _MODEL)
        if shape.kind == "blocks":
            columns[part.computed] = comparing.sum_over_blocks(vectors)
            terms[part.outputs[0]].append(column(part.computed))
            continue
        columns[part.computed] = comparing.kernel_values(vectors)
        columns |= {share: column(share, _MODEL) for share in part.shares}
        for output, share in zip(part.outputs, part.shares, strict=True):
            product = call("LIST_INNER_PRODUCT", column(part.computed), column(share))
            terms[output].append(product)
    sides = {_ROWS: encoded, _MODEL: _lists(_table(model, parts, shape), form, parts, shape)}
    compared = Block(columns, sides, (Join(_MODEL, "cross"),))
    sums = [balanced_sum(some) if some else double(0) for some in terms]
    if exponent is not None:
        sums = [_scaled(tree, column(named)) for tree in sums]
    return compared.layered(), [
        exp.Add(this=tree, expression=double(float(intercept)))
        for tree, intercept in zip(sums, model.intercepts, strict=True)
    ]


class _Comparing:
    """Writes functions over lists of support vectors, for a row given as lists."""

    def __init__(
        self, form: Form, shape: Shape, row: list[exp.Expression], taken: Sequence[str]
    ) -> None:
        self.form, self.shape, self.row = form, shape, row
        # a column would be read in place of a parameter of the same name
        names = [unused(name, taken) for name in ("t", "s", "z")]
        self.total, self.item, self.inner = (exp.to_identifier(name) for name in names)

    def sum_over_blocks(self, blocks: exp.Expression) -> exp.Expression:
        """Adds up coefficient · kernel over a list of blocks, whose vectors are v1, v2, …"""
        terms = [
            exp.Mul(
                this=_field(self.item, f"c{i}"),
                expression=self.form.value(self._inner(f"v{i}")),
            )
            for i in range(1, self.shape.block + 1)
        ]
        total = exp.Add(this=self.total, expression=_bracketed(balanced_sum(terms)))
        return call("LIST_REDUCE", blocks, _function([self.total, self.item], total), double(0))

    def kernel_values(self, vectors: exp.Expression) -> exp.Expression:
        """Gives the kernel with each of a list of vectors."""
        if self.form.takes_inner_once:
            return _each(self.item, vectors, self.form.value(self._inner("v")))
        # a list of its own, else it would be computed each time that the kernel names it
        inner = _each(self.item, vectors, self._inner("v"))
        return _each(self.inner, inner, self.form.value(self.inner))

    def _inner(self, name: str) -> exp.Expression:
        fields = _piece_names(name, self.shape.pieces)
        return self.form.inner(self.row, [_field(self.item, field) for field in fields])


def _moved(
    rows: Block, numbers: Sequence[exp.Expression], center: Sequence[float]
) -> tuple[Block, list[exp.Expression]]:
    """Adds numbers less a center, if there is one, as columns; gives the rows and the columns."""
    if not center:
        return rows, list(numbers)
    names = [unused(f"moved_{i + 1}", rows.columns) for i in range(len(numbers))]
    trees: dict[str, exp.Expression] = {
        name: exp.Sub(this=number, expression=double(mean))
        for name, number, mean in zip(names, numbers, center, strict=True)
    }
    return rows.extend(trees).layered(), [column(name) for name in names]


def _scaled(total: exp.Expression, exponent: exp.Expression) -> exp.Expression:
    """Multiplies a sum by an exponential, or gives 0 where that is 0 and the sum infinite."""
    near = exp.GT(this=exponent, expression=double(LOWEST_EXPONENT))
    product = exp.Mul(this=exp.Exp(this=exponent.copy()), expression=_bracketed(total))
    return exp.Case(ifs=[exp.If(this=near, true=product)], default=double(0))


def _lists(table: Values, form: Form, parts: Sequence[_Part], shape: Shape) -> Block:
    """Holds for each part its vectors and shares as lists, in one row, always in this order."""
    shares = [name for name in table.columns if name.startswith("c")]
    numbers = [column(name) for name in table.columns if name.startswith("x")]
    rows, moved = _moved(over(table), numbers, form.center)
    pieces = _cut(form.vector(moved), shape.pieces)
    rows = rows.extend(dict(zip(_piece_names("v", shape.pieces), pieces, strict=True)))
    exponent = form.exponent(moved)
    if exponent is not None:
        rows = rows.extend({"weight": exp.Exp(this=exponent)}).layered()
        rows = rows.extend(
            {name: exp.Mul(this=column(name), expression=column("weight")) for name in shares}
        )
    gather = _in_blocks if shape.kind == "blocks" else _one_by_one
    return gather(rows, parts, shape)


def _one_by_one(rows: Block, parts: Sequence[_Part], shape: Shape) -> Block:
    """Gathers the vectors of each part, and its shares for each output."""
    vector = _struct({name: column(name) for name in _piece_names("v", shape.pieces)})
    shares = [f"c{i + 1}" for i in range(max(len(part.outputs) for part in parts))]
    lists = {"vectors": _in_order(vector, "position")}
    lists |= {name: _in_order(column(name), "position") for name in shares}
    together = grouped(rows, ["part"], lists)
    columns: dict[str, exp.Expression] = {}
    for number, part in enumerate(parts):
        names = dict(zip((part.vectors, *part.shares), ("vectors", *shares), strict=False))
        for new, name in names.items():
            columns[new] = _of_part(exp.AnyValue(this=column(name)), number)
    return grouped(together, [], columns)


def _in_blocks(rows: Block, parts: Sequence[_Part], shape: Shape) -> Block:
    """Gathers blocks, the last of a part filled up with vectors that have no share."""
    names = _piece_names("v", shape.pieces)
    lists = {name: _in_order(column(name), "position") for name in (*names, "c1")}
    together = grouped(rows, ["part", "block"], lists)
    fields: dict[str, exp.Expression] = {}
    for i in range(1, shape.block + 1):
        for name, field in zip(names, _piece_names(f"v{i}", shape.pieces), strict=True):
            first = _item(name, 1)
            fields[field] = first if i == 1 else _or(_item(name, i), first)
        fields[f"c{i}"] = _or(_item("c1", i), double(0))
    columns = {
        part.vectors: _of_part(_in_order(_struct(fields).copy(), "block"), number)
        for number, part in enumerate(parts)
    }
    return grouped(together, [], columns)


def _table(model: KernelModel, parts: Sequence[_Part], shape: Shape) -> Values:
    """Holds the support vectors as they are, with a coefficient for each output of their part."""
    names = [f"x{i + 1}" for i in range(model.support.shape[1])]
    coefficients = [f"c{i + 1}" for i in range(max(len(part.outputs) for part in parts))]
    rows: list[tuple[float, ...]] = []
    for number, part in enumerate(parts):
        shares = np.zeros((part.end - part.start, len(coefficients)))
        used = model.coefficients[list(part.outputs), part.start : part.end]
        shares[:, : len(part.outputs)] = used.T
        vectors = model.support[part.start : part.end]
        for i, (share, vector) in enumerate(zip(shares, vectors, strict=True)):
            place = (float(part.start + i), float(number), float(i // max(1, shape.block)))
            rows.append((*place, *map(float, share), *map(float, vector)))
    return Values(TABLE, ("position", "part", "block", *coefficients, *names), tuple(rows))


def _cut(items: Sequence[exp.Expression], pieces: int) -> list[exp.Expression]:
    """Gives lists of about the same length."""
    ends = [len(items) * i // pieces for i in range(pieces + 1)]
    return [exp.Array(expressions=list(items[start:end])) for start, end in pairwise(ends)]


def _piece_names(name: str, pieces: int) -> list[str]:
    return [name] if pieces == 1 else [f"{name}_{i + 1}" for i in range(pieces)]


def _in_order(tree: exp.Expression, by: str) -> exp.Expression:
    ordered = exp.Order(this=tree, expressions=[exp.Ordered(this=column(by))])
    return exp.ArrayAgg(this=ordered)


def _of_part(aggregate: exp.Expression, part: int) -> exp.Expression:
    within = exp.EQ(this=column("part"), expression=double(part))
    return exp.Filter(this=aggregate, expression=exp.Where(this=within))


def _item(name: str, position: int) -> exp.Expression:
    return call("LIST_EXTRACT", column(name), exp.Literal.number(position))


def _or(tree: exp.Expression, otherwise: exp.Expression) -> exp.Expression:
    return exp.Coalesce(this=tree, expressions=[otherwise])


def _field(tree: exp.Expression, name: str) -> exp.Expression:
    return exp.Dot(this=tree.copy(), expression=exp.to_identifier(name))


def _struct(fields: Mapping[str, exp.Expression]) -> exp.Expression:
    return exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(name), expression=tree)
            for name, tree in fields.items()
        ]
    )


def _each(name: exp.Identifier, items: exp.Expression, tree: exp.Expression) -> exp.Expression:
    return exp.Transform(this=items, expression=_function([name], tree))


def _function(names: Sequence[exp.Identifier], tree: exp.Expression) -> exp.Expression:
    return exp.Lambda(this=tree, expressions=[name.copy() for name in names])


def _bracketed(tree: exp.Expression) -> exp.Expression:
    return exp.Paren(this=tree) if isinstance(tree, exp.Add) else tree
