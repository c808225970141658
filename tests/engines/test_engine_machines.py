"""Every kind of machine on PostgreSQL and Spark against scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM
from support.default_run import first_only
from support.fitted_examples import KERNELS, LABELS, classes
from support.postgres_server import Postgres
from support.scoring import Engine, assert_agrees, difference, scored

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "radial": SVC,
    "radial by pairs": lambda: SVC(decision_function_shape="ovo"),
    "radial, ties broken": lambda: SVC(C=0.3, break_ties=True),
    "linear": lambda: SVC(kernel="linear"),
    "sigmoid": lambda: SVC(kernel="sigmoid", coef0=0.2),
    "monomials": lambda: SVC(kernel="poly", degree=3),
    "monomials with constant": lambda: SVC(kernel="poly", degree=2, coef0=1.0),
    "polynomial over vectors": lambda: SVC(kernel="poly", degree=7, gamma=0.3, coef0=0.5, C=0.1),
    "nu": lambda: NuSVC(nu=0.2),
    "hinge": LinearSVC,
    "all at once": lambda: LinearSVC(multi_class="crammer_singer", random_state=0),
    "descent": lambda: SGDClassifier(loss="hinge", random_state=0),
}
OTHERS: dict[str, Callable[[], Any]] = {
    "radial": SVR,
    "polynomial": lambda: SVR(kernel="poly", degree=2),
    "nu sigmoid": lambda: NuSVR(kernel="sigmoid"),
    "linear": lambda: LinearSVR(random_state=0),
    "one class": OneClassSVM,
    "one class, linear": lambda: OneClassSVM(kernel="linear"),
    "constant": lambda: SVR(epsilon=1e3),
}


@pytest.mark.parametrize("labels", [["yes", "no"], ["c", "it's", "a"]], ids=["two", "three"])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_classifiers(engine: Engine, kind: str, labels: list[str]) -> None:
    random = np.random.default_rng(len(kind))
    X = random.normal(size=(60, 4)) * [1.0, 0.1, 3.0, 1.0]
    machine = CLASSIFIERS[kind]().fit(X, classes(random, X, labels))
    assert_agrees(machine, random.normal(size=(50, 4)), engine=engine)


@pytest.mark.parametrize("kind", OTHERS)
def test_regression_and_one_class(engine: Engine, kind: str) -> None:
    random = np.random.default_rng(len(kind))
    X = random.normal(size=(60, 3)) + 2.0
    machine = OTHERS[kind]().fit(X, X[:, 0] * 3 + random.normal(size=60))
    assert_agrees(machine, random.normal(size=(50, 3)) + 2.0, engine=engine)


@pytest.mark.parametrize("labels", [["no", "yes"], [7, -1, 3]], ids=["two", "three"])
@pytest.mark.parametrize("kind", [LinearSVC, SVC, lambda: SVC(kernel="poly")])
def test_probabilities(engine: Engine, kind: Any, labels: list[Any]) -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(90, 3)) * [1, 5, 0.1] + [0, 3, -1]
    machine = CalibratedClassifierCV(kind(), cv=3).fit(X, classes(random, X, labels))
    new = np.vstack([X[:30], X[:30] * 1e4])
    rows = scored(machine, new, engine=engine)
    expected = machine.predict_proba(new)
    wide = expected[:, 1:] if len(labels) == 2 else expected
    difference(rows.drop(columns=["id", "label"]), wide)
    assert rows["label"].to_list() == machine.predict(new).tolist()


@pytest.mark.parametrize("seed", first_only(range(40), 12))
def test_drawn_classifiers(postgres: Postgres, seed: int) -> None:
    random = np.random.default_rng(seed)
    width, count = int(random.integers(1, 7)), int(random.integers(2, 5))
    options = KERNELS[seed % len(KERNELS)]
    X = random.normal(size=(60, width)) * random.choice([0.1, 1.0, 3.0], size=width)
    shape = str(random.choice(["ovr", "ovo"]))
    machine = SVC(C=2.0, decision_function_shape=shape, max_iter=3_000, **options)
    machine.fit(X, classes(random, X, LABELS[seed % 4][:count]))
    assert_agrees(machine, random.normal(size=(40, width)), engine=postgres)


@pytest.mark.slow
def test_all_pairs_of_digits(engine: Engine) -> None:
    X, y = load_digits(return_X_y=True)
    for options in ({}, {"kernel": "linear"}):
        machine = SVC(**options).fit(X[:300], y[:300])
        assert_agrees(machine, X[300:400], engine=engine)


def test_wide_sums(engine: Engine) -> None:
    random = np.random.default_rng(8)
    X = random.normal(size=(60, 300))
    for kind in (LinearSVC, SVC):
        pipeline = make_pipeline(StandardScaler(), kind()).fit(X, X[:, 0] > 0)
        assert_agrees(pipeline, X, engine=engine)


def test_tied_votes_go_to_the_first_class(engine: Engine) -> None:
    random = np.random.default_rng(6)
    X, new = random.normal(size=(100, 3)), random.normal(size=(600, 3))
    y = random.permutation(np.repeat(list("ecadb"), 20))
    machine = SVC(C=0.5, decision_function_shape="ovo", kernel="linear").fit(X, y)
    pairs = machine.decision_function(new)
    votes = np.zeros((len(new), 5))
    for value, (i, j) in zip(pairs.T, combinations(range(5), 2), strict=True):
        votes[np.arange(len(new)), np.where(value > 0, i, j)] += 1
    assert ((votes == votes.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum() >= 5
    assert_agrees(machine, new, engine=engine)


@pytest.mark.parametrize(
    "labels", [["a", "b"], ["b", "a"], [True, False], [1, 0], [-1, 1], [5.0, -2.0], [2**40, 1]]
)
@pytest.mark.parametrize("kind", [SVC, LinearSVC])
def test_two_classes_in_both_orders(engine: Engine, labels: list[Any], kind: Any) -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    machine = kind().fit(X, np.array([labels[0]] * 2 + [labels[1]] * 2))
    rows = scored(machine, X, engine=engine)
    assert rows["label"].to_list() == [labels[0]] * 2 + [labels[1]] * 2
    assert {type(label) for label in rows["label"]} == {type(labels[0])}


def test_a_decision_of_exactly_zero_goes_where_scikit_learn_puts_it(engine: Engine) -> None:
    X, y = np.array([[-1.0], [1.0]]), np.array(["a", "b"])
    support = SVC(kernel="linear", C=1e6).fit(X, y)
    linear = LinearSVC(fit_intercept=False).fit(X, y)
    zero = np.array([[0.0]])
    for machine, expected in ((support, "b"), (linear, "a")):
        assert machine.predict(zero)[0] == expected
        assert scored(machine, zero, engine=engine)["label"].to_list() == [expected]
