"""The two generated problems of Weston et al. (2000), section 5.1, and the errors on them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.papers.margin_bound_methods import RAW, SCALED, KernelName, machine, selectors
from miningflow.learn.arrays import Matrix

Draw = Callable[[int, np.random.Generator], tuple[Matrix, Matrix]]

TEST_ROWS = 500
KEEP = 2


def draw_linear(rows: int, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """Draws 202 columns: 0 to 2 tell the class of 70 % of the rows, 3 to 5 that of the others."""
    y = rng.choice([-1.0, 1.0], size=rows)
    X = rng.normal(0, 20, size=(rows, 202))
    X[:, :6] = rng.normal(size=(rows, 6))
    first = rng.random(rows) < 0.7
    told = y[:, None] * rng.normal([1, 2, 3], 1, size=(rows, 3))
    X[first, :3], X[~first, 3:6] = told[first], told[~first]
    return X, y


def draw_nonlinear(rows: int, rng: np.random.Generator) -> tuple[Matrix, Matrix]:
    """Draws 52 columns: 0 and 1 tell the class, but neither alone and not by a line."""
    y = rng.choice([-1.0, 1.0], size=rows)
    X = rng.normal(0, 20, size=(rows, 52))
    centre = np.where(y[:, None] < 0, [0.75, 3.0], [3.0, -3.0])
    X[:, :2] = rng.choice([-1.0, 1.0], size=(rows, 1)) * centre + rng.normal(size=(rows, 2))
    return X, y


@dataclass(frozen=True, slots=True)
class Toy:
    """A problem, its kernel, and how many of its first columns are useful."""

    name: str
    draw: Draw
    kernel: KernelName
    useful: int


LINEAR = Toy("linear", draw_linear, "linear", 6)
NONLINEAR = Toy("nonlinear", draw_nonlinear, "polynomial", 2)


@dataclass(frozen=True, slots=True)
class ToyRun:
    """The share of wrong answers in %, and if only useful columns were selected."""

    rows: int
    method: str
    error: float
    clean: bool


@dataclass(frozen=True, eq=False, slots=True)
class ToyResults:
    """What was measured: by problem, and without selection on 500 rows of the linear one."""

    sizes: Sequence[int]
    runs: int
    toys: dict[str, list[ToyRun]]
    plain: list[float]

    def errors(self, toy: Toy, rows: int, method: str) -> list[float]:
        """Returns the errors of a method, one for each run."""
        return [
            run.error for run in self.toys[toy.name] if (run.rows, run.method) == (rows, method)
        ]

    def mean(self, toy: Toy, rows: int, method: str) -> float:
        """Returns the mean error of a method."""
        return float(np.mean(self.errors(toy, rows, method)))


def toy_runs(toy: Toy, sizes: Sequence[int], runs: int) -> list[ToyRun]:
    """Trains on the same rows with every method."""
    done: list[ToyRun] = []
    for rows in sizes:
        for run in range(runs):
            done += _one(toy, rows, run)
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return done


def errors_without_selection(toy: Toy, rows: int, runs: int) -> list[float]:
    """Returns the errors in % of the machine on all columns as they are."""
    errors = []
    for run in range(runs):
        (X, y), (new, truth) = _rows(toy, rows, run)
        errors.append(100 * (1 - machine(toy.kernel).fit(X, y).score(new, truth)))
    return errors


def _one(toy: Toy, rows: int, run: int) -> list[ToyRun]:
    (X, y), (new, truth) = _rows(toy, rows, run)

    def wrong(X: Matrix, new: Matrix) -> float:
        return 100 * (1 - float(machine(toy.kernel).fit(X, y).score(new, truth)))

    done = [ToyRun(rows, RAW, wrong(X, new), False)]
    scaler = StandardScaler().fit(X)
    X, new = scaler.transform(X), scaler.transform(new)
    done.append(ToyRun(rows, SCALED, wrong(X, new), False))
    for name, selector in selectors(KEEP, toy.kernel).items():
        chosen = np.flatnonzero(selector.fit(X, y).get_support())
        clean = bool((chosen < toy.useful).all())
        done.append(ToyRun(rows, name, wrong(X[:, chosen], new[:, chosen]), clean))
    return done


def _rows(toy: Toy, rows: int, run: int) -> tuple[tuple[Matrix, Matrix], tuple[Matrix, Matrix]]:
    rng = np.random.default_rng([2001, rows, run])
    return toy.draw(rows, rng), toy.draw(TEST_ROWS, rng)
