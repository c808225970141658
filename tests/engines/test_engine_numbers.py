"""What is no number, or hardly one, gets no class and raises no error."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, OneClassSVM
from support.postgres_server import Postgres
from support.scoring import Engine, difference, scored

import miningflow

MACHINES: dict[str, Callable[[], Any]] = {
    "radial": SVC,
    "sigmoid": lambda: SVC(kernel="sigmoid"),
    "monomials": lambda: SVC(kernel="poly"),
    "polynomial over vectors": lambda: SVC(kernel="poly", degree=9, coef0=0.3, gamma=0.2),
    "linear": lambda: SVC(kernel="linear"),
    "hinge": LinearSVC,
    "regression": SVR,
    "linear regression": LinearSVR,
    "one class": OneClassSVM,
    "calibrated": lambda: CalibratedClassifierCV(SVC(), cv=2),
    "scaled": lambda: make_pipeline(StandardScaler(), SVC()),
    "squares": lambda: make_pipeline(PolynomialFeatures(2), StandardScaler(), LinearSVC()),
    "cubes of scaled": lambda: make_pipeline(
        StandardScaler(), PolynomialFeatures(3), StandardScaler(), LinearSVC()
    ),
    "clipped and multiplied": lambda: make_pipeline(
        MinMaxScaler(clip=True), PolynomialFeatures(2), SVC()
    ),
}
NAMES = ["a", "b", "c"]


def _fitted(kind: str, classes: int) -> Any:
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    return MACHINES[kind]().fit(X, np.argsort(X[:, 0]) % classes), X


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", MACHINES)
def test_what_is_no_number_gets_no_class(engine: Engine, kind: str, classes: int) -> None:
    machine, X = _fitted(kind, classes)
    wide = X[:7].astype(object)
    wide[0, 0], wide[1, 1], wide[2, 2] = None, math.nan, math.inf
    wide[3, 0], wide[4, 0], wide[4, 1] = -math.inf, math.inf, -math.inf
    wide[5] = [math.nan, None, math.inf]
    rows = scored(machine, pd.DataFrame(wide, columns=NAMES), NAMES, engine)
    for name in rows.columns.drop("id"):
        assert [value is None for value in rows[name]] == [True] * 6 + [False]


# Sums over columns as they are read are scaled as a whole, so that no number is too large.
PLAIN = ("linear", "hinge", "linear regression")


@pytest.mark.parametrize("kind", MACHINES)
def test_huge_numbers_raise_no_error(postgres: Postgres, kind: str) -> None:
    """PostgreSQL takes overflow for an error."""
    machine, X = _fitted(kind, 2)
    sizes = [1e20, 1e60, 1e99, 1e101, 1e150, 1e200, 1e300, 1.7976931348623157e308]
    wide = np.vstack([[sign * size, 1.0, X[0, 2]] for size in sizes for sign in (1, -1)])
    wide = np.vstack([wide, np.full((1, 3), sizes[-1]), X[:1]])
    rows = scored(machine, wide, NAMES, postgres)
    last = rows.iloc[-1]
    assert all(value is not None for value in last)
    largest = {"clipped and multiplied": 1e150, **dict.fromkeys(PLAIN, 1e305)}.get(kind, 1e100)
    beyond = [abs(a) > largest for a in wide[:, 0]]
    for name in rows.columns.drop("id"):
        assert all(value is None for value, far in zip(rows[name], beyond, strict=True) if far)
    near = rows[[abs(a) <= (1e200 if kind in PLAIN else 1e20) for a in wide[:, 0]]]
    given = wide[near["id"].to_list()]
    if "decision" in near:
        difference(near[["decision"]], np.reshape(machine.decision_function(given), (-1, 1)))
        assert near["label"].to_list() == machine.predict(given).tolist()


@pytest.mark.parametrize("kind", MACHINES)
def test_tiny_numbers_raise_no_error(engine: Engine, kind: str) -> None:
    """PostgreSQL takes underflow for an error."""
    machine, X = _fitted(kind, 2)
    sizes = [5e-324, 1e-310, 1e-200, 1e-150, 1e-120, 1e-90, 1e-50, 1e-20, 0.0]
    wide = np.vstack([row for size in sizes for row in ([size, 1.0, X[0, 2]], [-size, size, size])])
    rows = scored(machine, wide, NAMES, engine)
    expected = machine.predict(wide)
    if "prediction" in rows:
        difference(rows[["prediction"]], expected[:, None])
    else:
        assert rows["label"].to_list() == expected.tolist()
    if "decision" in rows:
        difference(rows[["decision"]], np.reshape(machine.decision_function(wide), (-1, 1)))


def test_support_vectors_far_away_and_of_odd_sizes(postgres: Postgres) -> None:
    random = np.random.default_rng(2)
    for size in (1e-30, 1e-8, 1e8, 1e30):
        X = random.normal(size=(40, 2)) * size
        for options in ({}, {"kernel": "poly", "degree": 3}, {"kernel": "poly", "degree": 2}):
            machine = SVR(**options, gamma=1 / size**2).fit(X, X[:, 0] / size)
            rows = scored(machine, X, engine=postgres)
            difference(rows[["prediction"]], machine.predict(X)[:, None])


def test_a_support_vector_at_zero_and_a_product_that_is_almost_zero(postgres: Postgres) -> None:
    X = np.array([[0.0, 0.0], [1e-170, 1.0], [1.0, -1.0], [0.1, 0.3], [2.0, 1.0]])
    for machine in (
        SVC(),
        SVC(kernel="poly", degree=20),
        SVC(kernel="poly", degree=12),
        SVC(kernel="poly", degree=25, coef0=0.1),
        SVC(kernel="sigmoid"),
    ):
        machine.fit(X, [0, 0, 1, 1, 1])
        new = np.vstack([X, [[1e-17, 1.0], [1.0, 1e-30], [3.0, -1.0 + 2e-16], [1e-20, 1e-20]]])
        try:
            rows = scored(machine, new, engine=postgres)
        except miningflow.MiningFlowError as error:
            assert machine.degree == 20
            assert "underflow" in str(error)
            continue
        difference(rows[["decision"]], machine.decision_function(new)[:, None])


def test_coefficients_that_count_for_nothing(postgres: Postgres) -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    machine = SVR(epsilon=0.01).fit(X, [0.0, 2.0, 1.0, 3.0])
    machine.dual_coef_[0, 1] = 1e-250
    new = np.array([[0.5], [1.0], [80.0], [1e6]])
    rows = scored(machine, new, engine=postgres)
    difference(rows[["prediction"]], machine.predict(new)[:, None])
