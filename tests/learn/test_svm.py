"""Models against the scikit-learn machines they come from."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC, SVR, OneClassSVM

from miningflow.learn import kernels
from miningflow.learn.arrays import Mask, Matrix
from miningflow.learn.kernels import KernelModel, Radial, merged
from miningflow.learn.machines import LinearModels, Machine, Pairs
from miningflow.learn.svm import (
    Linear,
    fit_number,
    fit_one_class,
    fit_pairs,
    fit_two_classes,
    kernel_of,
)

Problem = tuple[Matrix, Mask, Matrix]

NAMES = {"linear": "linear", "radial": "rbf", "polynomial": "poly", "sigmoid": "sigmoid"}
KERNELS = list(NAMES)


@pytest.fixture
def problem() -> Problem:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 4))
    positive = X[:, 0] - X[:, 1] + X[:, 2] ** 2 + 0.5 * rng.normal(size=120) > 0.5
    return X, positive, rng.normal(size=(60, 4))


def _twin(kernel: str, gamma: float | None) -> dict[str, object]:
    return {"kernel": NAMES[kernel], "gamma": gamma or "scale", "degree": 3, "coef0": 0.5}


def _close(found: Matrix, wanted: Matrix) -> None:
    wanted = wanted.reshape(found.shape)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("gamma", [None, 0.3])
@pytest.mark.parametrize("flipped", [False, True])
def test_a_classifier_decides_as_scikit_learn(
    problem: Problem, kernel: str, gamma: float | None, flipped: bool
) -> None:
    X, positive, new = problem
    positive = positive ^ flipped
    model = fit_two_classes(X, positive, kernel_of(kernel, gamma, 3, 0.5, X), 2.0, 1e-4)
    twin = SVC(C=2.0, tol=1e-4, **_twin(kernel, gamma)).fit(X, positive)
    _close(model.decisions(new), twin.decision_function(new))


@pytest.mark.parametrize("kernel", ["linear", "radial", "polynomial"])
@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("order", [1, -1])
def test_above_zero_is_the_positive_class(
    problem: Problem, kernel: str, flipped: bool, order: int
) -> None:
    X, positive, _ = problem
    X, positive = X[::order], (positive ^ flipped)[::order]
    model = fit_two_classes(X, positive, kernel_of(kernel, None, 3, 1.0, X), 1.0, 1e-3)
    assert np.mean((model.decisions(X)[:, 0] > 0) == positive) > 0.7


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_regression_predicts_as_scikit_learn(problem: Problem, kernel: str) -> None:
    X, _, new = problem
    y = 3 * X[:, 0] + X[:, 1] ** 2 + 20
    model = fit_number(X, y, kernel_of(kernel, None, 3, 0.5, X), 5.0, 0.2, 1e-4)
    twin = SVR(C=5.0, epsilon=0.2, tol=1e-4, **_twin(kernel, None)).fit(X, y)
    _close(model.decisions(new), twin.predict(new))


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
def test_one_class_is_told_from_the_rest_as_by_scikit_learn(problem: Problem, kernel: str) -> None:
    X, _, new = problem
    model = fit_one_class(X, kernel_of(kernel, 0.2, 3, 0.5, X), 0.2, 1e-6)
    twin = OneClassSVM(nu=0.2, tol=1e-6, **_twin(kernel, 0.2)).fit(X)
    _close(model.decisions(new), twin.decision_function(new))


@pytest.mark.parametrize("kernel", ["radial", "polynomial", "sigmoid"])
@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 1, 0, 2]])
def test_pairs_vote_as_in_libsvm(problem: Problem, kernel: str, order: list[int]) -> None:
    X, positive, new = problem
    labels = np.array(order)[2 * positive + (X[:, 3] > 0)]
    model = fit_pairs(X, labels, kernel_of(kernel, None, 3, 0.5, X), 2.0, 1e-4)
    decided = Machine(model, Pairs((0, 1, 2, 3), True, False)).decide(new)
    twin = SVC(C=2.0, tol=1e-4, **_twin(kernel, None)).fit(X, labels)
    _close(decided.decisions, twin.decision_function(new))
    assert list(decided.labels) == list(twin.predict(new))


def test_duplicate_support_vectors_are_merged_and_decide_the_same(problem: Problem) -> None:
    X, positive, new = problem
    X, positive = np.vstack([X, X, X]), np.concatenate([positive, positive, positive])
    model = fit_two_classes(X, positive, kernel_of("radial", None, 3, 0.0, X), 1.0, 1e-3)
    twin = SVC(C=1.0, gamma="scale", tol=1e-3).fit(X, positive)
    assert isinstance(model, KernelModel)
    assert len(model.support) < len(twin.support_vectors_)
    assert len(np.unique(model.support, axis=0)) == len(model.support)
    _close(model.decisions(new), twin.decision_function(new))


def test_support_vectors_that_cancel_are_dropped() -> None:
    X = np.array([[0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [1.0], [2.0]])
    positive = np.array([True, False] * 4)
    model = fit_two_classes(X, positive, Radial(1.0), 0.1, 1e-6)
    twin = SVC(C=0.1, gamma=1.0, tol=1e-6).fit(X, positive)
    assert isinstance(model, KernelModel)
    assert 0.0 in twin.support_vectors_
    assert 0.0 not in model.support
    _close(model.decisions(X), twin.decision_function(X))


def test_zero_coefficients_are_dropped() -> None:
    given = KernelModel(
        np.array([[1.0], [2.0]]), np.array([[0.0, 1e-300]]), np.zeros(1), Radial(1.0)
    )
    model = merged(given)
    np.testing.assert_array_equal(model.support, [[2.0]])
    np.testing.assert_array_equal(model.coefficients, [[1e-300]])


def test_vectors_are_merged_within_their_part_only() -> None:
    support = np.array([[1.0], [1.0], [1.0], [2.0]])
    shares = np.array([[1.0, 2.0, 4.0, 0.0], [0.0, 0.0, 8.0, 0.0]])
    model = merged(KernelModel(support, shares, np.zeros(2), Radial(1.0), (2, 2)))
    assert model.parts == (1, 1)
    np.testing.assert_array_equal(model.coefficients, [[3.0, 4.0], [0.0, 8.0]])


def test_a_model_without_support_vectors_decides_by_its_intercept() -> None:
    y = np.full(5, 3.0)
    X = np.arange(10.0).reshape(5, 2)
    model = fit_number(X, y, kernel_of("radial", None, 3, 0.0, X), 1.0, 0.1, 1e-3)
    assert isinstance(model, KernelModel)
    assert model.support.shape == (0, 2)
    np.testing.assert_allclose(model.decisions(np.zeros((3, 2))), 3.0, atol=0.1)


def test_rows_are_decided_in_blocks_as_at_once(
    problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, positive, new = problem
    model = fit_two_classes(X, positive, Radial(0.2), 1.0, 1e-3)
    assert isinstance(model, KernelModel)
    whole = model.decisions(new)
    monkeypatch.setattr(kernels, "_VALUES_AT_ONCE", 7 * len(model.support))
    np.testing.assert_allclose(model.decisions(new), whole, rtol=0, atol=1e-14)


def test_gamma_of_constant_columns_is_one() -> None:
    assert kernel_of("radial", None, 3, 0.0, np.ones((6, 2))) == Radial(1.0)


def test_a_linear_classifier_is_a_weight_vector(problem: Problem) -> None:
    X, positive, _ = problem
    model = fit_two_classes(X, positive, Linear(), 1.0, 1e-3)
    assert isinstance(model, LinearModels) and model.weights.shape == (1, 4)


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="all 4 examples are negative"):
        fit_two_classes(np.eye(4), np.zeros(4, dtype=bool), Linear(), 1.0, 1e-3)


def test_an_unknown_kernel_is_refused_with_what_exists() -> None:
    with pytest.raises(ValueError, match="no kernel 'rbf'; there are linear, polynomial, radial"):
        kernel_of("rbf", None, 3, 0.0, np.eye(2))
