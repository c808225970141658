"""Margin bounds against primal problems, brute force and finite differences."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.svm import SVC
from support.drawn_examples import drawn

from miningflow.learn.arrays import Matrix
from miningflow.learn.selection.margin.bounds import Bound, RadiusMargin, Span
from miningflow.learn.selection.margin.criterion import MarginCriterion
from miningflow.learn.selection.margin.kernels import (
    WeightedKernel,
    WeightedPolynomial,
    WeightedRadial,
)
from miningflow.learn.selection.margin.machine import enclosing_ball, hyperplane

KERNELS: dict[str, WeightedKernel] = {
    "linear": WeightedPolynomial(1),
    "quadratic": WeightedPolynomial(2),
    "cubic": WeightedPolynomial(3),
    "radial": WeightedRadial(),
}


def problem(seed: int, n: int = 40, m: int = 5) -> tuple[Matrix, Matrix]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m))
    return X, np.where(X[:, 0] - X[:, 1] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)


def smallest_circle(points: Matrix) -> float:
    """The largest squared radius any two or three points need, when no fewer of them do."""
    pairs = [np.sum((a - b) ** 2) / 4 for a, b in combinations(points, 2)]
    triples = []
    for a, b, c in combinations(points, 3):
        sides = sorted([np.sum((a - b) ** 2), np.sum((b - c) ** 2), np.sum((a - c) ** 2)])
        twice_area = abs(np.linalg.det(np.array([b - a, c - a])))
        if sides[2] < sides[0] + sides[1] and twice_area > 1e-9:
            triples.append(np.prod(sides) / (4 * twice_area**2))
    return float(max([0.0, *pairs, *triples]))


coordinates = st.tuples(st.integers(-5, 5), st.integers(-5, 5))


@settings(max_examples=drawn(50), deadline=None)
@given(st.lists(coordinates, min_size=2, max_size=8))
def test_the_ball_is_the_smallest_circle_around_points(points: list[tuple[int, int]]) -> None:
    rows = np.array(points, dtype=float)
    ball = enclosing_ball(rows @ rows.T, tolerance=1e-9)
    assert ball.radius == pytest.approx(smallest_circle(rows), abs=1e-6)
    assert ball.weights.sum() == pytest.approx(1) and (ball.weights >= 0).all()
    centre = ball.weights @ rows
    assert np.sum((rows - centre) ** 2, axis=1).max() <= ball.radius + 1e-3


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ridge", [0.1, 1.0])
def test_a_ridge_is_a_quadratic_price_of_errors(seed: int, ridge: float) -> None:
    X, signs = problem(seed)

    def primal(normal: Matrix) -> float:
        slack = np.maximum(0, 1 - signs * (X @ normal[:-1] + normal[-1]))
        return float(normal[:-1] @ normal[:-1] + slack @ slack / ridge)

    best = minimize(primal, np.zeros(X.shape[1] + 1), method="BFGS").fun
    plane = hyperplane(X @ X.T + ridge * np.eye(len(X)), signs, None, tolerance=1e-8)
    assert plane.norm == pytest.approx(best, rel=1e-4)
    assert plane.signed.sum() == pytest.approx(0, abs=1e-6)
    assert (plane.signed * signs >= 0).all()


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_those_of_columns_times_the_roots_of_their_weights(name: str) -> None:
    X, _ = problem(1)
    weights = np.array([0.3, 1.0, 2.0, 0.0, 0.7])
    scaled = X * np.sqrt(weights)
    expected = {
        "linear": linear_kernel(scaled),
        "quadratic": polynomial_kernel(scaled, degree=2, gamma=1, coef0=1),
        "cubic": polynomial_kernel(scaled, degree=3, gamma=1, coef0=1),
        "radial": rbf_kernel(scaled, gamma=1 / 5),
    }[name]
    np.testing.assert_allclose(KERNELS[name].matrix(X, weights), expected, rtol=1e-10)


@pytest.mark.parametrize("ridge", [0.1, 1.0])
@pytest.mark.parametrize("bound", ["radius_margin", "with_C", "span"])
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", range(3))
def test_slopes_are_finite_differences(seed: int, name: str, bound: str, ridge: float) -> None:
    X, signs = problem(seed)
    rng = np.random.default_rng(seed)
    X = X * rng.uniform(0.5, 2, size=5)
    weights = rng.uniform(0.3, 1.5, size=5)
    bounds: dict[str, Bound] = {
        "radius_margin": RadiusMargin(signs, None, 1e-10),
        "with_C": RadiusMargin(signs, 0.8, 1e-10),
        "span": Span(signs, 1e-10),
    }
    criterion = MarginCriterion(X, KERNELS[name], bounds[bound], ridge)
    slopes = criterion.at(X, weights).slopes
    step = 1e-5
    for column, slope in enumerate(slopes):
        moved = step * np.eye(5)[column]
        above, below = (criterion.at(X, weights + sign * moved).value for sign in (1, -1))
        assert slope == pytest.approx((above - below) / (2 * step), abs=1e-3 * np.abs(slopes).max())


def test_the_linear_slope_is_that_of_the_formula() -> None:
    """∂/∂s = ‖w‖²·Var_β(x) - R²·(Σ α y x)², for a kernel that is not scaled."""
    X, signs = problem(2)
    kernel = X @ X.T + 0.5 * np.eye(len(X))
    plane, ball = hyperplane(kernel, signs, None, 1e-8), enclosing_ball(kernel, 1e-8)
    variance = ball.weights @ X**2 - (ball.weights @ X) ** 2
    expected = (plane.norm * variance - ball.radius * (plane.signed @ X) ** 2) / len(X)
    slope = RadiusMargin(signs, None, 1e-8)(kernel).slope
    np.testing.assert_allclose(KERNELS["linear"].slopes(X, np.ones(5), slope), expected)


def leave_one_out_errors(kernel: Matrix, signs: Matrix) -> int:
    errors = 0
    for row in range(len(signs)):
        rest = np.arange(len(signs)) != row
        machine = SVC(kernel="precomputed", C=1e6, tol=1e-5).fit(kernel[rest][:, rest], signs[rest])
        errors += machine.decision_function(kernel[[row]][:, rest])[0] * signs[row] <= 0
    return errors


@pytest.mark.parametrize("name", ["linear", "quadratic", "radial"])
@pytest.mark.parametrize("ridge", [0.1, 1.0])
@pytest.mark.slow
def test_the_span_estimate_is_close_to_leave_one_out(name: str, ridge: float) -> None:
    distances, errors = [], []
    for seed in range(6):
        X, signs = problem(seed, n=60, m=6)
        kernel = KERNELS[name].matrix(X, np.ones(6))
        kernel = kernel / np.diag(kernel).mean() + ridge * np.eye(len(X))
        errors.append(leave_one_out_errors(kernel, signs))
        distances.append(abs(Span(signs, 1e-5).errors(kernel) - errors[-1]))
    assert np.mean(distances) <= 1
    assert np.mean(errors) > 5


def test_the_rounded_span_estimate_is_near_the_count() -> None:
    for seed in range(6):
        X, signs = problem(seed, n=60, m=6)
        kernel = X @ X.T / 6 + 0.1 * np.eye(60)
        span = Span(signs, 1e-5)
        assert span(kernel).value == pytest.approx(span.errors(kernel) / 60, abs=0.05)


def test_bounds_do_not_change_with_the_scale_of_the_kernel() -> None:
    X, signs = problem(4)
    for bound in (RadiusMargin(signs, None, 1e-8), Span(signs, 1e-8)):
        values = [
            MarginCriterion(X * scale, KERNELS["linear"], bound, 0.1).of(np.arange(5)).value
            for scale in (1e-4, 1.0, 1e4)
        ]
        np.testing.assert_allclose(values, values[0], rtol=1e-6)
