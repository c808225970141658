"""Kernels of two vectors in plain arithmetic, item by item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np
from sqlglot import exp

from miningflow.learn.kernels import Kernel, KernelModel, Polynomial, Radial, Sigmoid
from miningflow.sql.literals import double
from miningflow.sql.models.balanced import balanced_sum

Trees = Sequence[exp.Expression]


@dataclass(frozen=True)
class Served:
    """A part of the support vectors in their table, and the outputs of its coefficients."""

    number: int
    outputs: tuple[int, ...]


def served_outputs(model: KernelModel) -> list[Served]:
    """Returns the parts that have a coefficient, numbered as in the table of support vectors.

    Its columns c1, c2, … are the coefficients for the first, the second, … output of a part.
    """
    parts: list[Served] = []
    start = 0
    for count in model.parts or (len(model.support),):
        used = model.coefficients[:, start : start + count].any(axis=1)
        if used.any():
            parts.append(Served(len(parts), tuple(int(i) for i in np.flatnonzero(used))))
        start += count
    return parts


def kernel_value(kernel: Kernel, x: Trees, s: Trees) -> exp.Expression:
    """Returns the kernel, or for a polynomial one what is to be raised to its degree."""
    match kernel:
        case Radial():
            return exp.Exp(this=radial_exponent(kernel, x, s))
        case Polynomial():
            return inner_product(kernel, x, s)
        case Sigmoid():
            return hyperbolic_tangent(inner_product(kernel, x, s))
        case _:
            assert_never(kernel)


def radial_exponent(kernel: Radial, x: Trees, s: Trees) -> exp.Expression:
    """Returns −γ‖x−s‖², from differences: ‖x‖² − 2x·s + ‖s‖² loses digits."""
    differences = [
        exp.Paren(this=exp.Sub(this=a.copy(), expression=b.copy()))
        for a, b in zip(x, s, strict=True)
    ]
    squares = [exp.Mul(this=each, expression=each.copy()) for each in differences]
    total = exp.Paren(this=balanced_sum(squares))
    return double(-kernel.gamma) * total


def inner_product(kernel: Polynomial | Sigmoid, x: Trees, s: Trees) -> exp.Expression:
    """Returns γ x·s + c."""
    products = [exp.Mul(this=a.copy(), expression=b.copy()) for a, b in zip(x, s, strict=True)]
    total = exp.Paren(this=balanced_sum(products))
    scaled = double(kernel.gamma) * total
    return exp.Add(this=scaled, expression=double(kernel.constant))


def power(tree: exp.Expression, degree: int) -> exp.Expression:
    """Returns a power as products; a function for it takes up to ten times as long."""
    if degree == 0:
        return double(1)
    if degree == 1:
        return tree.copy()
    right = power(tree, degree - degree // 2)
    return exp.Mul(
        this=power(tree, degree // 2),
        expression=exp.Paren(this=right) if isinstance(right, exp.Mul) else right,
    )


def hyperbolic_tangent(tree: exp.Expression) -> exp.Expression:
    """Returns tanh, which all engines have."""
    return exp.Anonymous(this="TANH", expressions=[tree])
