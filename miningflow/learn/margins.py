"""What training a linear machine asks of the rows, and the answers for rows in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from miningflow.learn.arrays import Matrix
from miningflow.learn.newton import Sums


@dataclass(frozen=True, eq=False)
class HingeSums(Sums):
    """The smoothed hinge loss over all rows, and what bounds the exact one.

    With the slack s = o - y·f(x) and the pull a = min(1, max(0, (s + h) / 2h)) of a row, the loss
    is a·s + h·a·(1 - a): max(0, s) but for |s| < h. The pulls are feasible for the dual problem.
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


def together(parts: Iterable[Band], width: int) -> Band:
    """Puts the bands of parts of the rows together."""
    found = [Band(np.zeros((0, width)), np.zeros(0), np.zeros(0), np.zeros(width + 1), 0.0), *parts]
    return Band(
        np.vstack([part.X for part in found]),
        np.concatenate([part.signs for part in found]),
        np.concatenate([part.offsets for part in found]),
        np.sum([part.far for part in found], axis=0),
        sum(part.beyond for part in found),
    )


class MarginRows(Protocol):
    """Rows with a slack s = o - y·f(x), seen through sums; the intercept is the last weight.

    With two classes y is 1 or -1 and the offset o is 1. A number t to predict, with errors up to ε
    free, is two rows: y = 1 with o = t - ε, and y = -1 with o = -t - ε.
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
    """Rows as arrays; `signs` are 1 and -1, offsets are 1 unless given."""

    def __init__(self, X: Matrix, signs: Matrix, offsets: Matrix | None = None) -> None:
        self._X = np.column_stack([X, np.ones(len(X))])
        self._signs = signs
        self._offsets = np.ones(len(X)) if offsets is None else offsets

    @classmethod
    def of_numbers(cls, X: Matrix, numbers: Matrix, epsilon: float) -> RowsInMemory:
        """Takes numbers to predict instead of classes: each is two rows."""
        signs = np.repeat([1.0, -1.0], len(X))
        return cls(np.vstack([X, X]), signs, signs * np.tile(numbers, 2) - epsilon)

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
        active = self._X[slack > 0] if curvature else None
        return Sums(
            float(slack @ slack),
            -2 * (slack * self._signs) @ self._X,
            None if active is None else 2 * active.T @ active,
        )

    def hinge(self, weights: Matrix, smoothing: float, curvature: bool) -> HingeSums:
        """Sums the smoothed hinge loss."""
        slack = self._slack(weights)
        pull = np.clip((slack + smoothing) / (2 * smoothing), 0, 1)
        bent = self._X[np.abs(slack) < smoothing] if curvature else None
        return HingeSums(
            float(pull @ slack + smoothing * pull @ (1 - pull)),
            -(pull * self._signs) @ self._X,
            None if bent is None else bent.T @ bent / (2 * smoothing),
            float(np.maximum(slack, 0).sum()),
            float(pull @ self._offsets),
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
            self._signs[beyond] @ self._X[beyond],
            float(self._offsets[beyond].sum()),
        )

    def all(self) -> Band:
        """Returns all rows one by one."""
        nothing = np.zeros(self._X.shape[1])
        return Band(self._X[:, :-1], self._signs, self._offsets, nothing, 0.0)

    def _slack(self, weights: Matrix) -> Matrix:
        slack: Matrix = self._offsets - self._signs * (self._X @ weights)
        return slack
