"""The ξα-estimate of the error of a linear machine, from rows that may lie in a database."""

from __future__ import annotations

import numpy as np

from miningflow.learn.arrays import Matrix
from miningflow.learn.hinge_problem import solve_hinge
from miningflow.learn.linear_training import MOST_NEAR
from miningflow.learn.margins import MarginRows

_NARROWEST, _DOUBLINGS = 1e-3, 14


def xi_alpha_error(
    rows: MarginRows,
    weights: Matrix,
    C: float,
    rho: float,
    radius: float,
    most_near: int = MOST_NEAR,
) -> float:
    """Returns #{ρ·α·R² + ξ ≥ 1} / n (T. Joachims, 2001) for the weights of a trained machine.

    A row beyond the margin has α = C, one before it has α = 0, and those near it are solved once
    more, for their α.
    """
    widths = [_NARROWEST * 2**k for k in range(_DOUBLINGS)]
    near = rows.near(weights, widths)
    width = max([w for w, n in zip(widths, near, strict=True) if n <= most_near] or widths[:1])
    band = rows.band(weights, width)
    solution = solve_hinge(band, C)
    slack = band.offsets - band.signs * (band.X @ weights[:-1] + weights[-1])
    bounds = rho * C * radius * solution.shares + np.maximum(slack, 0)
    counted = int(np.count_nonzero(bounds >= 1))
    return (counted + rows.above(weights, max(width, 1 - rho * C * radius))) / rows.rows
