"""The separating hyperplane and the smallest ball around the rows, from a kernel matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from miningflow.learn.arrays import Matrix
from miningflow.learn.scikit_learn import SVC, OneClassSVM

# With a ridge of r the multipliers of n rows sum to at most n / r, the price of a constant answer.
# So this box binds only where there is next to no ridge.
_HARD = 1e6


@dataclass(frozen=True, eq=False, slots=True)
class Hyperplane:
    """Multipliers α times the sign of their row, and 2 × the dual value: ‖w‖² if none is at C.

    Weston et al. print the dual value W² in (4), but bound (5) and slope (12) are those of 2 W².
    """

    signed: Matrix
    norm: float


@dataclass(frozen=True, eq=False, slots=True)
class Ball:
    """Weights β of the rows, which sum to 1 and are 0 inside the ball, and the squared radius."""

    weights: Matrix
    radius: float


def hyperplane(kernel: Matrix, signs: Matrix, C: float | None, tolerance: float) -> Hyperplane:
    """Separates the rows; without C no row may be on the wrong side of the margin."""
    machine = SVC(kernel="precomputed", C=_HARD if C is None else C, tol=tolerance)
    machine.fit(kernel, signs)
    signed = np.zeros(len(signs))
    signed[machine.support_] = machine.dual_coef_[0]
    return Hyperplane(signed, float(2.0 * np.abs(signed).sum() - signed @ kernel @ signed))


def enclosing_ball(kernel: Matrix, tolerance: float) -> Ball:
    """Returns the smallest ball, as a one-class machine with the kernel -D / 2.

    D are squared distances. On weights that sum to 1, -β'(-D / 2)β is (9), and the machine
    minimises half of β'(-D / 2)β; nu = 1 / n lets a weight be at most 1, which is no limit.
    """
    diagonal = np.diag(kernel)
    halves = kernel - 0.5 * (diagonal[:, None] + diagonal[None, :])
    machine = OneClassSVM(kernel="precomputed", nu=1.0 / len(kernel), tol=tolerance).fit(halves)
    weights = np.zeros(len(kernel))
    weights[machine.support_] = machine.dual_coef_[0]
    weights /= weights.sum()
    return Ball(weights, float(-weights @ halves @ weights))
