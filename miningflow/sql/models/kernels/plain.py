"""A kernel machine in plain arithmetic: every support vector written out, no table and no list."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlglot import exp

from miningflow.learn.kernels import Kernel, KernelModel, Polynomial
from miningflow.sql.block import Block
from miningflow.sql.conditions import when
from miningflow.sql.dialects import Dialect, NotInDialect
from miningflow.sql.literals import column, double, unused
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.finite import is_finite
from miningflow.sql.models.kernels.arithmetic import (
    kernel_value,
    power,
)
from miningflow.sql.models.kernels.support_vectors import kernel_decisions

# Beyond, the exponential counts for nothing, and on some engines it is an error.
LOWEST_EXPONENT = -600.0


def plain_decisions(
    model: KernelModel,
    rows: Block,
    inputs: Sequence[str],
    outputs: Sequence[str],
    compared: bool,
    dialect: Dialect,
) -> Block:
    """Adds a decision value per output; NULL where an input is NULL, NaN or infinite."""
    if not compared:
        return kernel_decisions(model, rows, inputs, outputs)
    terms = int((model.coefficients != 0).any(axis=0).sum()) * len(inputs)
    if terms > dialect.most_terms:
        raise NotInDialect(
            f"{dialect.name} has no functions over lists, and written out this kernel machine "
            f"would have {terms:,} terms; the most are {dialect.most_terms:,}",
            "use a linear kernel, fewer features, a smaller `sample_size`, or dialect 'duckdb'",
        )
    total = unused("total", [*rows.columns, *outputs])
    known = rows.extend({total: balanced_sum([column(name) for name in inputs])}).layered()
    used = np.flatnonzero((model.coefficients != 0).any(axis=0))
    taken = [*known.columns, *outputs]
    names = {int(i): unused(f"kernel_{i + 1}", taken) for i in used}
    x = [column(name) for name in inputs]
    kernels = {
        name: kernel_value(model.kernel, x, [double(float(value)) for value in model.support[i]])
        for i, name in names.items()
    }
    # A separate SELECT, since each kernel value may serve several outputs.
    computed = known.extend(kernels).layered()
    decisions: dict[str, exp.Expression] = {}
    for output, coefficients, intercept in zip(
        outputs, model.coefficients, model.intercepts, strict=True
    ):
        products: list[exp.Expression] = [
            exp.Mul(
                this=double(float(coefficients[i])),
                expression=_raised(model.kernel, column(name)),
            )
            for i, name in names.items()
            if coefficients[i] != 0
        ]
        decision = balanced_sum([*products, double(float(intercept))])
        is_known = is_finite(column(total))
        decisions[output] = when(is_known, decision)
    return computed.extend(decisions).project([*rows.columns, *outputs])


def _raised(kernel: Kernel, named: exp.Expression) -> exp.Expression:
    if not isinstance(kernel, Polynomial):
        return named
    raised = power(named, kernel.degree)
    return exp.Paren(this=raised) if isinstance(raised, exp.Mul) else raised
