"""A polynomial kernel written out: one coefficient per monomial, no support vectors left."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from sqlglot import exp

from miningflow.learn.arrays import Matrix
from miningflow.learn.kernels import KernelModel, Polynomial
from miningflow.sql.literals import column, double
from miningflow.sql.models.balanced import balanced_sum


def monomial_decisions(model: KernelModel, inputs: Sequence[str]) -> list[exp.Expression]:
    """Returns each decision of a polynomial kernel in nested Horner form."""
    kernel = model.kernel
    if not isinstance(kernel, Polynomial):
        raise TypeError(f"{kernel} is no polynomial")
    return [
        _horner(kernel, model.support, coefficients, float(intercept), inputs)
        for coefficients, intercept in zip(model.coefficients, model.intercepts, strict=True)
    ]


def _horner(
    kernel: Polynomial,
    support: Matrix,
    coefficients: Matrix,
    intercept: float,
    inputs: Sequence[str],
) -> exp.Expression:
    degree = kernel.degree
    shares = [
        math.comb(degree, k) * kernel.gamma**k * kernel.constant ** (degree - k)
        for k in range(degree + 1)
    ]

    def terms(
        weights: Matrix, order: int, first: int, repeated: int, ways: float
    ) -> Iterator[exp.Expression]:
        """Returns what stands behind a product of inputs whose last is `first`, `repeated` times.

        `weights` are the coefficients times that product of each support vector, and `ways` is the
        number of orders in which the product can be written.
        """
        constant = shares[order] * ways * float(weights.sum())
        if order == 0:
            constant += intercept
        if constant != 0:
            yield double(constant)
        if order == degree:
            return
        for i in range(first, len(inputs)):
            again = repeated + 1 if i == first and order > 0 else 1
            inner = terms(weights * support[:, i], order + 1, i, again, ways * (order + 1) / again)
            inside = list(inner)
            if inside:
                factor = balanced_sum(inside)
                if isinstance(factor, exp.Add):
                    factor = exp.Paren(this=factor)
                yield exp.Mul(this=column(inputs[i]), expression=factor)

    written = list(terms(np.asarray(coefficients, dtype=np.float64), 0, 0, 0, 1.0))
    return balanced_sum(written) if written else double(0)
