"""Kernels over two lists of numbers: one made from a row, one from a support vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np
from sqlglot import exp

from miningflow.learn.kernels import KernelModel, Polynomial, Radial, Sigmoid
from miningflow.sql.literals import double
from miningflow.sql.models.balanced import balanced_sum

Trees = Sequence[exp.Expression]


# Below, a row is so far from all support vectors that its kernel values are less than 1e-80.
LOWEST_EXPONENT = -700.0


@dataclass(frozen=True)
class Exponential:
    """A radial kernel as a product of exponentials.

    With the mean m of the support vectors, exp(−γ‖x−s‖²) is exp(2γ(x−m)·(s−m)), times exp(−γ‖s−m‖²)
    as part of the coefficient, times exp(−γ‖x−m‖²) once for a row. Around zero instead of m it
    would lose the digits of whatever is far from zero. A column in which all support vectors are
    equal counts in ‖x−m‖² only.
    """

    gamma: float
    center: tuple[float, ...]
    varying: tuple[int, ...]
    takes_inner_once = True

    def row(self, moved: Trees) -> list[exp.Expression]:
        """Returns the items of a row; `moved` are its numbers less the center."""
        return [moved[i] for i in self.varying]

    def vector(self, moved: Trees) -> list[exp.Expression]:
        """Returns the items of a support vector."""
        return _times(2 * self.gamma, self.row(moved))

    def exponent(self, moved: Trees) -> exp.Expression:
        """Returns −γ‖x−m‖², the logarithm of what coefficients and sums are multiplied by."""
        squares = [exp.Mul(this=tree.copy(), expression=tree.copy()) for tree in moved]
        length = exp.Paren(this=balanced_sum(squares))
        return double(-self.gamma) * length

    def inner(self, row: Trees, vector: Trees) -> exp.Expression:
        """Returns the number that the kernel is a function of; both lists come in pieces."""
        return _inner_product(row, vector)

    def value(self, inner: exp.Expression) -> exp.Expression:
        """Returns the kernel."""
        return exp.Exp(this=inner)


@dataclass(frozen=True)
class Distance:
    """A radial kernel by distances, which have all digits however far apart the vectors are."""

    gamma: float
    center = ()
    takes_inner_once = False

    def row(self, moved: Trees) -> list[exp.Expression]:
        """Returns the numbers of a row themselves."""
        return [*moved]

    def vector(self, moved: Trees) -> list[exp.Expression]:
        """Returns the numbers of a support vector themselves."""
        return [*moved]

    def exponent(self, moved: Trees) -> None:
        """Leaves coefficients and sums as they are."""

    def inner(self, row: Trees, vector: Trees) -> exp.Expression:
        """Returns ‖x−s‖; both lists are in one piece."""
        return call("LIST_DISTANCE", row[0].copy(), vector[0])

    def value(self, inner: exp.Expression) -> exp.Expression:
        """Returns exp(−γ‖x−s‖²)."""
        squared = exp.Paren(this=exp.Mul(this=inner, expression=inner.copy()))
        return exp.Exp(this=double(-self.gamma) * squared)


@dataclass(frozen=True)
class Product:
    """A polynomial or sigmoid kernel; γx·s + c is one inner product with one more item."""

    kernel: Polynomial | Sigmoid
    center = ()

    @property
    def takes_inner_once(self) -> bool:
        """Returns whether the kernel names the inner product only once."""
        return isinstance(self.kernel, Sigmoid)

    def row(self, moved: Trees) -> list[exp.Expression]:
        """Returns the items of a row."""
        return [*moved, double(1)] if self.kernel.constant else [*moved]

    def vector(self, moved: Trees) -> list[exp.Expression]:
        """Returns the items of a support vector."""
        constant = [double(self.kernel.constant)] if self.kernel.constant else []
        return [*_times(self.kernel.gamma, moved), *constant]

    def exponent(self, moved: Trees) -> None:
        """Leaves coefficients and sums as they are."""

    def inner(self, row: Trees, vector: Trees) -> exp.Expression:
        """Returns γx·s + c; both lists come in pieces."""
        return _inner_product(row, vector)

    def value(self, inner: exp.Expression) -> exp.Expression:
        """Returns the kernel; pow() would take up to ten times as long as products."""
        match self.kernel:
            case Sigmoid():
                return call("TANH", inner)
            case Polynomial(degree):
                return _power(inner, degree)
            case _:
                assert_never(self.kernel)


Form = Exponential | Distance | Product


def form_of(model: KernelModel, far: bool) -> Form:
    """Returns the form of a kernel; `far` says that support vectors lie too far from their mean."""
    if not isinstance(model.kernel, Radial):
        return Product(model.kernel)
    if far:
        return Distance(model.kernel.gamma)
    varying = (model.support != model.support[0]).any(axis=0)
    # the mean of equal numbers may differ from them in the last digit
    center = np.where(varying, model.support.mean(axis=0), model.support[0])
    return Exponential(
        model.kernel.gamma,
        tuple(float(mean) for mean in center),
        tuple(int(i) for i in np.flatnonzero(varying)),
    )


def call(name: str, *arguments: exp.Expression) -> exp.Expression:
    """Calls a function that the printer does not know."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def _inner_product(row: Trees, vector: Trees) -> exp.Expression:
    pieces = zip(row, vector, strict=True)
    return balanced_sum([call("LIST_INNER_PRODUCT", x.copy(), s) for x, s in pieces])


def _times(factor: float, trees: Trees) -> list[exp.Expression]:
    return [exp.Mul(this=double(factor), expression=tree) for tree in trees]


def _power(tree: exp.Expression, degree: int) -> exp.Expression:
    if degree == 0:
        return double(1)
    if degree == 1:
        return tree.copy()
    right = _power(tree, degree - degree // 2)
    return exp.Mul(
        this=_power(tree, degree // 2),
        expression=exp.Paren(this=right) if isinstance(right, exp.Mul) else right,
    )
