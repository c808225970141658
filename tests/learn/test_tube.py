"""Linear regression by passes over sums, against scikit-learn's SVR."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.svm import SVR
from support.default_run import first_only
from support.drawn_examples import drawn

from miningflow.learn.arrays import Matrix
from miningflow.learn.linear_training import CERTIFIED, Course, train_hinge
from miningflow.learn.margins import RowsInMemory

ROWS, COLUMNS = 2000, 5


def _heavy(random: np.random.Generator, side: Matrix) -> Matrix:
    return np.asarray(side + random.standard_t(1.5, size=len(side)))


def _noisy(random: np.random.Generator, side: Matrix) -> Matrix:
    return np.asarray(side + random.normal(size=len(side)))


def _quiet(random: np.random.Generator, side: Matrix) -> Matrix:
    return np.asarray(side + 0.01 * random.normal(size=len(side)))


def _rounded(random: np.random.Generator, side: Matrix) -> Matrix:
    return np.round(side)


NOISES: dict[str, Callable[[np.random.Generator, Matrix], Matrix]] = {
    "heavy": _heavy,
    "noisy": _noisy,
    "quiet": _quiet,
    "rounded": _rounded,
}


def _objective(X: Matrix, y: Matrix, weights: Matrix, C: float, epsilon: float) -> float:
    errors = np.maximum(0, np.abs(y - X @ weights[:-1] - weights[-1]) - epsilon)
    return float(0.5 * weights[:-1] @ weights[:-1] + C * errors.sum())


@pytest.mark.filterwarnings("ignore:Solver terminated early")
@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize(("C", "epsilon"), [(0.01, 0.1), (1.0, 0.1), (1.0, 0.0), (0.1, 1.5)])
@pytest.mark.parametrize("name", first_only(NOISES, 1))
def test_the_objective_is_that_of_svr(name: str, C: float, epsilon: float, sampled: bool) -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(ROWS, COLUMNS))
    y = NOISES[name](random, X @ random.normal(size=COLUMNS) + 0.7)
    rows = RowsInMemory.of_numbers(X, y, epsilon)
    course = Course(RowsInMemory.of_numbers(X[:300], y[:300], epsilon) if sampled else None)
    found = train_hinge(rows, C, course, most_near=400)
    assert rows.rows == 2 * ROWS
    assert found.gap <= CERTIFIED
    assert found.objective == pytest.approx(_objective(X, y, found.weights, C, epsilon), rel=1e-10)
    twin = SVR(kernel="linear", C=C, epsilon=epsilon, tol=1e-4, max_iter=200_000).fit(X, y)
    weights = np.append(twin.coef_[0], twin.intercept_)
    right = _objective(X, y, weights, C, epsilon)
    assert found.objective <= right * (1 + 1e-6)
    assert found.bound <= right * (1 + 1e-12)


@settings(max_examples=drawn(40), deadline=None)
@example(seed=3977, size=42, C=20.0, epsilon=1.0, noise=0.0)  # every row lies in the tube
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(40, 200),
    C=st.sampled_from([1e-3, 0.1, 1.0, 20.0]),
    epsilon=st.sampled_from([0.0, 0.05, 1.0]),
    noise=st.sampled_from([0.0, 0.1, 3.0]),
)
def test_any_small_problem_is_certified(
    seed: int, size: int, C: float, epsilon: float, noise: float
) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(size, 3))
    y = X @ random.normal(size=3) + noise * random.normal(size=size)
    found = train_hinge(RowsInMemory.of_numbers(X, y, epsilon), C, most_near=30)
    assert found.gap <= CERTIFIED
    least = min(
        _objective(X, y, found.weights + 1e-3 * random.normal(size=4), C, epsilon)
        for _ in range(20)
    )
    assert found.objective <= least * (1 + 1e-6)
