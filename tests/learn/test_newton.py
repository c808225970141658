"""Linear machines by passes over sums, against scikit-learn and scipy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.svm import SVC, LinearSVC
from support.drawn_examples import drawn

from miningflow.learn.arrays import Matrix
from miningflow.learn.hinge_problem import solve_hinge
from miningflow.learn.linear_training import (
    CERTIFIED,
    Course,
    Iterate,
    train_hinge,
    train_squared_hinge,
)
from miningflow.learn.margins import Band, RowsInMemory
from miningflow.learn.newton import Sums, minimise, summed

Problem = tuple[Matrix, Matrix]

ROWS, COLUMNS = 2500, 6


def _random(random: np.random.Generator) -> tuple[Matrix, Matrix]:
    X = random.normal(size=(ROWS, COLUMNS))
    return X, X @ random.normal(size=COLUMNS)


def _noisy(random: np.random.Generator) -> Problem:
    X, side = _random(random)
    return X, _signs(side + 2 * random.normal(size=ROWS))


def _flipped(random: np.random.Generator) -> Problem:
    X, side = _random(random)
    return X, _signs(side) * np.where(random.random(ROWS) < 0.02, -1.0, 1.0)


def _separable(random: np.random.Generator) -> Problem:
    X, side = _random(random)
    return X + 0.5 * np.sign(side)[:, np.newaxis] * random.normal(size=COLUMNS), _signs(side)


def _collinear(random: np.random.Generator) -> Problem:
    X, side = _random(random)
    X[:, 1], X[:, 2] = X[:, 0], X[:, 3] + 1e-9 * random.normal(size=ROWS)
    return X, _signs(side + random.normal(size=ROWS))


def _constant(random: np.random.Generator) -> Problem:
    X, side = _random(random)
    X[:, 1] = 0.0
    return X, _signs(side + random.normal(size=ROWS))


def _tiny_class(random: np.random.Generator) -> Problem:
    X, _ = _random(random)
    signs = np.where(np.arange(ROWS) % 500 == 7, 1.0, -1.0)
    return X + 2 * (signs > 0)[:, np.newaxis], signs


def _alike(random: np.random.Generator) -> Problem:
    X = random.normal(size=(ROWS, COLUMNS))
    X = (X > 0).astype(np.float64)
    return X, _signs(X @ random.normal(size=COLUMNS) + random.normal(size=ROWS))


def _no_signal(random: np.random.Generator) -> Problem:
    X, _ = _random(random)
    return X, np.where(random.random(ROWS) < 0.4, 1.0, -1.0)


def _signs(values: Matrix) -> Matrix:
    return np.where(values > 0.3, 1.0, -1.0)


PROBLEMS: dict[str, Callable[[np.random.Generator], Problem]] = {
    "noisy": _noisy,
    "flipped": _flipped,
    "separable": _separable,
    "collinear": _collinear,
    "constant": _constant,
    "tiny_class": _tiny_class,
    "alike": _alike,
    "no_signal": _no_signal,
}


def _problem(name: str) -> Problem:
    return PROBLEMS[name](np.random.default_rng(5))


def _sample(X: Matrix, signs: Matrix, some: int = 400) -> Course:
    return Course(RowsInMemory(X[:some], signs[:some]))


def _hinge(X: Matrix, signs: Matrix, weights: Matrix, C: float) -> float:
    slack = np.maximum(0, 1 - signs * (X @ weights[:-1] + weights[-1]))
    return float(0.5 * weights[:-1] @ weights[:-1] + C * slack.sum())


@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("name", PROBLEMS)
def test_squared_hinge_gives_the_weights_of_linear_svc(name: str, C: float, sampled: bool) -> None:
    X, signs = _problem(name)
    found = train_squared_hinge(RowsInMemory(X, signs), C, _sample(X, signs) if sampled else None)
    twin = LinearSVC(C=C, dual=False, tol=1e-11, max_iter=10_000).fit(X, signs)
    right = np.append(twin.coef_[0], twin.intercept_[0])
    np.testing.assert_allclose(found.weights, right, rtol=0, atol=1e-6)
    assert 0 <= found.gap <= 1e-9


def test_squared_hinge_gives_the_weights_of_scipy() -> None:
    X, signs = _problem("noisy")
    design, C = np.column_stack([X, np.ones(ROWS)]), 0.7

    def objective(weights: Matrix) -> tuple[float, Matrix]:
        slack = np.maximum(0, 1 - signs * (design @ weights))
        value = 0.5 * weights @ weights + C * slack @ slack
        return float(value), weights - 2 * C * (signs * slack) @ design

    start = np.zeros(COLUMNS + 1)
    right = minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-7})
    found = train_squared_hinge(RowsInMemory(X, signs), C)
    np.testing.assert_allclose(found.weights, right.x, rtol=0, atol=1e-7)
    assert found.objective == pytest.approx(right.fun, rel=1e-12)


@pytest.mark.parametrize("sampled", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("name", PROBLEMS)
def test_hinge_gives_the_objective_and_the_labels_of_svc(
    name: str, C: float, sampled: bool
) -> None:
    X, signs = _problem(name)
    # libsvm itself takes minutes for a large C without signal
    C = 0.01 * C if name == "no_signal" else C
    course = _sample(X, signs) if sampled else None
    found = train_hinge(RowsInMemory(X, signs), C, course, most_near=250)
    twin = SVC(kernel="linear", C=C, tol=1e-4).fit(X, signs)
    right = _hinge(X, signs, np.append(twin.coef_[0], twin.intercept_[0]), C)
    assert found.gap <= CERTIFIED
    assert found.objective == pytest.approx(_hinge(X, signs, found.weights, C), rel=1e-12)
    assert found.bound <= right * (1 + 1e-12)
    assert found.objective <= right * (1 + 1e-6)
    decisions = twin.decision_function(X)
    # without signal, or where rows are alike, rows lie on the boundary: either class is right
    clear = np.abs(decisions) > (1e-3 if name in ("alike", "no_signal") else 0)
    agreed = (decisions > 0) == (found.model.decisions(X)[:, 0] > 0)
    assert np.mean(agreed[clear]) >= 0.999


def test_few_rows_are_solved_at_once() -> None:
    X, signs = _problem("noisy")
    some, many = RowsInMemory(X, signs), train_hinge(RowsInMemory(X, signs), 1.0, most_near=100)
    once = train_hinge(some, 1.0)
    np.testing.assert_allclose(once.weights, many.weights, rtol=0, atol=1e-6)


@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
def test_violators_in_sum_are_as_good_as_one_by_one(C: float) -> None:
    X, signs = _problem("noisy")
    rows = RowsInMemory(X, signs)
    whole = solve_hinge(rows.all(), C)
    band = rows.band(whole.weights, 0.2)
    assert 0 < len(band.X) < ROWS / 2
    assert band.beyond > 50
    part = solve_hinge(band, C)
    np.testing.assert_allclose(part.weights, whole.weights, rtol=0, atol=1e-6)
    assert part.dual == pytest.approx(whole.dual, rel=1e-8)


def test_a_band_in_the_wrong_place_has_a_wide_gap() -> None:
    X, signs = _problem("noisy")
    rows = RowsInMemory(X, signs)
    away = np.append(np.full(COLUMNS, 3.0), -2.0)
    solution = solve_hinge(rows.band(away, 0.2), 1.0)
    best = train_hinge(rows, 1.0).objective
    assert solution.dual < 0.99 * best


def test_an_empty_band_leaves_the_violators() -> None:
    far = np.array([2.0, -1.0, 0.0])
    solution = solve_hinge(Band(np.zeros((0, 2)), np.zeros(0), np.zeros(0), far, 7.0), 0.5)
    np.testing.assert_allclose(solution.weights, [1.0, -0.5, 0.0])
    assert solution.dual == pytest.approx(3.5 - 0.625)


@pytest.mark.parametrize("factor", [0.01, 0.5, 40.0])
def test_a_wrong_curvature_costs_steps_and_not_the_result(factor: float) -> None:
    X, signs = _problem("flipped")
    rows = RowsInMemory(X, signs)
    asked: list[bool] = []

    def evaluate(weights: Matrix, curvature: bool) -> Sums:
        asked.append(curvature)
        return rows.squared_hinge(weights, curvature)

    penalty = np.ones(COLUMNS + 1)
    wrong = factor * np.diag(np.arange(1.0, COLUMNS + 2)) * ROWS
    found = minimise(evaluate, np.full(COLUMNS + 1, 2.0), penalty, 1e-10, wrong)
    right = train_squared_hinge(rows, 1.0)
    np.testing.assert_allclose(found.weights, right.weights, rtol=0, atol=1e-7)
    assert not asked[0]
    assert len(asked) < 60


def test_a_good_curvature_is_not_asked_for() -> None:
    X, signs = _problem("noisy")
    rows = RowsInMemory(X, signs)
    right = train_squared_hinge(rows, 1.0).weights
    known = rows.squared_hinge(right, True).curvature
    asked: list[bool] = []

    def evaluate(weights: Matrix, curvature: bool) -> Sums:
        asked.append(curvature)
        return rows.squared_hinge(weights, curvature)

    minimise(evaluate, right + 1e-3, np.ones(COLUMNS + 1), 1e-8, known)
    assert not any(asked)
    assert len(asked) <= 5


@settings(max_examples=drawn(60), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    smoothing=st.sampled_from([0.01, 0.3, 2.0]),
    size=st.integers(1, 60),
)
def test_sums_are_those_of_the_loss_and_its_derivatives(
    seed: int, smoothing: float, size: int
) -> None:
    random = np.random.default_rng(seed)
    X, signs = random.normal(size=(size, 3)), np.where(random.random(size) < 0.5, 1.0, -1.0)
    rows, weights = RowsInMemory(X, signs), random.normal(size=4)
    step = 1e-6
    for sums in (
        lambda w, curved: rows.hinge(w, smoothing, curved),
        rows.squared_hinge,
    ):
        here = sums(weights, True)
        assert here.curvature is not None
        for i, axis in enumerate(np.eye(4)):
            up, down = sums(weights + step * axis, False), sums(weights - step * axis, False)
            slope = (up.loss - down.loss) / (2 * step)
            assert slope == pytest.approx(here.gradient[i], rel=1e-4, abs=1e-4)
        assert np.linalg.eigvalsh(here.curvature).min() >= -1e-9 * size / smoothing
    slack = 1 - signs * (X @ weights[:-1] + weights[-1])
    hinge = rows.hinge(weights, smoothing, False)
    assert hinge.exact == pytest.approx(np.maximum(slack, 0).sum())
    assert -1e-12 <= hinge.loss - hinge.exact <= smoothing * size / 4 + 1e-12


@settings(max_examples=drawn(40), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(40, 250),
    columns=st.integers(1, 6),
    C=st.sampled_from([1e-3, 0.1, 1.0, 20.0]),
    noise=st.sampled_from([0.0, 0.5, 3.0]),
    rounded=st.booleans(),
)
def test_any_small_problem_is_certified(
    seed: int, size: int, columns: int, C: float, noise: float, rounded: bool
) -> None:
    random = np.random.default_rng(seed)
    X = random.normal(size=(size, columns))
    X = np.round(X) if rounded else X
    signs = _signs(X @ random.normal(size=columns) + noise * random.normal(size=size))
    signs[:2] = 1.0, -1.0
    found = train_hinge(RowsInMemory(X, signs), C, most_near=20)
    assert found.gap <= CERTIFIED
    twin = SVC(kernel="linear", C=C, tol=1e-4).fit(X, signs)
    right = _hinge(X, signs, np.append(twin.coef_[0], twin.intercept_[0]), C)
    assert found.objective <= right * (1 + 1e-6)
    squared = train_squared_hinge(RowsInMemory(X, signs), C)
    assert 0 <= squared.gap <= 1e-8


def test_an_iterate_is_a_start_and_is_told() -> None:
    X, signs = _problem("flipped")
    rows = RowsInMemory(X, signs)
    for train in (train_hinge, train_squared_hinge):
        kept: list[Iterate] = []
        more = {"most_near": 250} if train is train_hinge else {}
        whole = train(rows, 1.0, Course(keep=kept.append), **more)
        assert len(kept) > 2
        rest: list[Iterate] = []
        again = train(rows, 1.0, Course(start=kept[-2], keep=rest.append), **more)
        assert len(rest) < len(kept)
        np.testing.assert_allclose(again.weights, whole.weights, rtol=0, atol=1e-5)


def test_sums_over_parts_are_those_over_all_rows() -> None:
    X, signs = _problem("noisy")
    weights = np.linspace(-1, 1, COLUMNS + 1)
    parts = [RowsInMemory(X[i::3], signs[i::3]) for i in range(3)]
    whole = RowsInMemory(X, signs).hinge(weights, 0.3, True)
    found = summed(part.hinge(weights, 0.3, True) for part in parts)
    for field in ("loss", "gradient", "curvature", "exact", "pulls"):
        np.testing.assert_allclose(getattr(found, field), getattr(whole, field), rtol=1e-10)
    assert summed(part.hinge(weights, 0.3, False) for part in parts).curvature is None
