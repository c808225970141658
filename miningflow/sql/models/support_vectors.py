"""A kernel machine as SQL: monomials where those are few, otherwise a table of support vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from miningflow.learn.kernels import Kernel, KernelModel, Polynomial, Radial
from miningflow.sql.block import Block, Join, Values
from miningflow.sql.literals import column, double, unused
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.finite import is_finite
from miningflow.sql.models.monomials import monomial_decisions

TABLE = "support_vectors"
_MODEL, _ROWS, _ITEM, _INNER = "model", "rows", "s", "z"


def kernel_decisions(
    model: KernelModel, rows: Block, inputs: Sequence[str], outputs: Sequence[str]
) -> Block:
    """Adds a decision value per output; NULL where an input is NULL, NaN or infinite."""
    total = unused("total", [*rows.columns, *outputs])
    known = rows.extend({total: balanced_sum([column(name) for name in inputs])})
    written = monomial_decisions(model, inputs)
    if written is None and not model.coefficients.any():  # nothing to tell rows apart by
        written = [double(float(intercept)) for intercept in model.intercepts]
    if written is not None:
        trees = dict(zip(outputs, written, strict=True))
        decided = known.layered().extend({o: _where(total, tree) for o, tree in trees.items()})
        return decided.project([*rows.columns, *outputs])
    return _compared(model, known, inputs, outputs, total).project([*rows.columns, *outputs])


@dataclass(frozen=True)
class _Part:
    """Support vectors that serve the same outputs, and the columns for them in the SELECT."""

    start: int
    end: int
    outputs: tuple[int, ...]
    vectors: str
    kernel: str
    shares: tuple[str, ...]


def _parts(model: KernelModel, taken: Sequence[str]) -> list[_Part]:
    """Gives the parts of a model; of digits, each output reads two of ten instead of all."""
    parts: list[_Part] = []
    start = 0
    for i, count in enumerate(model.parts or (len(model.support),)):
        end = start + count
        served = np.flatnonzero(model.coefficients[:, start:end].any(axis=1))
        outputs = tuple(int(output) for output in served)
        names = [unused(f"{stem}_{i}", taken) for stem in ("vectors", "kernel")]
        shares = tuple(unused(f"share_{i}_{output}", taken) for output in outputs)
        if outputs:
            parts.append(_Part(start, end, outputs, names[0], names[1], shares))
        start = end
    return parts


def _compared(
    model: KernelModel, rows: Block, inputs: Sequence[str], outputs: Sequence[str], total: str
) -> Block:
    """Takes the kernel with each support vector as a list, then its products with coefficients.

    List functions refuse NULL items even where a CASE leaves the row out, so those become 0.
    """
    taken = [*rows.columns, *outputs]
    vector, parts = unused("vector", taken), _parts(model, taken)
    items = [exp.Coalesce(this=column(name), expressions=[double(0)]) for name in inputs]
    inner = rows.extend({vector: exp.Array(expressions=items)})
    columns: dict[str, exp.Expression] = {name: column(name, _ROWS) for name in rows.columns}
    products: list[list[exp.Expression]] = [[] for _ in outputs]
    for part in parts:
        vectors = column(part.vectors, _MODEL)
        columns[part.kernel] = _kernel_list(model.kernel, column(vector, _ROWS), vectors)
        columns |= {share: column(share, _MODEL) for share in part.shares}
        for output, share in zip(part.outputs, part.shares, strict=True):
            product = _call("LIST_INNER_PRODUCT", column(part.kernel), column(share))
            products[output].append(product)
    compared = Block(
        columns, {_ROWS: inner, _MODEL: _vectors(model, parts)}, (Join(_MODEL, "cross"),)
    )
    decisions = {
        output: _where(total, balanced_sum([*terms, double(float(intercept))]))
        for output, terms, intercept in zip(outputs, products, model.intercepts, strict=True)
    }
    return compared.layered().extend(decisions)


def _kernel_list(kernel: Kernel, vector: exp.Expression, vectors: exp.Expression) -> exp.Expression:
    item = exp.to_identifier(_ITEM)
    if isinstance(kernel, Radial):
        # A list of its own for the distances: squared in one go, each would be taken twice.
        distances = _transformed(vectors, _ITEM, _call("LIST_DISTANCE", vector, item))
        squared = exp.Paren(this=_power(2))
        exponent = exp.Mul(this=double(-kernel.gamma), expression=squared)
        return _transformed(distances, _INNER, exp.Exp(this=exponent))
    product = exp.Mul(
        this=double(kernel.gamma), expression=_call("LIST_INNER_PRODUCT", vector, item)
    )
    inner = exp.Add(this=product, expression=double(kernel.constant))
    if not isinstance(kernel, Polynomial):
        return _transformed(vectors, _ITEM, _call("TANH", inner))
    # pow() took up to ten times as long as a product
    return _transformed(_transformed(vectors, _ITEM, inner), _INNER, _power(kernel.degree))


def _power(degree: int) -> exp.Expression:
    if degree == 0:
        return double(1)
    if degree == 1:
        return exp.to_identifier(_INNER)
    right = _power(degree - degree // 2)
    return exp.Mul(
        this=_power(degree // 2),
        expression=exp.Paren(this=right) if isinstance(right, exp.Mul) else right,
    )


def _vectors(model: KernelModel, parts: Sequence[_Part]) -> Block:
    """Holds all support vectors, and their coefficients for each output, as lists in one row."""
    names = [f"x{i + 1}" for i in range(model.support.shape[1])]
    coefficients = [f"c{i + 1}" for i in range(max(len(part.outputs) for part in parts))]
    rows: list[tuple[float, ...]] = []
    lists: dict[str, exp.Expression] = {}
    for number, part in enumerate(parts):
        lists[part.vectors] = _in_order(
            exp.Array(expressions=[column(name, TABLE) for name in names]), number
        )
        for share, coefficient in zip(part.shares, coefficients, strict=False):
            lists[share] = _in_order(column(coefficient, TABLE), number)
        used = np.zeros((part.end - part.start, len(coefficients)))
        used[:, : len(part.outputs)] = model.coefficients[
            list(part.outputs), part.start : part.end
        ].T
        for i, (shares, vector) in enumerate(
            zip(used, model.support[part.start : part.end], strict=True), part.start
        ):
            rows.append((float(i), float(number), *map(float, shares), *map(float, vector)))
    table = Values(TABLE, ("position", "part", *coefficients, *names), tuple(rows))
    return Block(lists, {TABLE: table})


def _in_order(tree: exp.Expression, part: int) -> exp.Expression:
    position = exp.Ordered(this=column("position", TABLE))
    gathered = exp.ArrayAgg(this=exp.Order(this=tree, expressions=[position]))
    within = exp.EQ(this=column("part", TABLE), expression=double(part))
    return exp.Filter(this=gathered, expression=exp.Where(this=within))


def _where(total: str, tree: exp.Expression) -> exp.Expression:
    return exp.Case(ifs=[exp.If(this=is_finite(column(total)), true=tree)])


def _transformed(items: exp.Expression, name: str, tree: exp.Expression) -> exp.Expression:
    function = exp.Lambda(this=tree, expressions=[exp.to_identifier(name)])
    return exp.Transform(this=items, expression=function)


def _call(name: str, *arguments: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this=name, expressions=list(arguments))
