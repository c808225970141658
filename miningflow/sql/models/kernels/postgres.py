"""A kernel machine for PostgreSQL: a lateral sum over the table of support vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import numpy as np
from sqlglot import exp

from miningflow.learn.kernels import Kernel, KernelModel, Polynomial, Radial, Sigmoid
from miningflow.sql.block import Block, Join, Values
from miningflow.sql.conditions import is_known, when
from miningflow.sql.dialects import NotInDialect
from miningflow.sql.literals import column, double
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.kernels.arithmetic import (
    Trees,
    kernel_value,
    power,
    radial_exponent,
    served_outputs,
)
from miningflow.sql.models.kernels.support_vectors import kernel_decisions
from miningflow.sql.models.model_inputs import new_names
from miningflow.sql.models.postgres_ranges import limited

# EXP of less raises, and of this it leaves room for small coefficients.
SMALLEST_EXPONENT = -600.0
# No sum of a machine may come near to what raises.
_LARGEST_SUM, _SMALLEST_POWER = 1e290, 1e-250
_LARGEST_INPUT, _SMALLEST_INPUT = 1e140, 1e-140
# Inputs this small beside those of the support vectors change no sum of doubles; a product of
# as many of them as this is still a double.
_NEGLIGIBLE, _MOST_FACTORS = 1e-20, 12

_ROWS, _KERNELS, _SUMS = "given", "compared", "sums"


def postgres_decisions(
    model: KernelModel,
    tables: Sequence[Values],
    rows: Block,
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> Block:
    """Adds a decision value per output; NULL where an input is NULL or too large to decide by."""
    names = new_names("input", len(inputs), [*rows.columns, *outputs])
    largest = _largest_input(model)
    limits = {
        name: limited(column(given), largest, smallest)
        for name, given, smallest in zip(
            names, inputs, _smallest_inputs(model, bool(tables)), strict=True
        )
    }
    known = rows.extend(limits).layered()
    if not tables:
        return kernel_decisions(model, known, names, outputs)
    (table,) = tables
    sums, decisions = _sums(model, table, names), {}
    total = balanced_sum([column(name, _ROWS) for name in names])
    all_known = is_known(exp.Paren(this=total))
    for output, names_of_sums, intercept in zip(
        outputs, _sums_of(model), model.intercepts, strict=True
    ):
        terms = [column(name, _SUMS) for name in names_of_sums]
        decision = balanced_sum([*terms, double(float(intercept))])
        decisions[output] = when(all_known.copy(), decision)
    kept = {name: column(name, _ROWS) for name in rows.columns}
    return Block({**kept, **decisions}, {_ROWS: known, _SUMS: sums}, (Join(_SUMS, "lateral"),))


def _sums_of(model: KernelModel) -> list[list[str]]:
    """Names for each output the sums it is made of, one for each part that serves it."""
    names: list[list[str]] = [[] for _ in model.intercepts]
    for part in served_outputs(model):
        for output in part.outputs:
            names[output].append(f"sum_{part.number}_{output}")
    return names


def _sums(model: KernelModel, table: Values, names: Sequence[str]) -> Block:
    """Multiplies kernels, each computed once, with the coefficients of each output."""
    x = [column(name, _ROWS) for name in names]
    s = [column(f"x{i + 1}", table.name) for i in range(len(names))]
    parts = served_outputs(model)
    used = [name for name in table.columns if name == "part" or name.startswith("c")]
    kernels: dict[str, exp.Expression] = {name: column(name, table.name) for name in used}
    kernels["kernel"] = _kernel(model.kernel, x, s)
    compared = Block(kernels, {table.name: table})
    value = _value(model.kernel, column("kernel", _KERNELS))
    sums: dict[str, exp.Expression] = {}
    for part in parts:
        within = column("part", _KERNELS).eq(double(part.number))
        for i, output in enumerate(part.outputs):
            coefficient = column(f"c{i + 1}", _KERNELS)
            summed = exp.Sum(this=exp.Mul(this=coefficient, expression=value.copy()))
            sums[f"sum_{part.number}_{output}"] = (
                exp.Filter(this=summed, expression=exp.Where(this=within.copy()))
                if len(parts) > 1
                else summed
            )
    return Block(sums, {_KERNELS: compared})


def _kernel(kernel: Kernel, x: Trees, s: Trees) -> exp.Expression:
    if not isinstance(kernel, Radial):
        return kernel_value(kernel, x, s)
    # GREATEST makes a number of NULL; the decision asks for NULL apart.
    exponent = radial_exponent(kernel, x, s)
    return exp.Exp(this=exp.Greatest(this=exponent, expressions=[double(SMALLEST_EXPONENT)]))


def _value(kernel: Kernel, named: exp.Expression) -> exp.Expression:
    if not isinstance(kernel, Polynomial):
        return named
    if kernel.degree < 2:
        return power(named, kernel.degree)
    negligible = double(_SMALLEST_POWER ** (1 / kernel.degree))
    zero = exp.Abs(this=named) < negligible
    raised = power(named, kernel.degree)
    return when(zero, double(0), raised)


def _largest_input(model: KernelModel) -> float:
    """Returns a size of inputs up to which no sum overflows."""
    kernel = model.kernel
    if len(model.support) == 0:
        return _LARGEST_INPUT
    match kernel:
        case Radial():
            return _LARGEST_INPUT
        case Sigmoid():
            degree = 1
        case Polynomial():
            degree = max(1, kernel.degree)
        case _:
            assert_never(kernel)
    with np.errstate(over="ignore"):
        weights = float(np.abs(model.coefficients).sum(axis=1).max())
        size = abs(kernel.gamma) * float(np.abs(model.support).sum(axis=1).max())
    reach: float = (_LARGEST_SUM / max(1.0, weights)) ** (1 / degree) - abs(kernel.constant)
    if not np.isfinite(size) or reach <= 0:
        raise NotInDialect(
            "postgres raises on overflow, and the support vectors of this kernel are too large"
        )
    return min(_LARGEST_INPUT, reach / max(size, 1e-100))


def _smallest_inputs(model: KernelModel, compared: bool) -> list[float]:
    """Returns for each input a size below which it counts as 0, so that no product underflows."""
    kernel = model.kernel
    if compared or not isinstance(kernel, Polynomial):
        return [_SMALLEST_INPUT] * model.support.shape[1]
    if kernel.constant == 0 and kernel.degree > _MOST_FACTORS:
        raise NotInDialect(
            f"postgres raises on underflow, as in products of {kernel.degree} factors, which a "
            "polynomial kernel without a constant has",
            f"use a degree of at most {_MOST_FACTORS}, a constant (coef0), or dialect 'duckdb'",
        )
    sizes = np.abs(model.support).max(axis=0, initial=0.0)
    return [max(_SMALLEST_INPUT, _NEGLIGIBLE * float(size)) for size in sizes]
