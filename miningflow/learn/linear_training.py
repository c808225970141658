"""Linear machines trained by passes over rows that may lie in a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from miningflow.learn.arrays import Matrix
from miningflow.learn.hinge_problem import solve_hinge
from miningflow.learn.machines import LinearModels
from miningflow.learn.margins import HingeSums, MarginRows, RowsInMemory
from miningflow.learn.newton import S, Sums, minimise

# The relative duality gap at which a solution is taken as exact.
CERTIFIED = 1e-6
# Rows near the margin that are solved exactly; 20 columns of them are 3 MB. Where many rows are
# alike, or one class is rare, a great number can lie on the margin, and more are taken in the end.
MOST_NEAR, MOST_ON_MARGIN = 20_000, 200_000
# How much the hinge is smoothed: without a good start, with one, at the very end.
_WIDEST, _FIRST, _NARROWEST = 2.0, 0.1, 1e-3
_NARROWS = 4
_CROWDED = 0.05
_MOST_STEPS = 8
_DOUBLINGS = 14
_MOST_CENTRES = 4
_EVERYWHERE = 1e300
# Where all rows fit with weights of 0, rounding leaves an objective of this size, at most.
_NOTHING = 1e-18


@dataclass(frozen=True, eq=False, slots=True)
class Iterate:
    """How far training got; weights have the intercept as their last."""

    weights: Matrix
    smoothing: float = 0.0


Keep = Callable[[Iterate], None]


@dataclass(frozen=True, eq=False, slots=True)
class Course:
    """Where training starts, and what is called on the way.

    A sample, if there is one, provides the start and a first curvature; the iterate of a training
    that was interrupted is a better start. The result is the same.
    """

    sample: RowsInMemory | None = None
    start: Iterate | None = None
    keep: Keep = field(default=lambda iterate: None)


@dataclass(frozen=True, eq=False, slots=True)
class Trained:
    """A machine, its objective, and a bound on the least one."""

    weights: Matrix
    """The intercept is the last."""
    objective: float
    bound: float
    """No objective is less: a value of the dual problem."""

    @property
    def model(self) -> LinearModels:
        """The weights as a model."""
        return LinearModels(self.weights[np.newaxis, :-1].copy(), self.weights[-1:].copy())

    @property
    def gap(self) -> float:
        """How far the objective is from the least, at most, relative to itself."""
        if self.objective <= _NOTHING:
            return 0.0
        return max(0.0, (self.objective - self.bound) / self.objective)


def train_squared_hinge(rows: MarginRows, C: float, course: Course | None = None) -> Trained:
    """Minimises ½(‖w‖² + b²) + C Σ max(0, s)², the objective of scikit-learn's LinearSVC."""
    course = course or Course()
    sample = course.sample
    penalty = np.ones(rows.width + 1)

    def sums(over: MarginRows, price: float, weights: Matrix, curvature: bool) -> Sums:
        return _times(over.squared_hinge(weights, curvature), price)

    start, curvature = np.zeros(rows.width + 1), None
    if course.start is not None:
        start = course.start.weights
    if sample is not None:
        price = C * rows.rows / sample.rows
        if course.start is None:
            start = minimise(
                lambda w, curved: sums(sample, price, w, curved), start, penalty, 1e-5
            ).weights
        curvature = sums(sample, price, start, True).curvature
    found = minimise(
        lambda w, curved: sums(rows, C, w, curved),
        start,
        penalty,
        1e-8,
        curvature,
        keep=lambda weights: course.keep(Iterate(weights)),
    )
    weights, loss = found.weights, found.sums.loss
    objective = 0.5 * float(weights @ weights) + loss
    # The shares 2·s of the dual problem pull by the negative gradient; Σ 2·s·o is margins + 2·loss.
    pulled = -found.sums.gradient
    margins = float(weights @ pulled)
    dual = (margins + 2 * loss) - 0.5 * float(pulled @ pulled) - loss
    return Trained(weights, objective, dual)


def train_hinge(
    rows: MarginRows, C: float, course: Course | None = None, most_near: int = MOST_NEAR
) -> Trained:
    """Minimises ½‖w‖² + C Σ max(0, s), the objective of scikit-learn's SVC and SVR.

    The hinge is smoothed less and less until few rows are near the margin. These are then solved
    exactly, with all violators beyond in sum, and the duality gap over all rows says how well.
    """
    course = course or Course()
    if rows.rows <= most_near:
        return _exactly(rows, C, np.zeros(rows.width + 1), _EVERYWHERE)
    first = _first(rows, C, course)
    weights, smoothing = first.weights, first.smoothing
    best: Trained | None = None
    crowd = rows.rows
    while smoothing >= _NARROWEST:
        found, weights = _smoothed(rows, C, weights, smoothing, course)
        best = _better(best, found)
        best, near = _around(rows, C, best, weights, smoothing, most_near)
        if best.gap <= CERTIFIED:
            return best
        if smoothing < _CROWDED and near > max(most_near, crowd // 2):
            break  # they lie on the margin itself
        crowd = near
        smoothing /= _NARROWS
    assert best is not None
    return _around(rows, C, best, weights, smoothing, max(most_near, MOST_ON_MARGIN))[0]


def _first(rows: MarginRows, C: float, course: Course) -> Iterate:
    if course.start is not None:
        return course.start
    if course.sample is not None:
        price = C * rows.rows / course.sample.rows
        return Iterate(solve_hinge(course.sample.all(), price).weights, _FIRST)
    return Iterate(train_squared_hinge(rows, C).weights, _WIDEST)


def _around(
    rows: MarginRows, C: float, best: Trained, centre: Matrix, width: float, most: int
) -> tuple[Trained, int]:
    """Solves exactly in the widest band that has few enough rows, as long as that gets better.

    Also returns how many rows are in the narrowest band.
    """
    widths = [width * 2**k for k in range(_DOUBLINGS)]
    narrowest = 0
    for _ in range(_MOST_CENTRES):
        if best.gap <= CERTIFIED:
            break
        near = rows.near(centre, widths)
        narrowest = near[0]
        fitting = [w for w, count in zip(widths, near, strict=True) if count <= most]
        if not fitting:
            break
        found = _exactly(rows, C, centre, fitting[-1])
        improved = found.objective < best.objective
        best = _better(best, found)
        if not improved:
            break
        centre = found.weights
    return best, narrowest


def _smoothed(
    rows: MarginRows, C: float, weights: Matrix, smoothing: float, course: Course
) -> tuple[Trained, Matrix]:
    """Minimises the smoothed objective; its pulls are a point of the dual problem."""
    penalty = np.append(np.ones(rows.width), 0.0)
    sample = course.sample

    def sums(over: MarginRows, price: float, at: Matrix, curved: bool) -> HingeSums:
        found = _times(over.hinge(at, smoothing, curved), price)
        if found.curvature is not None:
            # where no row is near the margin nothing else would hold the intercept
            found.curvature[-1, -1] = max(found.curvature[-1, -1], 0.01 * C * rows.rows)
        return found

    curvature = None
    if sample is not None and sample.near(weights, [smoothing])[0] >= 10 * (rows.width + 1):
        curvature = sums(sample, C * rows.rows / sample.rows, weights, True).curvature
    found = minimise(
        lambda at, curved: sums(rows, C, at, curved),
        weights,
        penalty,
        1e-2 * smoothing,
        curvature,
        _MOST_STEPS,
        lambda at: course.keep(Iterate(at, smoothing)),
    )
    pulled = -found.sums.gradient
    unbalanced = abs(float(pulled[-1])) * (1 + abs(float(found.weights[-1])))
    dual = C * found.sums.pulls - 0.5 * float(pulled[:-1] @ pulled[:-1]) - unbalanced
    return _trained(found.weights, C * found.sums.exact, dual), found.weights


def _exactly(rows: MarginRows, C: float, centre: Matrix, width: float) -> Trained:
    """Solves for the rows near the margin of some weights, and measures over all."""
    solution = solve_hinge(rows.band(centre, width), C)
    loss = C * rows.hinge(solution.weights, 1.0, False).exact
    return _trained(solution.weights, loss, solution.dual)


def _trained(weights: Matrix, loss: float, dual: float) -> Trained:
    return Trained(weights, 0.5 * float(weights[:-1] @ weights[:-1]) + loss, dual)


def _better(one: Trained | None, other: Trained) -> Trained:
    """Returns the lower objective with the higher bound: both hold for the same problem."""
    if one is None:
        return other
    lower = one if one.objective <= other.objective else other
    return replace(lower, bound=max(one.bound, other.bound))


def _times(sums: S, price: float) -> S:
    curvature = None if sums.curvature is None else price * sums.curvature
    return replace(
        sums, loss=price * sums.loss, gradient=price * sums.gradient, curvature=curvature
    )
