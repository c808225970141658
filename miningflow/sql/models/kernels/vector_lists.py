"""Support vectors as lists: a table of them, gathered in a single row and in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sqlglot import exp

from miningflow.learn.kernels import KernelModel
from miningflow.sql.block import Block, Values, grouped, over
from miningflow.sql.literals import column, double, unused
from miningflow.sql.models.cost import Shape, choose
from miningflow.sql.models.kernels.forms import Form, call

TABLE = "support_vectors"


@dataclass(frozen=True)
class Part:
    """Support vectors that serve the same outputs, and the columns for them in the SELECT."""

    start: int
    end: int
    outputs: tuple[int, ...]
    vectors: str
    computed: str
    shares: tuple[str, ...]


def parts_of(model: KernelModel, taken: Sequence[str]) -> list[Part]:
    """Returns the parts of a model; of digits, each output reads two of ten instead of all."""
    parts: list[Part] = []
    start = 0
    for i, count in enumerate(model.parts or (len(model.support),)):
        end = start + count
        served = np.flatnonzero(model.coefficients[:, start:end].any(axis=1))
        outputs = tuple(int(output) for output in served)
        vectors, computed = (unused(f"{stem}_{i}", taken) for stem in ("vectors", "computed"))
        shares = tuple(unused(f"share_{i}_{output}", taken) for output in outputs)
        if outputs:
            parts.append(Part(start, end, outputs, vectors, computed, shares))
        start = end
    return parts


def tables_of(model: KernelModel, width: int) -> tuple[Values, ...]:
    """Returns the table that the SQL of a model reads, if it reads one."""
    if choose(model, width).kind not in ("blocks", "lists"):
        return ()
    return (_table(model, parts_of(model, ())),)


def vector_lists(model: KernelModel, form: Form, parts: Sequence[Part], shape: Shape) -> Block:
    """Holds the vectors and shares of each part as lists, in one row."""
    table = _table(model, parts)
    shares = [name for name in table.columns if name.startswith("c")]
    numbers = [column(name) for name in table.columns if name.startswith("x")]
    rows, moved = moved_by(over(table), numbers, form.center)
    pieces = cut(form.vector(moved), shape.pieces)
    rows = rows.extend(dict(zip(piece_names("v", shape.pieces), pieces, strict=True)))
    exponent = form.exponent(moved)
    if exponent is not None:
        rows = rows.extend({"weight": exp.Exp(this=exponent)}).layered()
        rows = rows.extend({name: column(name) * column("weight") for name in shares})
    gather = _in_blocks if shape.kind == "blocks" else _one_by_one
    return gather(rows, parts, shape)


def moved_by(
    rows: Block, numbers: Sequence[exp.Expression], center: Sequence[float]
) -> tuple[Block, list[exp.Expression]]:
    """Adds numbers less a center, if there is one, as columns; returns the rows and the columns."""
    if not center:
        return rows, list(numbers)
    names = [unused(f"moved_{i + 1}", rows.columns) for i in range(len(numbers))]
    trees: dict[str, exp.Expression] = {
        name: exp.Sub(this=number, expression=double(mean))
        for name, number, mean in zip(names, numbers, center, strict=True)
    }
    return rows.extend(trees).layered(), [column(name) for name in names]


def cut(items: Sequence[exp.Expression], pieces: int) -> list[exp.Expression]:
    """Returns lists of about the same length."""
    ends = [len(items) * i // pieces for i in range(pieces + 1)]
    return [exp.Array(expressions=list(items[start:end])) for start, end in pairwise(ends)]


def piece_names(name: str, pieces: int) -> list[str]:
    """Returns the names of the lists that a vector is cut into."""
    return [name] if pieces == 1 else [f"{name}_{i + 1}" for i in range(pieces)]


def each(name: exp.Identifier, items: exp.Expression, tree: exp.Expression) -> exp.Expression:
    """Applies a function of one parameter to the items of a list."""
    return exp.Transform(this=items, expression=function([name], tree))


def function(names: Sequence[exp.Identifier], tree: exp.Expression) -> exp.Expression:
    """Writes a function of these parameters."""
    return exp.Lambda(this=tree, expressions=[name.copy() for name in names])


def _one_by_one(rows: Block, parts: Sequence[Part], shape: Shape) -> Block:
    """Gathers the vectors of each part, and its shares for each output."""
    vector = _struct({name: column(name) for name in piece_names("v", shape.pieces)})
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


def _in_blocks(rows: Block, parts: Sequence[Part], shape: Shape) -> Block:
    """Gathers all vectors in blocks; the last is filled up with some that have no share."""
    names = piece_names("v", shape.pieces)
    lists = {name: _in_order(column(name), "position") for name in (*names, "c1")}
    first = exp.to_identifier("i")
    fields: dict[str, exp.Expression] = {}
    for i in range(shape.block):
        place = first + exp.Literal.number(i)
        for name, field in zip(names, piece_names(f"v{i + 1}", shape.pieces), strict=True):
            fields[field] = _item(name, place, _item(name, exp.Literal.number(1)))
        fields[f"c{i + 1}"] = _item("c1", place, double(0))
    end = exp.Add(this=call("LEN", column("c1")), expression=exp.Literal.number(1))
    starts = call("RANGE", exp.Literal.number(1), end, exp.Literal.number(shape.block))
    blocks = {parts[0].vectors: each(first, starts, _struct(fields))}
    return grouped(rows, [], lists).layered().extend(blocks)


def _table(model: KernelModel, parts: Sequence[Part]) -> Values:
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
            place = (float(part.start + i), float(number))
            rows.append((*place, *map(float, share), *map(float, vector)))
    return Values(TABLE, ("position", "part", *coefficients, *names), tuple(rows))


def _in_order(tree: exp.Expression, by: str) -> exp.Expression:
    ordered = exp.Order(this=tree, expressions=[exp.Ordered(this=column(by))])
    return exp.ArrayAgg(this=ordered)


def _of_part(aggregate: exp.Expression, part: int) -> exp.Expression:
    within = column("part").eq(double(part))
    return exp.Filter(this=aggregate, expression=exp.Where(this=within))


def _item(
    name: str, place: exp.Expression, otherwise: exp.Expression | None = None
) -> exp.Expression:
    found = call("LIST_EXTRACT", column(name), place.copy())
    return exp.Coalesce(this=found, expressions=[otherwise]) if otherwise is not None else found


def _struct(fields: Mapping[str, exp.Expression]) -> exp.Expression:
    return exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(name), expression=tree)
            for name, tree in fields.items()
        ]
    )
