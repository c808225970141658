"""Newton steps on sums over rows: the rows may lie anywhere, for example in a database."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Generic, TypeVar

import numpy as np

from miningflow.learn.arrays import Matrix

# A step by an old curvature is at most this share of the one before, or it is computed again.
_SHRINKS = 0.4
# Rounding in sums over millions of rows, relative to the objective.
_ROUNDING = 1e-12
_MOST_HALVINGS = 20


@dataclass(frozen=True, eq=False)
class Sums:
    """A loss at some weights, summed over rows; the intercept is the last of the weights."""

    loss: float
    gradient: Matrix
    curvature: Matrix | None = None


S = TypeVar("S", bound=Sums)


def summed(parts: Iterable[S]) -> S:
    """Adds up the sums over parts of the rows, of which there is at least one."""
    found = iter(parts)
    whole = next(found)
    for part in found:
        both: dict[str, Any] = {}
        for each in fields(whole):
            one, other = getattr(whole, each.name), getattr(part, each.name)
            both[each.name] = None if one is None else one + other
        whole = replace(whole, **both)
    return whole


Evaluate = Callable[[Matrix, bool], S]


@dataclass(frozen=True, eq=False)
class Minimum(Generic[S]):
    """Where the steps ended; `step` is how far the next would go, relative to the weights."""

    weights: Matrix
    sums: S
    step: float


def minimise(
    evaluate: Evaluate[S],
    start: Matrix,
    penalty: Matrix,
    tolerance: float,
    curvature: Matrix | None = None,
    most_steps: int = 200,
    keep: Callable[[Matrix], None] = lambda weights: None,
) -> Minimum[S]:
    """Minimises ½ Σ penalty·w² + loss(w) by Newton steps.

    `evaluate` sums the loss over all rows, its curvature only on request: that costs a product for
    each pair of columns. So a curvature, for example the one of a few rows scaled up, is kept, and
    corrected by what each step shows of it (BFGS), as long as steps get much shorter. `keep` is
    told the weights after each step.
    """
    weights = start
    sums = evaluate(weights, curvature is None)
    fresh = curvature is None
    bent = _bent(sums.curvature if curvature is None else curvature, penalty)
    length, before = np.inf, np.inf
    for _ in range(most_steps):
        slope = penalty * weights + sums.gradient
        direction = -_solved(bent, slope)
        length = float(np.abs(direction).max(initial=0) / max(1.0, np.abs(weights).max(initial=0)))
        if length <= tolerance:
            break
        moved = None
        if fresh or length <= _SHRINKS * before:
            moved = _moved(evaluate, weights, sums, penalty, direction, slope, search=fresh)
            if moved is None and fresh:
                break  # nothing lower within rounding
        if moved is None:
            sums = evaluate(weights, True)
            bent, fresh, before = _bent(sums.curvature, penalty), True, np.inf
            continue
        bent = _corrected(bent, moved[0] - weights, moved[1].gradient - sums.gradient, penalty)
        weights, sums = moved
        keep(weights)
        fresh, before = False, length
    return Minimum(weights, sums, length)


def _bent(curvature: Matrix | None, penalty: Matrix) -> Matrix:
    assert curvature is not None
    total: Matrix = curvature + np.diag(penalty)
    return total


def _corrected(bent: Matrix, step: Matrix, rise: Matrix, penalty: Matrix) -> Matrix:
    """Makes a curvature agree with how the gradient changed along a step."""
    change = rise + penalty * step
    foreseen = bent @ step
    seen = float(change @ step)
    if seen <= 1e-8 * float(step @ foreseen):
        return bent
    corrected: Matrix = (
        bent
        + np.outer(change, change) / seen
        - np.outer(foreseen, foreseen) / float(step @ foreseen)
    )
    return corrected


def _moved(
    evaluate: Evaluate[S],
    weights: Matrix,
    sums: S,
    penalty: Matrix,
    direction: Matrix,
    slope: Matrix,
    search: bool,
) -> tuple[Matrix, S] | None:
    """Goes along a direction until the objective falls enough; without `search` only once."""
    here = _objective(weights, sums, penalty)
    descent = float(slope @ direction)
    share = 1.0
    for _ in range(_MOST_HALVINGS if search else 1):
        there = weights + share * direction
        found = evaluate(there, False)
        rise = _objective(there, found, penalty) - here
        if rise <= 1e-4 * share * descent + _ROUNDING * abs(here):
            return there, found
        # the lowest point of the parabola through what is known of this line
        lowest = -0.5 * descent * share**2 / (rise - descent * share)
        share = float(np.clip(lowest, 0.1 * share, 0.5 * share))
    return None


def _objective(weights: Matrix, sums: Sums, penalty: Matrix) -> float:
    return float(0.5 * np.sum(penalty * weights**2) + sums.loss)


def _solved(matrix: Matrix, right: Matrix) -> Matrix:
    """Solves a system that may be singular where a weight has neither penalty nor curvature."""
    largest = max(float(np.abs(np.diag(matrix)).max(initial=0)), 1e-300)
    ridge = 1e-13 * largest * np.eye(len(right))
    solution = np.asarray(np.linalg.solve(matrix + ridge, right), dtype=np.float64)
    return solution
