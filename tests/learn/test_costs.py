"""Costs and weights of rows: as in scikit-learn, and as if rows were there several times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from miningflow.learn.arrays import Matrix
from miningflow.learn.kernels import KernelModel, Radial
from miningflow.learn.linear_training import CERTIFIED, Course, train_hinge, train_squared_hinge
from miningflow.learn.margins import RowsInMemory
from miningflow.learn.platt import fit_sigmoid
from miningflow.learn.rules import learn_rules
from miningflow.learn.selection import XiAlphaSelector, subset_machine
from miningflow.learn.svm import fit_number, fit_pairs, fit_two_classes, kernel_of
from miningflow.learn.trees import Growth, float_bound, grow
from miningflow.learn.working_problem import Examples, Problem
from miningflow.learn.working_set import Limits, Violators, train_working_set

ROWS = 300
KERNELS = {"linear": "linear", "radial": "rbf", "polynomial": "poly"}


def _problem() -> tuple[Matrix, Matrix, Matrix]:
    random = np.random.default_rng(4)
    X = random.normal(size=(ROWS, 3))
    signs = np.where(X[:, 0] + X[:, 1] ** 2 + random.normal(size=ROWS) > 2, 1.0, -1.0)
    return X, signs, random.uniform(0.1, 6.0, ROWS)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_machine_with_costs_decides_as_scikit_learn(kernel: str) -> None:
    X, signs, costs = _problem()
    of_class = np.where(signs > 0, 5.0, 0.5)
    model = fit_two_classes(
        X, signs > 0, kernel_of(kernel, 0.3, 3, 0.5, X), 2.0, 1e-4, costs * of_class
    )
    options: dict[str, Any] = {"kernel": KERNELS[kernel], "gamma": 0.3, "coef0": 0.5}
    weights = {1.0: 5.0, -1.0: 0.5}
    twin = SVC(C=2.0, tol=1e-4, class_weight=weights, **options).fit(X, signs, costs)
    wanted = twin.decision_function(X)
    np.testing.assert_allclose(model.decisions(X)[:, 0], wanted, rtol=0, atol=1e-10)
    plain = fit_two_classes(X, signs > 0, kernel_of(kernel, 0.3, 3, 0.5, X), 2.0, 1e-4)
    assert np.abs(plain.decisions(X)[:, 0] - wanted).max() > 0.1


def test_pairs_of_classes_have_their_weights() -> None:
    X, _, _ = _problem()
    codes = np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.8, 1.2])
    weights = {0: 1.0, 1: 0.2, 2: 7.0}
    costs = np.array([weights[c] for c in codes])
    model = fit_pairs(X, codes, Radial(0.4), 1.5, 1e-4, costs)
    twin = SVC(C=1.5, gamma=0.4, tol=1e-4, class_weight=weights, decision_function_shape="ovo")
    wanted = twin.fit(X, codes).decision_function(X)
    np.testing.assert_allclose(model.decisions(X), wanted, rtol=0, atol=1e-10)


def test_a_regression_with_costs_predicts_as_scikit_learn() -> None:
    X, _, costs = _problem()
    y = 2 * X[:, 0] + X[:, 1] ** 2
    model = fit_number(X, y, kernel_of("radial", 0.3, 3, 0.0, X), 3.0, 0.1, 1e-4, costs)
    twin = SVR(C=3.0, gamma=0.3, epsilon=0.1, tol=1e-4).fit(X, y, costs)
    np.testing.assert_allclose(model.decisions(X)[:, 0], twin.predict(X), rtol=0, atol=1e-10)


def test_a_squared_hinge_with_costs_is_that_of_linear_svc() -> None:
    X, signs, costs = _problem()
    found = train_squared_hinge(RowsInMemory(X, signs, costs=costs), 0.5)
    twin = LinearSVC(C=0.5, tol=1e-10, max_iter=100_000, class_weight={1.0: 3.0})
    twin.fit(X, signs, np.where(signs > 0, costs / 3, costs))
    wanted = np.append(twin.coef_[0], twin.intercept_)
    np.testing.assert_allclose(found.weights, wanted, rtol=0, atol=1e-6)
    assert found.gap <= CERTIFIED


@pytest.mark.parametrize("most_near", [20_000, 60])
@pytest.mark.parametrize("sampled", [False, True])
def test_a_hinge_with_costs_is_that_of_svc(most_near: int, sampled: bool) -> None:
    X, signs, costs = _problem()
    rows = RowsInMemory(X, signs, costs=costs)
    course = Course(RowsInMemory(X[:100], signs[:100], costs=costs[:100]) if sampled else None)
    found = train_hinge(rows, 0.3, course, most_near)
    assert found.gap <= CERTIFIED
    twin = SVC(kernel="linear", C=0.3, tol=1e-4).fit(X, signs, costs)

    def objective(weights: Matrix) -> float:
        slack = np.maximum(0, 1 - signs * (X @ weights[:-1] + weights[-1]))
        return float(0.5 * weights[:-1] @ weights[:-1] + 0.3 * costs @ slack)

    right = objective(np.append(twin.coef_[0], twin.intercept_))
    assert found.objective == pytest.approx(objective(found.weights), rel=1e-10)
    assert found.bound <= right * (1 + 1e-12)
    assert found.objective <= right * (1 + 1e-6)


def test_a_tube_with_costs_is_that_of_svr() -> None:
    X, _, costs = _problem()
    y = X @ [1.0, -2.0, 0.5] + np.sin(9 * X[:, 0])
    found = train_hinge(RowsInMemory.of_numbers(X, y, 0.2, costs), 0.1, most_near=150)
    twin = SVR(kernel="linear", C=0.1, epsilon=0.2, tol=1e-6).fit(X, y, costs)
    wanted = np.append(twin.coef_[0], twin.intercept_)
    np.testing.assert_allclose(found.weights, wanted, rtol=0, atol=1e-4)
    assert found.gap <= CERTIFIED


def test_a_whole_cost_is_so_many_rows() -> None:
    X, signs, _ = _problem()
    times = np.random.default_rng(1).integers(1, 5, ROWS)
    some = RowsInMemory(X, signs, costs=times.astype(np.float64))
    many = RowsInMemory(np.repeat(X, times, axis=0), np.repeat(signs, times))
    at = np.array([0.5, -0.2, 0.1, -0.4])
    for one, other in (
        (some.hinge(at, 0.3, True), many.hinge(at, 0.3, True)),
        (some.squared_hinge(at, True), many.squared_hinge(at, True)),
    ):
        for name, value in vars(one).items():
            np.testing.assert_allclose(value, getattr(other, name), rtol=1e-12, err_msg=name)
    band, repeated = some.band(at, 0.5), many.band(at, 0.5)
    np.testing.assert_allclose(band.far, repeated.far, rtol=1e-12)
    assert band.costs is not None
    assert (band.beyond, band.costs.sum()) == (repeated.beyond, len(repeated.signs))


@dataclass
class _Rows:
    examples: Examples

    @property
    def rows(self) -> int:
        return self.examples.count

    def drawn(self, most: int) -> Examples:
        return self.examples.some(np.arange(most))

    def violators(self, model: KernelModel, tolerance: float, most: int) -> Violators:
        violations = 1 - self.examples.numbers * model.decisions(self.examples.X)[:, 0]
        order = np.argsort(-np.minimum(violations, tolerance), kind="stable")[:most]
        return Violators(self.examples.some(order), violations[order])


def test_small_problems_with_costs_give_the_machine_of_all_rows() -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(3000, 2))
    signs = np.where((X**2).sum(axis=1) > 3.5, 1.0, -1.0)
    signs[random.random(3000) < 0.01] *= -1
    costs = np.where(signs > 0, 4.0, 0.5) * random.uniform(0.5, 2.0, 3000)
    examples = Examples(X, signs, tuple(str(i) for i in range(3000)), costs)
    found = train_working_set(
        _Rows(examples), Problem(Radial(0.5), 2.0, 1e-3), Limits(300, 150, 3000)
    )
    assert found.gap <= 1e-3
    assert found.rounds > 1
    twin = SVC(C=2.0, gamma=0.5, tol=1e-5).fit(X, signs, costs)
    wanted = twin.decision_function(X)
    np.testing.assert_allclose(found.model.decisions(X)[:, 0], wanted, rtol=0, atol=0.02)


@pytest.mark.parametrize("classes", [3, None])
@pytest.mark.parametrize("pruning", [0.0, 0.02])
def test_a_tree_with_weights_has_the_thresholds_of_scikit_learn(
    classes: int | None, pruning: float
) -> None:
    X, _, weights = _problem()
    signal = X[:, 0] + X[:, 1] * X[:, 2]
    y = np.digitize(signal, [-0.5, 1.0]) if classes else signal
    kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
    root = kind(max_depth=1).fit(X, y, weights).tree_.impurity[0]
    settings = {"max_depth": 8, "min_samples_leaf": 3, "random_state": 0}
    twin = kind(ccp_alpha=pruning * root, **settings).fit(X, y, weights)
    tree, _ = grow(X, y, classes, Growth(8, 3, pruning, 0), weights)
    inner = twin.tree_.children_left >= 0
    wanted = [float_bound(t) for t in twin.tree_.threshold[inner]]
    np.testing.assert_array_equal(tree.bound[tree.left >= 0], wanted)
    np.testing.assert_array_equal(tree.column[tree.left >= 0], twin.tree_.feature[inner])
    np.testing.assert_allclose(tree.values, twin.tree_.value[:, 0, :], rtol=1e-12)
    plain, _ = grow(X, y, classes, Growth(8, 3, pruning, 0))
    assert plain.bound.tolist() != tree.bound.tolist()


@pytest.mark.parametrize("classes", [2, None])
def test_weights_all_alike_change_neither_tree_nor_rules(classes: int | None) -> None:
    X, signs, _ = _problem()
    y = (signs > 0).astype(np.intp) if classes else X[:, 0] + X[:, 1]
    growth = Growth(8, 5, None, 0)
    plain, pruning = grow(X, y, classes, growth)
    heavy = np.full(ROWS, 4.0)  # a power of two, so that nothing is rounded
    tree, chosen = grow(X, y, classes, growth, heavy)
    assert pruning == pytest.approx(chosen)
    np.testing.assert_array_equal(plain.bound, tree.bound)
    rules = learn_rules(tree, X, y, classes, 5, heavy)
    assert rules == learn_rules(plain, X, y, classes, 5)


def test_rules_with_weights_predict_the_heavier_class() -> None:
    X, signs, _ = _problem()
    y = (signs > 0).astype(np.intp)
    weights = np.where(y == 1, 8.0, 1.0)
    tree, _ = grow(X, y, 2, Growth(6, 5, 0.0, 0), weights)
    rules = learn_rules(tree, X, y, 2, 5, weights)
    outcomes = rules.apply(X)
    for i, rule in enumerate(rules.rules):
        here = y[outcomes == i]
        if len(here):
            heavy = np.bincount(here, weights[outcomes == i], minlength=2)
            np.testing.assert_allclose(rule.values, heavy / heavy.sum())
    predicted = np.array([np.argmax(rules.rules[i].values) for i in outcomes])
    plain, _ = grow(X, y, 2, Growth(6, 5, 0.0, 0))
    usual = learn_rules(plain, X, y, 2, 5)
    found = [np.argmax(usual.rules[i].values) for i in usual.apply(X)]
    assert predicted[y == 1].mean() > np.mean(np.array(found)[y == 1])


def test_a_sigmoid_follows_the_weights() -> None:
    random = np.random.default_rng(2)
    decisions = random.normal(size=4000)
    positive = random.random(4000) < 1 / (1 + np.exp(-2 * decisions))
    weights = np.where(positive, 3.0, 1.0)
    plain, heavy = fit_sigmoid(decisions, positive), fit_sigmoid(decisions, positive, weights)
    assert heavy.b == pytest.approx(plain.b - np.log(3), abs=0.05)
    found = np.average(heavy.probabilities(decisions), weights=weights)
    assert found == pytest.approx(np.average(positive, weights=weights), abs=1e-3)
    alike = fit_sigmoid(decisions, positive, np.full(4000, 0.2))
    assert (alike.a, alike.b) == pytest.approx((plain.a, plain.b), abs=1e-7)


@pytest.mark.parametrize("with_libsvm", [True, False])
def test_machines_of_subsets_have_costs(with_libsvm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    X, signs, costs = _problem()
    if not with_libsvm:
        monkeypatch.setattr(subset_machine, "libsvm", None)
    found = subset_machine.train(X @ X.T, signs, 0.5, 1e-5, costs)
    twin = SVC(kernel="linear", C=0.5, tol=1e-5).fit(X, signs, costs)
    wanted = twin.decision_function(X)
    np.testing.assert_allclose(found.decisions(X @ X.T), wanted, rtol=0, atol=1e-9)


@pytest.mark.parametrize("estimate", ["xi_alpha", "span", "cross_validation", None])
def test_a_selection_with_balanced_classes_judges_by_weighted_errors(estimate: Any) -> None:
    X, signs, _ = _problem()
    direction: Any = "backward" if estimate is None else "forward"
    options: dict[str, Any] = {"estimate": estimate, "direction": direction, "folds": 4}
    plain = XiAlphaSelector(**options).fit(X, signs)
    found = XiAlphaSelector(class_weight="balanced", **options).fit(X, signs)
    weights = {1.0: ROWS / (2 * (signs > 0).sum()), -1.0: ROWS / (2 * (signs < 0).sum())}
    again = XiAlphaSelector(class_weight=weights, **options).fit(X, signs)
    assert [t.error for t in found.trace_] == pytest.approx([t.error for t in again.trace_])
    if direction == "forward":  # without columns, both classes are a half
        assert found.trace_[0].error == pytest.approx(0.5)
        assert plain.trace_[0].error == pytest.approx(np.mean(signs > 0))
    if estimate == "cross_validation":
        wrong = np.zeros(ROWS, dtype=bool)
        # kernels of a subset are divided by their mean diagonal
        Z = X[:, found.support_] - X[:, found.support_].mean(axis=0)
        Z = Z / np.sqrt((Z**2).sum(axis=1).mean())
        for known, out in StratifiedKFold(4).split(X, signs):
            twin = SVC(kernel="linear", class_weight=weights).fit(Z[known], signs[known])
            wrong[out] = twin.predict(Z[out]) != signs[out]
        heavy = np.where(signs > 0, weights[1.0], weights[-1.0])
        assert found.error_ == pytest.approx(np.average(wrong, weights=heavy))


def test_a_selection_refuses_weights_that_are_not_above_0() -> None:
    X, signs, _ = _problem()
    with pytest.raises(ValueError, match="class_weight must be above 0"):
        XiAlphaSelector(class_weight={1.0: 0.0, -1.0: 1.0}).fit(X, signs)
