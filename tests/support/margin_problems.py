"""The two problems of Weston et al. (2000), and how wrong a machine on selected columns is."""

from collections.abc import Callable
from typing import Literal

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from miningflow.learn.arrays import Matrix
from miningflow.learn.selection import MarginBoundSelector

KernelName = Literal["linear", "polynomial", "radial"]
Problem = Callable[[int, np.random.Generator], tuple[Matrix, Matrix]]


def linear_problem(n: int, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """Columns 0 to 2 tell the class of 70 % of the rows, 3 to 5 that of the others."""
    y = rng.choice([-1.0, 1.0], size=n)
    X = rng.normal(0, 20, size=(n, 202))
    X[:, :6] = rng.normal(size=(n, 6))
    first = rng.random(n) < 0.7
    told = y[:, None] * rng.normal([1, 2, 3], 1, size=(n, 3))
    X[first, :3], X[~first, 3:6] = told[first], told[~first]
    return X, y


def nonlinear_problem(n: int, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """Columns 0 and 1 tell the class, but neither alone and not by a line."""
    y = rng.choice([-1.0, 1.0], size=n)
    X = rng.normal(0, 20, size=(n, 52))
    centre = np.where(y[:, None] < 0, [0.75, 3.0], [3.0, -3.0])
    X[:, :2] = rng.choice([-1.0, 1.0], size=(n, 1)) * centre + rng.normal(size=(n, 2))
    return X, y


def error_on_new_rows(
    problem: Problem, kernel: KernelName, n: int, seed: int, selector: MarginBoundSelector
) -> float:
    """Returns the share of 500 new rows that a machine on two selected columns gets wrong."""
    rng = np.random.default_rng([2000, seed])
    X, y = problem(n, rng)
    new, truth = problem(500, rng)
    machine = SVC(kernel="linear" if kernel == "linear" else "poly", degree=2, gamma=1, coef0=1)
    return 1 - float(make_pipeline(StandardScaler(), selector, machine).fit(X, y).score(new, truth))
