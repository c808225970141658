"""A polynomial kernel written out: one coefficient per monomial, no support vectors left."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from sqlglot import exp

from miningflow.learn.kernels import KernelModel, Matrix, Polynomial
from miningflow.sql.literals import column, double
from miningflow.sql.models.balanced import balanced_sum

# Measured on DuckDB: below both bounds monomials are 10 to 29 times as fast as scikit-learn; above,
# planning the expression takes longer than comparing with the support vectors.
MOST_MONOMIALS = 2_000
MOST_PER_VECTOR = 5
# Each degree is a level of parentheses, and engines limit those.
HIGHEST_DEGREE = 30


def monomial_decisions(model: KernelModel, inputs: Sequence[str]) -> list[exp.Expression] | None:
    """Gives each decision in nested Horner form, or None where support vectors serve better."""
    kernel = model.kernel
    if not isinstance(kernel, Polynomial) or kernel.degree > HIGHEST_DEGREE:
        return None
    outputs, vectors = model.coefficients.shape
    count = outputs * _monomials(kernel, len(inputs))
    if count > MOST_MONOMIALS or count > MOST_PER_VECTOR * vectors:
        return None
    try:
        return [
            _horner(kernel, model.support, coefficients, float(intercept), inputs)
            for coefficients, intercept in zip(model.coefficients, model.intercepts, strict=True)
        ]
    except OverflowError:
        return None


def _monomials(kernel: Polynomial, width: int) -> int:
    if kernel.constant == 0:
        return math.comb(width + kernel.degree - 1, kernel.degree)
    return math.comb(width + kernel.degree, kernel.degree)


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
        """Gives what stands behind a product of inputs whose last is `first`, `repeated` times.

        `weights` are the coefficients times that product of each support vector, and `ways` is the
        number of orders in which the product can be written.
        """
        constant = shares[order] * ways * float(weights.sum())
        if order == 0:
            constant += intercept
        if not math.isfinite(constant):
            raise OverflowError
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

    with np.errstate(over="ignore", invalid="ignore"):
        written = list(terms(np.asarray(coefficients, dtype=np.float64), 0, 0, 0, 1.0))
    return balanced_sum(written) if written else double(0)
