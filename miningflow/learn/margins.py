"""What training a linear machine asks of the rows, and the answers for rows in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.newton import Sums

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HingeSums(Sums):
    """The smoothed hinge loss over all rows, and what bounds the exact one.

    With the slack s = 1 - y·f(x) and the pull a = min(1, max(0, (s + h) / 2h)) of a row, the loss
    is a·s + h·a·(1 - a): max(0, s) but for |s| < h. The pulls are feasible for the dual problem.
    """

    exact: float = 0.0
    """Σ max(0, s)."""
    pulls: float = 0.0
    """Σ a; Σ a·y·x is the negative gradient."""


@dataclass(frozen=True, eq=False, slots=True)
class Band:
    """The rows near the margin one by one, and those beyond it in sum."""

    X: Matrix
    signs: Matrix
    far: Matrix
    """Σ y·(x, 1) over the rows that violate the margin by more than the width of the band."""
    violators: float


class MarginRows(Protocol):
    """Rows with two classes, seen through sums; weights have the intercept as their last."""

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

    def band(self, weights: Matrix, width: float) -> Band:
        """Gives the rows with |s| up to a width, and sums up the violators beyond."""
        ...


class RowsInMemory:
    """Rows as arrays; `signs` are 1 and -1."""

    def __init__(self, X: Matrix, signs: Matrix) -> None:
        self._X = np.column_stack([X, np.ones(len(X))])
        self._signs = signs

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
            float(pull.sum()),
        )

    def near(self, weights: Matrix, widths: Sequence[float]) -> list[int]:
        """Counts for each width the rows with |s| up to it."""
        slack = np.abs(self._slack(weights))
        return [int(np.count_nonzero(slack <= width)) for width in widths]

    def band(self, weights: Matrix, width: float) -> Band:
        """Gives the rows with |s| up to a width, and sums up the violators beyond."""
        slack = self._slack(weights)
        near, beyond = np.abs(slack) <= width, slack > width
        return Band(
            self._X[near, :-1],
            self._signs[near],
            self._signs[beyond] @ self._X[beyond],
            float(np.count_nonzero(beyond)),
        )

    def all(self) -> Band:
        """Gives all rows one by one."""
        return Band(self._X[:, :-1], self._signs, np.zeros(self._X.shape[1]), 0.0)

    def _slack(self, weights: Matrix) -> Matrix:
        slack: Matrix = 1 - self._signs * (self._X @ weights)
        return slack
