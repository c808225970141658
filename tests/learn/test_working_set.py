"""Kernel machines by small problems, against libsvm on all rows at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.svm import SVC, SVR

from miningflow.learn.kernels import KernelModel, Polynomial, Radial
from miningflow.learn.working_problem import Examples, Problem
from miningflow.learn.working_set import (
    CERTIFIED,
    Limits,
    TooManySupportVectors,
    Violators,
    train_working_set,
)

ROWS = 3000


@dataclass
class _Rows:
    """Rows in memory, drawn in their order; rows with the same identity are alike."""

    examples: Examples
    epsilon: float | None = None
    asked: int = 0

    @property
    def rows(self) -> int:
        return self.examples.count

    def drawn(self, most: int) -> Examples:
        return self.examples.some(np.arange(most))

    def violators(self, model: KernelModel, tolerance: float, most: int) -> Violators:
        self.asked += 1
        values, numbers = model.decisions(self.examples.X)[:, 0], self.examples.numbers
        if self.epsilon is None:
            violations = 1 - numbers * values
        else:
            violations = np.abs(numbers - values) - self.epsilon
        order = np.argsort(-np.minimum(violations, tolerance), kind="stable")[:most]
        return Violators(self.examples.some(order), violations[order])


def _circle(copies: int = 1) -> Examples:
    random = np.random.default_rng(3)
    X = random.normal(size=(ROWS, 2))
    signs = np.where((X**2).sum(axis=1) > 1.4, 1.0, -1.0)
    signs[random.random(ROWS) < 0.01] *= -1
    identities = tuple(str(i) for i in range(ROWS)) * copies
    return Examples(np.tile(X, (copies, 1)), np.tile(signs, copies), identities)


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("kernel", [Radial(0.5), Polynomial(2, 0.7, 1.0)])
def test_classes_are_those_of_svc(kernel: Radial | Polynomial, copies: int) -> None:
    examples = _circle(copies)
    rows = _Rows(examples)
    problem = Problem(kernel, 5.0, 1e-3)
    found = train_working_set(rows, problem, Limits(200, 150, 3000))
    assert found.gap <= 1e-3
    assert found.rounds == rows.asked > 1
    radial = isinstance(kernel, Radial)
    options = {"kernel": "rbf"} if radial else {"kernel": "poly", "degree": 2, "coef0": 1.0}
    twin = SVC(C=5.0, gamma=kernel.gamma, tol=1e-5, **options).fit(examples.X, examples.numbers)
    right, values = twin.decision_function(examples.X), found.model.decisions(examples.X)[:, 0]
    assert np.mean((right > 0) == (values > 0)) >= 0.999
    np.testing.assert_allclose(values, right, rtol=0, atol=0.02 * np.std(right))
    assert len(found.model.support) <= len(np.unique(twin.support_vectors_, axis=0)) + 20


def test_numbers_are_those_of_svr() -> None:
    random = np.random.default_rng(4)
    X = random.uniform(-2, 2, size=(ROWS, 2))
    numbers = np.sin(2 * X[:, 0]) * X[:, 1] + 0.05 * random.normal(size=ROWS)
    examples = Examples(X, numbers, tuple(str(i) for i in range(ROWS)))
    problem = Problem(Radial(1.0), 3.0, 1e-3, 0.1)
    found = train_working_set(_Rows(examples, 0.1), problem, Limits(100, 80, 2000))
    twin = SVR(C=3.0, gamma=1.0, epsilon=0.1, tol=1e-5).fit(X, numbers)
    np.testing.assert_allclose(found.model.decisions(X)[:, 0], twin.predict(X), rtol=0, atol=5e-3)
    assert found.gap <= 1e-3


def test_a_good_start_needs_one_problem_only() -> None:
    rows, problem = _Rows(_circle()), Problem(Radial(0.5), 5.0, 1e-3)
    kept: list[Examples] = []
    train_working_set(rows, problem, Limits(200, 150, 3000), keep=kept.append)
    rows.asked = 0
    again = train_working_set(rows, problem, Limits(200, 150, 3000), start=kept[-1])
    assert again.rounds == rows.asked == 1
    assert again.gap <= max(CERTIFIED, 1e-3)


def test_rows_of_one_class_are_answered_by_the_other() -> None:
    examples = _circle()
    order = np.argsort(examples.numbers, kind="stable")
    rows = _Rows(examples.some(order))
    found = train_working_set(rows, Problem(Radial(0.5), 5.0, 1e-3), Limits(200, 150, 3000))
    right = train_working_set(
        _Rows(examples), Problem(Radial(0.5), 5.0, 1e-3), Limits(200, 150, 3000)
    )
    values = found.model.decisions(examples.X), right.model.decisions(examples.X)
    np.testing.assert_allclose(*values, rtol=0, atol=0.05)


def test_too_many_support_vectors_are_foreseen_or_met() -> None:
    rows, problem = _Rows(_circle()), Problem(Radial(0.5), 0.01, 1e-3)
    with pytest.raises(TooManySupportVectors):
        train_working_set(rows, problem, Limits(200, 150, 3000, expected=100))
    assert rows.asked == 0
    with pytest.raises(TooManySupportVectors) as raised:
        train_working_set(rows, problem, Limits(200, 150, 300))
    assert rows.asked > 0
    assert raised.value.count > 300
