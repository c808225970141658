"""A kernel machine for Spark: support vectors as a list in one row, and lambdas over it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from miningflow.learn.kernels import Kernel, KernelModel, Polynomial
from miningflow.sql.block import Block, Join, Values
from miningflow.sql.conditions import when
from miningflow.sql.literals import column, double, unused
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.finite import is_finite
from miningflow.sql.models.kernels.arithmetic import (
    kernel_value,
    power,
    served_outputs,
)

_ROWS, _MODEL, _ITEM, _INNER, _SUM = "rows", "model", "s", "z", "t"


def spark_decisions(
    model: KernelModel, table: Values, rows: Block, inputs: Sequence[str], outputs: Sequence[str]
) -> Block:
    """Adds a decision value per output; NULL where an input is NULL, NaN or infinite.

    A join with the support vectors and GROUP BY would need a key of the rows.
    """
    taken = [*rows.columns, *outputs]
    parts = served_outputs(model)
    total = unused("total", taken)
    known = rows.extend({total: balanced_sum([column(name) for name in inputs])})
    x = [column(name, _ROWS) for name in inputs]
    s = [_field(_ITEM, f"x{i + 1}") for i in range(len(inputs))]
    kernel = kernel_value(model.kernel, x, s)
    columns: dict[str, exp.Expression] = {name: column(name, _ROWS) for name in known.columns}
    lists: dict[str, exp.Expression] = {}
    products: list[list[exp.Expression]] = [[] for _ in outputs]
    for part in parts:
        vectors, values = (unused(f"{n}_{part.number}", taken) for n in ("vectors", "kernel"))
        lists[vectors] = _in_order(table, part.number)
        columns[vectors] = column(vectors, _MODEL)
        columns[values] = _listed(model.kernel, column(vectors, _MODEL), kernel)
        for i, output in enumerate(part.outputs):
            products[output].append(_summed(values, vectors, f"c{i + 1}"))
    held = Block(lists, {table.name: table})
    compared = Block(columns, {_ROWS: known, _MODEL: held}, (Join(_MODEL, "cross"),))
    decisions = {
        output: when(is_finite(column(total)), balanced_sum([*terms, double(float(intercept))]))
        for output, terms, intercept in zip(outputs, products, model.intercepts, strict=True)
    }
    return compared.layered().extend(decisions)


def _listed(kernel: Kernel, vectors: exp.Expression, each: exp.Expression) -> exp.Expression:
    """Takes the kernel with each support vector; a power is a separate list, or else the sum
    in it would be taken as often as its degree."""
    values = _call("TRANSFORM", vectors, _function(each.copy(), _ITEM))
    if not isinstance(kernel, Polynomial):
        return values
    raised = power(exp.to_identifier(_INNER), kernel.degree)
    return _call("TRANSFORM", values, _function(raised, _INNER))


def _summed(values: str, vectors: str, coefficient: str) -> exp.Expression:
    product = exp.Mul(this=exp.to_identifier(_INNER), expression=_field(_ITEM, coefficient))
    terms = _call("ZIP_WITH", column(values), column(vectors), _function(product, _INNER, _ITEM))
    added = exp.to_identifier(_SUM) + exp.to_identifier(_INNER)
    return _call("AGGREGATE", terms, double(0), _function(added, _SUM, _INNER))


def _in_order(table: Values, part: int) -> exp.Expression:
    """Gathers a part of the table, sorted by its first column: the position."""
    row = _call("STRUCT", *(column(name, table.name) for name in table.columns))
    within = column("part", table.name).eq(double(part))
    gathered = exp.Filter(this=_call("COLLECT_LIST", row), expression=exp.Where(this=within))
    return _call("SORT_ARRAY", gathered)


def _field(item: str, name: str) -> exp.Expression:
    return exp.Dot(this=exp.to_identifier(item), expression=exp.to_identifier(name))


def _function(tree: exp.Expression, *names: str) -> exp.Expression:
    return exp.Lambda(this=tree, expressions=[exp.to_identifier(name) for name in names])


def _call(name: str, *arguments: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this=name, expressions=list(arguments))
