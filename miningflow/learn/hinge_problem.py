"""The linear hinge problem solved exactly, for rows that fit in memory and any in sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from miningflow.learn.arrays import Matrix
from miningflow.learn.margins import Band

_MOST_ITERATIONS = 100


@dataclass(frozen=True, eq=False, slots=True)
class HingeSolution:
    """Weights with the intercept last, and the value of the dual problem, a lower bound."""

    weights: Matrix
    dual: float
    shares: Matrix
    """Of C times its cost, for each row of the band."""


def solve_hinge(band: Band, C: float) -> HingeSolution:
    """Minimises ½‖w‖² + C Σ hinge over the rows of a band, with the violators beyond as they are.

    An interior-point method on the dual (S. Mehrotra, 1992; of low rank as in S. Fine and
    K. Scheinberg, 2001): a share a of C for each row between 0 and 1, w = C Σ a·y·x, Σ a·y = 0.
    The violators beyond have the share 1. A row with a cost is the row times its cost: the hinge
    grows with it.
    """
    signs, offsets = band.signs, band.offsets
    if band.costs is not None:
        signs, offsets = signs * band.costs, offsets * band.costs
    scale = 1 + float(np.abs(offsets).max(initial=0))
    Z = np.column_stack([band.X * signs[:, np.newaxis], signs])
    ridge = np.append(np.full(Z.shape[1] - 1, 1 / C), 0.0)
    point = _Point(
        shares=np.full(len(Z), 0.5),
        rest=np.full(len(Z), 0.5),
        lower=np.ones(len(Z)),
        upper=np.ones(len(Z)),
        weights=np.zeros(Z.shape[1]),
        offsets=offsets,
        far=band.far,
        C=C,
    )
    for _ in range(_MOST_ITERATIONS):
        if point.solved(Z, scale):
            break
        point = point.better(Z, ridge)
    a = np.clip(point.shares, 0, 1)
    pulled = band.far + a @ Z
    normal = C * pulled[:-1]
    # Σ a·y is 0 but for rounding; what is left of it costs at most this much.
    unbalanced = C * abs(float(pulled[-1])) * (1 + abs(float(point.weights[-1])))
    dual = C * (float(a @ offsets) + band.beyond) - 0.5 * float(normal @ normal) - unbalanced
    return HingeSolution(np.append(normal, point.weights[-1]), dual, a)


@dataclass(frozen=True, eq=False, slots=True)
class _Point:
    """Shares with the multipliers of their bounds; weights, the multipliers of the sums."""

    shares: Matrix
    rest: Matrix
    """1 - shares, kept apart: the difference would have no digits left."""
    lower: Matrix
    upper: Matrix
    weights: Matrix
    offsets: Matrix
    far: Matrix
    C: float

    def residuals(self, Z: Matrix) -> tuple[Matrix, Matrix]:
        """Returns what is missing to stationarity, by row, and to the sums, by weight."""
        slack = self.offsets - Z @ self.weights
        rows = slack + self.lower - self.upper
        sums = self.far + self.shares @ Z
        sums[:-1] -= self.weights[:-1] / self.C
        return rows, sums

    def gap(self) -> float:
        """Returns the mean of the products that are 0 at the solution."""
        products = self.shares @ self.lower + self.rest @ self.upper
        return float(products) / max(1, 2 * len(self.shares))

    def solved(self, Z: Matrix, scale: float) -> bool:
        """Returns whether all conditions hold to rounding, for offsets of this size."""
        rows, sums = self.residuals(Z)
        off = max(np.abs(rows).max(initial=0), np.abs(sums).max(initial=0) / (1 + len(Z)))
        return self.gap() <= 1e-12 * scale and off <= 1e-10 * scale

    def better(self, Z: Matrix, ridge: Matrix) -> _Point:
        """Takes one step: a prediction, then its correction."""
        rows, sums = self.residuals(Z)
        curved = self.lower / self.shares + self.upper / self.rest
        system = np.diag(ridge) + (Z.T / curved) @ Z
        system += 1e-15 * np.trace(system) / len(system) * np.eye(len(system))

        def step(low: Matrix, high: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix]:
            right = rows + low / self.shares - high / self.rest
            solved = np.linalg.solve(system, Z.T @ (right / curved) + sums)
            weights = np.asarray(solved, dtype=np.float64)
            shares = (right - Z @ weights) / curved
            lower = (low - self.lower * shares) / self.shares
            upper = (high + self.upper * shares) / self.rest
            return shares, lower, upper, weights

        low, high = -self.shares * self.lower, -self.rest * self.upper
        guess = step(low, high)
        gap = self.gap()
        target = (self._moved(guess, self._length(guess)).gap() / gap) ** 3 * gap if gap else 0.0
        low = low + target - guess[0] * guess[1]
        high = high + target + guess[0] * guess[2]
        found = step(low, high)
        return self._moved(found, 0.995 * self._length(found))

    def _length(self, step: tuple[Matrix, Matrix, Matrix, Matrix]) -> float:
        """Returns the share of a step, at most 1, that leaves everything positive."""
        shares, lower, upper, _ = step
        longest = 1.0
        for value, change in (
            (self.shares, shares),
            (self.rest, -shares),
            (self.lower, lower),
            (self.upper, upper),
        ):
            falling = change < 0
            if falling.any():
                longest = min(longest, float((-value[falling] / change[falling]).min()))
        return longest

    def _moved(self, step: tuple[Matrix, Matrix, Matrix, Matrix], length: float) -> _Point:
        shares, lower, upper, weights = step
        return _Point(
            self.shares + length * shares,
            self.rest - length * shares,
            self.lower + length * lower,
            self.upper + length * upper,
            self.weights + length * weights,
            self.offsets,
            self.far,
            self.C,
        )
