"""A kernel machine as SQL: monomials where those are few, otherwise a table of support vectors.

The table becomes lists in a single row, and functions over lists add up in a fixed order. So the
text of the SQL does not grow with the support vectors, and the rows need no key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from sqlglot import exp

from miningflow.learn.kernels import KernelModel, merged
from miningflow.sql.block import Block, Join
from miningflow.sql.conditions import when
from miningflow.sql.literals import column, double, unused
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.cost import Shape, choose
from miningflow.sql.models.finite import is_finite
from miningflow.sql.models.kernels.forms import LOWEST_EXPONENT, Form, call, form_of
from miningflow.sql.models.kernels.monomials import monomial_decisions
from miningflow.sql.models.kernels.vector_lists import (
    TABLE,
    cut,
    each,
    function,
    moved_by,
    parts_of,
    piece_names,
    vector_lists,
)

__all__ = ["TABLE", "kernel_decisions"]

_MODEL, _ROWS = "model", "rows"


def kernel_decisions(
    model: KernelModel,
    rows: Block,
    inputs: Sequence[str],
    outputs: Sequence[str],
    older: bool = False,
) -> Block:
    """Adds a decision value per output; NULL where an input is NULL, NaN or infinite.

    Before DuckDB 2.0 LIST_REDUCE takes no first value of another type than the items have.
    """
    model = merged(model)
    shape = choose(model, len(inputs))
    total = unused("total", [*rows.columns, *outputs])
    known = rows.extend({total: balanced_sum([column(name) for name in inputs])}).layered()
    match shape.kind:
        case "blocks" | "lists":
            known, written = _compared(model, shape, known, inputs, outputs, older)
        case "monomials":
            written = monomial_decisions(model, inputs)
        case "constant" | "sum":
            written = [double(float(intercept)) for intercept in model.intercepts]
        case _:
            assert_never(shape.kind)
    decisions = {
        output: when(is_finite(column(total)), tree)
        for output, tree in zip(outputs, written, strict=True)
    }
    return known.extend(decisions).project([*rows.columns, *outputs])


def _compared(
    model: KernelModel,
    shape: Shape,
    rows: Block,
    inputs: Sequence[str],
    outputs: Sequence[str],
    older: bool,
) -> tuple[Block, list[exp.Expression]]:
    """Adds what is computed over each part to the rows; returns these, and the decisions."""
    taken = [*rows.columns, *outputs]
    parts, form = parts_of(model, taken), form_of(model, shape.far)
    # Functions over lists refuse NULL even where a CASE leaves the row out, so it becomes 0.
    numbers = [exp.Coalesce(this=column(name), expressions=[double(0)]) for name in inputs]
    encoded, moved = moved_by(rows, numbers, form.center)
    names = [unused(f"vector_{i + 1}", taken) for i in range(shape.pieces)]
    encoded = encoded.extend(dict(zip(names, cut(form.row(moved), shape.pieces), strict=True)))
    comparing = _Comparing(form, shape, [column(name, _ROWS) for name in names], [*taken, *names])
    columns: dict[str, exp.Expression] = {name: column(name, _ROWS) for name in rows.columns}
    exponent = form.exponent(moved)
    if exponent is not None:
        named = unused("exponent", taken)
        encoded = encoded.extend({named: exponent})
        columns[named] = column(named, _ROWS)
    terms: list[list[exp.Expression]] = [[] for _ in outputs]
    if shape.kind == "blocks":  # of a single output, over all parts
        only = parts[0]
        added = comparing.sum_of_list if older else comparing.sum_over_blocks
        columns[only.computed] = added(column(only.vectors, _MODEL))
        terms[0].append(column(only.computed))
    for part in parts if shape.kind == "lists" else ():
        columns[part.computed] = comparing.kernel_values(column(part.vectors, _MODEL))
        columns |= {share: column(share, _MODEL) for share in part.shares}
        for output, share in zip(part.outputs, part.shares, strict=True):
            product = call("LIST_INNER_PRODUCT", column(part.computed), column(share))
            terms[output].append(product)
    sides = {_ROWS: encoded, _MODEL: vector_lists(model, form, parts, shape)}
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
        total = exp.Add(this=self.total, expression=_bracketed(balanced_sum(self._terms())))
        return call("LIST_REDUCE", blocks, function([self.total, self.item], total), double(0))

    def sum_of_list(self, blocks: exp.Expression) -> exp.Expression:
        """Does the same by a list of what each block adds."""
        return call("LIST_SUM", each(self.item, blocks, balanced_sum(self._terms())))

    def _terms(self) -> list[exp.Expression]:
        return [
            exp.Mul(
                this=_field(self.item, f"c{i}"),
                expression=self.form.value(self._inner(f"v{i}")),
            )
            for i in range(1, self.shape.block + 1)
        ]

    def kernel_values(self, vectors: exp.Expression) -> exp.Expression:
        """Returns the kernel with each of a list of vectors."""
        if self.form.takes_inner_once:
            return each(self.item, vectors, self.form.value(self._inner("v")))
        # a separate list, or it would be computed each time that the kernel names it
        inner = each(self.item, vectors, self._inner("v"))
        return each(self.inner, inner, self.form.value(self.inner))

    def _inner(self, name: str) -> exp.Expression:
        fields = piece_names(name, self.shape.pieces)
        return self.form.inner(self.row, [_field(self.item, field) for field in fields])


def _scaled(total: exp.Expression, exponent: exp.Expression) -> exp.Expression:
    """Multiplies a sum by an exponential; 0 where that is 0 and the sum infinite."""
    near = exp.GT(this=exponent, expression=double(LOWEST_EXPONENT))
    product = exp.Mul(this=exp.Exp(this=exponent.copy()), expression=_bracketed(total))
    return when(near, product, double(0))


def _field(tree: exp.Expression, name: str) -> exp.Expression:
    return exp.Dot(this=tree.copy(), expression=exp.to_identifier(name))


def _bracketed(tree: exp.Expression) -> exp.Expression:
    return exp.Paren(this=tree) if isinstance(tree, exp.Add) else tree
