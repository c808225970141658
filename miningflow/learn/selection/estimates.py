"""Estimates of the error of a support vector machine on a subset of columns, from one training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from miningflow.learn.arrays import Mask, Matrix
from miningflow.learn.selection.gram import SubsetGram
from miningflow.learn.selection.subset_machine import train

# On the diagonal of kernels whose rows may be copies of one another, as a share of its mean.
_RIDGE = 1e-8


class Estimate(Protocol):
    """The error of a machine on a subset of columns, for rows with these signs."""

    @property
    def signs(self) -> Matrix:
        """1 for the rows of one class and -1 for those of the other."""

    def __call__(self, gram: SubsetGram) -> float:
        """Returns the estimated error."""


def share_of(wrong: Mask, costs: Matrix | None) -> float:
    """Returns the share of the rows that are wrong, or of their costs."""
    if costs is None:
        return float(np.mean(wrong))
    # rounded, as equal errors must compare as equal
    return round(float(costs[wrong].sum() / costs.sum()), 12)


def without_columns(signs: Matrix, costs: Matrix | None = None) -> float:
    """Returns the error of the constant answer: the share of the smaller class."""
    if costs is not None:
        return min(share_of(signs > 0, costs), share_of(signs < 0, costs))
    # Counted, as other errors are: 1 - 0.825 is not 7 / 40, and equal errors must compare as equal.
    positive = int(np.count_nonzero(signs > 0))
    return min(positive, len(signs) - positive) / len(signs)


@dataclass(frozen=True, eq=False, slots=True)
class XiAlphaEstimate:
    """The ξα-estimate d / N with d = #{i : ρ·αᵢ·R² + ξᵢ ≥ 1} (Joachims 2001).

    An example that leave-one-out gets wrong is counted if ρ is 2. Euler (2002) simplifies to ρ = 1,
    which missed 2 of 995 such examples.
    """

    signs: Matrix
    C: float
    rho: float
    tolerance: float
    costs: Matrix | None = None
    """What errors about rows cost, in units of C; the estimate is then their share of all costs."""

    def __call__(self, gram: SubsetGram) -> float:
        """Returns the estimated error."""
        if not gram.subset:
            return without_columns(self.signs, self.costs)
        matrix = gram.matrix
        machine = train(matrix, self.signs, self.C, self.tolerance, self.costs)
        slack = np.maximum(0.0, 1.0 - self.signs * machine.decisions(matrix))
        radius = gram.columns.kernel.radius(matrix)
        reach = self.rho * machine.alpha(len(matrix)) * radius
        return share_of(reach + slack >= 1.0, self.costs)


@dataclass(frozen=True, eq=False, slots=True)
class SpanEstimate:
    """The span estimate d / N with d = #{p : αₚ·Sₚ² ≥ yₚ·f(xₚ)} (Vapnik and Chapelle 2000).

    It is the leave-one-out error if no other example becomes or ceases to be a support vector. Sₚ
    is the distance to the affine hull of the other support vectors with α < C. With K their kernels
    and a border of ones for the bias, S² is 1 / (K⁻¹)ₚₚ for one of them, and K(p,p) - k'K⁻¹k for
    one with α = C.
    """

    signs: Matrix
    C: float
    tolerance: float
    costs: Matrix | None = None
    """What errors about rows cost, in units of C; the estimate is then their share of all costs."""

    def __call__(self, gram: SubsetGram) -> float:
        """Returns the estimated error."""
        if not gram.subset:
            return without_columns(self.signs, self.costs)
        matrix = gram.matrix
        machine = train(matrix, self.signs, self.C, self.tolerance, self.costs)
        alpha = machine.alpha(len(matrix))
        margin = self.signs * machine.decisions(matrix)
        most = self.C if self.costs is None else self.C * self.costs
        return share_of(alpha * squared_spans(matrix, alpha, most) >= margin, self.costs)


def squared_spans(matrix: Matrix, alpha: Matrix, C: float | Matrix) -> Matrix:
    """Returns S² of each support vector, and 0 for other rows; C may differ between rows."""
    bound = np.flatnonzero(alpha >= C)
    free = np.flatnonzero((alpha > 0) & (alpha < C))
    squares = np.zeros(len(alpha))
    squares[bound] = matrix[bound, bound]
    if len(free) == 0:
        return squares
    bordered = np.ones((len(free) + 1, len(free) + 1))
    bordered[:-1, :-1] = matrix[np.ix_(free, free)]
    bordered[-1, -1] = 0.0
    ridge = _RIDGE * float(np.trace(matrix)) / len(matrix)
    bordered[np.arange(len(free)), np.arange(len(free))] += ridge
    inverse = np.linalg.pinv(bordered, hermitian=True) if ridge == 0 else np.linalg.inv(bordered)
    across = np.ones((len(free) + 1, len(bound)))
    across[:-1] = matrix[np.ix_(free, bound)]
    with np.errstate(divide="ignore"):  # a single one has no others to be near to: S² is infinite
        squares[free] = 1.0 / np.diag(inverse)[:-1]
    squares[bound] -= np.einsum("ij,ij->j", across, inverse @ across)
    return np.maximum(squares, 0.0)
