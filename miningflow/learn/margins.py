"""What training a linear machine asks of the rows, and the answers for rows in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from miningflow.learn.arrays import Mask, Matrix
from miningflow.learn.newton import Sums


@dataclass(frozen=True, eq=False)
class HingeSums(Sums):
    """The smoothed hinge loss over all rows, and what bounds the exact one.

    With the slack s = o - y·f(x) and the pull a = min(1, max(0, (s + h) / 2h)) of a row, the loss
    is a·s + h·a·(1 - a): max(0, s) but for |s| < h. The pulls are feasible for the dual problem.
    Where rows have costs, each row is in every sum as often as its cost says.
    """

    exact: float = 0.0
    """Σ max(0, s)."""
    pulls: float = 0.0
    """Σ a·o; Σ a·y·x is the negative gradient."""


@dataclass(frozen=True, eq=False, slots=True)
class Band:
    """The rows near the margin one by one, and those beyond it in sum."""

    X: Matrix
    signs: Matrix
    offsets: Matrix
    far: Matrix
    """Σ y·(x, 1) over the rows that violate the margin by more than the width of the band."""
    beyond: float
    """Σ o over the same rows."""
    costs: Matrix | None = None
    """What errors about the rows near the margin cost, in units of C; None: 1. They are in `far`
    and `beyond` already."""


def together(parts: Iterable[Band], width: int) -> Band:
    """Puts the bands of parts of the rows together."""
    found = [Band(np.zeros((0, width)), np.zeros(0), np.zeros(0), np.zeros(width + 1), 0.0), *parts]
    costs = [part.costs for part in found if part.costs is not None]
    return Band(
        np.vstack([part.X for part in found]),
        np.concatenate([part.signs for part in found]),
        np.concatenate([part.offsets for part in found]),
        np.sum([part.far for part in found], axis=0),
        sum(part.beyond for part in found),
        np.concatenate(costs) if costs else None,
    )


class MarginRows(Protocol):
    """Rows with a slack s = o - y·f(x), seen through sums; the intercept is the last weight.

    With two classes y is 1 or -1 and the offset o is 1. A number t to predict, with errors up to ε
    free, is two rows: y = 1 with o = t - ε, and y = -1 with o = -t - ε. An error about a row may
    have a cost in units of C, which multiplies all that the row adds to a sum.
    """

    @property
    def rows(self) -> int:
        """The number of rows."""
        ...

    @property
    def width(self) -> int:
        """The number of encoded columns."""
        ...

    def squared_hinge(self, weights: Matrix, curvature: bool) -> Sums:
        """Sums max(0, s)²."""
        ...

    def hinge(self, weights: Matrix, smoothing: float, curvature: bool) -> HingeSums:
        """Sums the smoothed hinge loss."""
        ...

    def near(self, weights: Matrix, widths: Sequence[float]) -> list[int]:
        """Counts for each width the rows with |s| up to it."""
        ...

    def above(self, weights: Matrix, bound: float) -> int:
        """Counts the rows with s above a bound."""
        ...

    def band(self, weights: Matrix, width: float) -> Band:
        """Returns the rows with |s| up to a width, and sums up the violators beyond."""
        ...


class RowsInMemory:
    """Rows as arrays; `signs` are 1 and -1, offsets and costs are 1 unless given."""

    def __init__(
        self,
        X: Matrix,
        signs: Matrix,
        offsets: Matrix | None = None,
        costs: Matrix | None = None,
    ) -> None:
        self._X = np.column_stack([X, np.ones(len(X))])
        self._signs = signs
        self._offsets = np.ones(len(X)) if offsets is None else offsets
        self._costs = costs

    @classmethod
    def of_numbers(
        cls, X: Matrix, numbers: Matrix, epsilon: float, costs: Matrix | None = None
    ) -> RowsInMemory:
        """Takes numbers to predict instead of classes: each is two rows."""
        signs = np.repeat([1.0, -1.0], len(X))
        both = None if costs is None else np.tile(costs, 2)
        return cls(np.vstack([X, X]), signs, signs * np.tile(numbers, 2) - epsilon, both)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self._X)

    @property
    def width(self) -> int:
        """The number of encoded columns."""
        return int(self._X.shape[1]) - 1

    def squared_hinge(self, weights: Matrix, curvature: bool) -> Sums:
        """Sums max(0, s)²."""
        slack = np.maximum(self._slack(weights), 0)
        heavy = self._times_cost(slack)
        return Sums(
            float(heavy @ slack),
            -2 * (heavy * self._signs) @ self._X,
            2 * self._products(slack > 0) if curvature else None,
        )

    def hinge(self, weights: Matrix, smoothing: float, curvature: bool) -> HingeSums:
        """Sums the smoothed hinge loss."""
        slack = self._slack(weights)
        pull = np.clip((slack + smoothing) / (2 * smoothing), 0, 1)
        heavy = self._times_cost(pull)
        bent = np.abs(slack) < smoothing
        return HingeSums(
            float(heavy @ slack + smoothing * heavy @ (1 - pull)),
            -(heavy * self._signs) @ self._X,
            self._products(bent) / (2 * smoothing) if curvature else None,
            float(self._times_cost(np.maximum(slack, 0)).sum()),
            float(heavy @ self._offsets),
        )

    def near(self, weights: Matrix, widths: Sequence[float]) -> list[int]:
        """Counts for each width the rows with |s| up to it."""
        slack = np.abs(self._slack(weights))
        return [int(np.count_nonzero(slack <= width)) for width in widths]

    def above(self, weights: Matrix, bound: float) -> int:
        """Counts the rows with s above a bound."""
        return int(np.count_nonzero(self._slack(weights) > bound))

    def band(self, weights: Matrix, width: float) -> Band:
        """Returns the rows with |s| up to a width, and sums up the violators beyond."""
        slack = self._slack(weights)
        near, beyond = np.abs(slack) <= width, slack > width
        return Band(
            self._X[near, :-1],
            self._signs[near],
            self._offsets[near],
            self._times_cost(self._signs)[beyond] @ self._X[beyond],
            float(self._times_cost(self._offsets)[beyond].sum()),
            None if self._costs is None else self._costs[near],
        )

    def all(self) -> Band:
        """Returns all rows one by one."""
        nothing = np.zeros(self._X.shape[1])
        return Band(self._X[:, :-1], self._signs, self._offsets, nothing, 0.0, self._costs)

    def _times_cost(self, values: Matrix) -> Matrix:
        return values if self._costs is None else values * self._costs

    def _products(self, chosen: Mask) -> Matrix:
        """Sums (x, 1)·(x, 1)' over some rows."""
        X = self._X[chosen]
        heavy = X if self._costs is None else X * self._costs[chosen, np.newaxis]
        products: Matrix = heavy.T @ X
        return products

    def _slack(self, weights: Matrix) -> Matrix:
        slack: Matrix = self._offsets - self._signs * (self._X @ weights)
        return slack
