"""Bounds on the leave-one-out error of a support vector machine, and their slope in the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import expit

from miningflow.learn.arrays import Indices, Matrix
from miningflow.learn.selection.margin.machine import enclosing_ball, hyperplane

# The steepness with which Chapelle et al. (2002) round off the step function.
_STEEP = 5.0


@dataclass(frozen=True, eq=False, slots=True)
class Bounded:
    """The value of a bound on a kernel matrix, and its derivative in each entry."""

    value: float
    slope: Matrix


class Bound(Protocol):
    """A differentiable function of a kernel matrix."""

    def __call__(self, kernel: Matrix) -> Bounded:
        """Returns the value and the slope, which is symmetric."""


@dataclass(frozen=True, eq=False, slots=True)
class RadiusMargin:
    """R²·‖w‖² / n, the bound (5) of Weston et al.

    Its slope is ‖w‖²·(diag β - ββ') - R²·(α∘y)(α∘y)' over n: the yᵢyⱼ in the slope of the radius
    as printed, (11), do not belong there.
    """

    signs: Matrix
    C: float | None
    tolerance: float

    def __call__(self, kernel: Matrix) -> Bounded:
        """Returns the value and the slope."""
        plane = hyperplane(kernel, self.signs, self.C, self.tolerance)
        ball = enclosing_ball(kernel, self.tolerance)
        slope = -plane.norm * np.outer(ball.weights, ball.weights)
        slope[np.diag_indices_from(slope)] += plane.norm * ball.weights
        slope -= ball.radius * np.outer(plane.signed, plane.signed)
        return Bounded(ball.radius * plane.norm / len(kernel), slope / len(kernel))


@dataclass(frozen=True, eq=False, slots=True)
class Span:
    """Σ Ψ(α·S² - 1) / n, the bound (6), with a step Ψ that is rounded off to have a slope.

    S² is 1 / (K⁻¹)ₚₚ, where K are the kernels of the support vectors, with a row and a column of
    ones for the bias. The ridge on the kernel takes all training errors, so there is no C.
    """

    signs: Matrix
    tolerance: float

    def __call__(self, kernel: Matrix) -> Bounded:
        """Returns the rounded value and the slope."""
        spans = self._spans(kernel)
        rounded = expit(_STEEP * (spans.alpha * spans.square - 1.0))
        steep = _STEEP * rounded * (1.0 - rounded)
        outside = len(kernel) - len(spans.rows)
        signed = spans.alpha * self.signs[spans.rows]
        # dα∘y = -P dK (α∘y) and dS² = S⁴ (P dK P)ₚₚ, with P the block of the inverse without bias.
        moved = spans.inverse @ (steep * spans.square * self.signs[spans.rows])
        shifted = np.outer(moved, signed)
        weight = steep * spans.alpha * np.square(spans.square)
        inner = (spans.inverse * weight) @ spans.inverse - 0.5 * (shifted + shifted.T)
        slope = np.zeros_like(kernel)
        slope[np.ix_(spans.rows, spans.rows)] = inner / len(kernel)
        value = (rounded.sum() + outside * expit(-_STEEP)) / len(kernel)
        return Bounded(float(value), slope)

    def errors(self, kernel: Matrix) -> int:
        """Returns the estimated number of leave-one-out errors, with the step as it is."""
        spans = self._spans(kernel)
        return int(np.count_nonzero(spans.alpha * spans.square >= 1.0))

    def _spans(self, kernel: Matrix) -> _Spans:
        signed = hyperplane(kernel, self.signs, None, self.tolerance).signed
        rows = np.flatnonzero(signed)
        bordered = np.ones((len(rows) + 1, len(rows) + 1))
        bordered[:-1, :-1] = kernel[np.ix_(rows, rows)]
        bordered[-1, -1] = 0.0
        inverse = np.linalg.inv(bordered)[:-1, :-1]
        inverse = 0.5 * (inverse + inverse.T)
        # libsvm rounds kernels to 32 bits. Its support vectors are at the margin, which gives α.
        signs = self.signs[rows]
        return _Spans(rows, signs * (inverse @ signs), inverse, 1.0 / np.diag(inverse))


@dataclass(frozen=True, eq=False, slots=True)
class _Spans:
    rows: Indices
    alpha: Matrix
    inverse: Matrix
    square: Matrix
