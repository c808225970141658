"""Models against the scikit-learn machines they come from."""

from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.svm import SVC, SVR

from miningflow.learn import svm
from miningflow.learn.svm import (
    Kernel,
    LinearModel,
    Matrix,
    RadialModel,
    fit_classifier,
    fit_regressor,
)

Problem = tuple[Matrix, NDArray[np.bool_], Matrix]

NAMES = {"linear": "linear", "radial": "rbf"}


@pytest.fixture
def problem() -> Problem:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 4))
    positive = X[:, 0] - X[:, 1] + X[:, 2] ** 2 + 0.5 * rng.normal(size=120) > 0.5
    return X, positive, rng.normal(size=(60, 4))


@pytest.mark.parametrize("kernel", ["linear", "radial"])
@pytest.mark.parametrize("gamma", [None, 0.3])
@pytest.mark.parametrize("flipped", [False, True])
def test_a_classifier_decides_as_scikit_learn(
    problem: Problem, kernel: Kernel, gamma: float | None, flipped: bool
) -> None:
    X, positive, new = problem
    positive = positive ^ flipped
    model = fit_classifier(X, positive, kernel, 2.0, gamma, 1e-4)
    twin = SVC(kernel=NAMES[kernel], C=2.0, gamma=gamma or "scale", tol=1e-4).fit(X, positive)
    np.testing.assert_allclose(model.decision(new), twin.decision_function(new), rtol=0, atol=1e-12)


@pytest.mark.parametrize("kernel", ["linear", "radial"])
@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("order", [1, -1])
def test_above_zero_is_the_positive_class(
    problem: Problem, kernel: Kernel, flipped: bool, order: int
) -> None:
    X, positive, _ = problem
    X, positive = X[::order], (positive ^ flipped)[::order]
    model = fit_classifier(X, positive, kernel, 1.0, None, 1e-3)
    assert np.mean((model.decision(X) > 0) == positive) > 0.7


@pytest.mark.parametrize("kernel", ["linear", "radial"])
def test_a_regression_predicts_as_scikit_learn(problem: Problem, kernel: Kernel) -> None:
    X, _, new = problem
    y = 3 * X[:, 0] + X[:, 1] ** 2 + 20
    model = fit_regressor(X, y, kernel, 5.0, None, 0.2, 1e-4)
    twin = SVR(kernel=NAMES[kernel], C=5.0, gamma="scale", epsilon=0.2, tol=1e-4).fit(X, y)
    np.testing.assert_allclose(model.decision(new), twin.predict(new), rtol=0, atol=1e-11)


def test_duplicate_support_vectors_are_merged_and_decide_the_same(problem: Problem) -> None:
    X, positive, new = problem
    X, positive = np.vstack([X, X, X]), np.concatenate([positive, positive, positive])
    model = fit_classifier(X, positive, "radial", 1.0, None, 1e-3)
    twin = SVC(C=1.0, gamma="scale", tol=1e-3).fit(X, positive)
    assert isinstance(model, RadialModel)
    assert len(model.support) < len(twin.support_vectors_)
    assert len(np.unique(model.support, axis=0)) == len(model.support)
    np.testing.assert_allclose(model.decision(new), twin.decision_function(new), rtol=0, atol=1e-12)


def test_support_vectors_that_cancel_are_dropped() -> None:
    X = np.array([[0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [1.0], [2.0]])
    positive = np.array([True, False] * 4)
    model = fit_classifier(X, positive, "radial", 0.1, 1.0, 1e-6)
    twin = SVC(C=0.1, gamma=1.0, tol=1e-6).fit(X, positive)
    assert isinstance(model, RadialModel)
    assert 0.0 in twin.support_vectors_
    assert 0.0 not in model.support
    np.testing.assert_allclose(model.decision(X), twin.decision_function(X), rtol=0, atol=1e-12)


def test_zero_coefficients_are_dropped() -> None:
    support, coefficients = svm._merged(np.array([[1.0], [2.0]]), np.array([0.0, 1e-300]))
    np.testing.assert_array_equal(support, [[2.0]])
    np.testing.assert_array_equal(coefficients, [1e-300])


def test_a_model_without_support_vectors_decides_by_its_intercept() -> None:
    y = np.full(5, 3.0)
    model = fit_regressor(np.arange(10.0).reshape(5, 2), y, "radial", 1.0, None, 0.1, 1e-3)
    assert isinstance(model, RadialModel)
    assert model.support.shape == (0, 2)
    np.testing.assert_allclose(model.decision(np.zeros((3, 2))), 3.0, atol=0.1)


def test_rows_are_decided_in_blocks_as_at_once(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, positive, new = problem
    model = fit_classifier(X, positive, "radial", 1.0, None, 1e-3)
    assert isinstance(model, RadialModel)
    whole = model.decision(new)
    monkeypatch.setattr(svm, "_DISTANCES_AT_ONCE", 7 * len(model.support))
    np.testing.assert_allclose(model.decision(new), whole, rtol=0, atol=1e-14)


def test_gamma_of_constant_columns_is_one() -> None:
    X = np.ones((6, 2))
    model = fit_classifier(X, np.array([True, False] * 3), "radial", 1.0, None, 1e-3)
    assert isinstance(model, RadialModel) and model.gamma == 1.0


def test_a_linear_classifier_is_a_weight_vector(problem: Problem) -> None:
    X, positive, _ = problem
    model = fit_classifier(X, positive, "linear", 1.0, None, 1e-3)
    assert isinstance(model, LinearModel) and model.weights.shape == (4,)


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="all 4 examples are negative"):
        fit_classifier(np.eye(4), np.zeros(4, dtype=bool), "linear", 1.0, None, 1e-3)


def test_an_unknown_kernel_is_refused_with_what_exists() -> None:
    with pytest.raises(ValueError, match="no kernel 'rbf'; there are linear, radial"):
        fit_classifier(np.eye(2), np.array([True, False]), cast(Kernel, "rbf"), 1.0, None, 1e-3)
