"""Training rows and test rows, prepared with what the training rows alone tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.choosing.problems import Problem

# Two thirds of the rows, but not more than these.
MOST_ROWS = {"table": 1000, "genes": 1000, "text": 4000}


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """Rows to select and train on, and others to test on; `raw` are the training rows unscaled."""

    X: Any
    raw: Any
    y: NDArray[np.int_]
    test_X: Any
    test_y: NDArray[np.int_]

    def sample(self, most: int, seed: int) -> tuple[Any, NDArray[np.int_]]:
        """Draws at most this number of training rows, each class by its share."""
        if most >= len(self.y):
            return self.X, self.y
        chosen = train_test_split(
            np.arange(len(self.y)), train_size=most, stratify=self.y, random_state=seed
        )[0]
        return self.X[chosen], self.y[chosen]


def training_size(problem: Problem) -> int:
    """Returns the number of rows to train on."""
    return min(2 * len(problem.y) // 3, MOST_ROWS[problem.kind])


def split(problem: Problem, seed: int) -> Rows:
    """Splits rows by a seed; columns that do not vary on the training rows become 0."""
    training, test = train_test_split(
        np.arange(len(problem.y)),
        train_size=training_size(problem),
        stratify=problem.y,
        random_state=seed,
    )
    raw = problem.X[training]
    scaler = TfidfTransformer(sublinear_tf=True) if problem.kind == "text" else StandardScaler()
    X = scaler.fit_transform(raw)
    test_X = scaler.transform(problem.X[test])
    return Rows(X, raw, problem.y[training], test_X, problem.y[test])
