"""Sums by class that rows are streamed into; X'X and X'y of standardised columns come from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Matrix


@dataclass
class ClassSums:
    """How many rows each class has, the sums of its columns, and all products of columns.

    Everything is taken from an origin, the mean of the first rows: without it the products of
    columns with a large mean would cancel.
    """

    width: int
    sizes: dict[str, float] = field(default_factory=dict)
    totals: dict[str, Matrix] = field(default_factory=dict)
    products: Matrix = field(init=False)
    origin: Matrix | None = None

    def __post_init__(self) -> None:
        self.products = np.zeros((self.width, self.width))

    def add(self, rows: Matrix, labels: NDArray[Any]) -> None:
        """Adds rows with their class labels, which are text."""
        if not len(rows):
            return
        if self.origin is None:
            self.origin = rows.mean(axis=0)
        moved = rows - self.origin
        self.products += moved.T @ moved
        for label in dict.fromkeys(labels.tolist()):  # sorting texts would take most of the time
            mine = labels == label
            name = str(label)
            self.sizes[name] = self.sizes.get(name, 0.0) + int(np.count_nonzero(mine))
            self.totals[name] = self.totals.get(name, np.zeros(self.width)) + mine @ moved

    @property
    def classes(self) -> list[str]:
        """Returns the class labels, in order."""
        return sorted(self.sizes)

    @property
    def rows(self) -> float:
        """Counts the rows."""
        return sum(self.sizes.values())

    def gram(self) -> Matrix:
        """Returns X'X of the standardised columns; a constant one is 0."""
        scales = self._scales()
        gram: Matrix = self._centred() * scales[:, np.newaxis] * scales
        return gram

    def moments(self, positive: str | None, balanced: bool = False) -> tuple[Matrix, float]:
        """Returns X'y of standardised columns and ‖yy'‖, for one class or each against the rest.

        Labels are 1 and -1, or, balanced, one by the number of rows of their side.
        """
        against = self.classes if positive is None and len(self.sizes) > 2 else []
        against = against or [positive or self.classes[-1]]
        labels = np.array([self._labels(name, balanced) for name in against])
        totals = np.array([self.totals[c] - self.sizes[c] * self._mean() for c in self.classes])
        sizes = np.array([self.sizes[c] for c in self.classes])
        moments: Matrix = (labels @ totals * self._scales()).T
        return moments, float(np.linalg.norm((labels * sizes) @ labels.T))

    def _labels(self, positive: str, balanced: bool) -> list[float]:
        rest = self.rows - self.sizes[positive]
        yes, no = (1 / self.sizes[positive], -1 / rest) if balanced else (1.0, -1.0)
        return [yes if name == positive else no for name in self.classes]

    def _mean(self) -> Matrix:
        total: Matrix = np.sum(list(self.totals.values()), axis=0)
        return total / self.rows

    def _centred(self) -> Matrix:
        mean = self._mean()
        centred: Matrix = self.products - self.rows * np.outer(mean, mean)
        return centred

    def _scales(self) -> Matrix:
        assert self.origin is not None
        variances = np.diag(self._centred()) / self.rows
        # what is left of a constant column is rounding: of its mean, and of its squares
        rounding = np.square(1e-14 * self.origin) + 1e-13 * np.diag(self.products) / self.rows
        varies = variances > rounding
        return np.where(varies, 1 / np.sqrt(np.where(varies, variances, 1.0)), 0.0)
