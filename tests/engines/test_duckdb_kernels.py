"""The function that computes kernel decisions in this process, against scikit-learn."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from miningflow.engines.duckdb.kernels import kernel_function
from miningflow.learn.arrays import Matrix
from miningflow.learn.fitted_models import fitted_model
from miningflow.learn.kernels import KernelModel, Radial

OPTIONS: dict[str, dict[str, Any]] = {
    "radial": {"kernel": "rbf", "gamma": 0.2},
    "narrow": {"kernel": "rbf", "gamma": 400.0},
    "polynomial": {"kernel": "poly", "degree": 3, "gamma": 0.2, "coef0": 0.7},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.05, "coef0": -0.4},
}


def _computed(model: KernelModel, X: Any) -> list[Any]:
    connection = duckdb.connect()
    frame = pd.DataFrame({"id": np.arange(len(X)), **{f"x{i}": x for i, x in enumerate(X.T)}})
    connection.register("frame", frame)
    names = ", ".join(f"x{i}" for i in range(X.shape[1]))
    with kernel_function(connection, "decide", model):
        rows = connection.execute(f"SELECT decide([{names}]) FROM frame ORDER BY id").fetchall()
    return [row[0] for row in rows]


def _problem(rows: int = 5_000) -> tuple[Matrix, Matrix]:
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    random = np.random.default_rng(0)
    return X[y < 2], np.vstack([X, random.normal(size=(rows - len(X), X.shape[1]))])


def _classes() -> Matrix:
    y: Matrix = load_wine(return_X_y=True)[1]
    return y[y < 2]


@pytest.mark.parametrize("name", OPTIONS)
def test_decisions_are_those_of_scikit_learn(name: str) -> None:
    X, new = _problem()
    machine = SVC(**OPTIONS[name]).fit(X, _classes())
    model = fitted_model(machine)
    assert isinstance(model, KernelModel)
    found = np.array(_computed(model, new))[:, 0]
    expected = machine.decision_function(new)
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-10 * np.abs(expected).max())


def test_each_pair_of_classes_has_a_decision() -> None:
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    machine = SVC(decision_function_shape="ovo", gamma=0.1).fit(X, y)
    model = fitted_model(machine)
    assert isinstance(model, KernelModel)
    found = np.array(_computed(model, X))
    assert found == pytest.approx(machine.decision_function(X), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("offset", [100.0, 1e4])
def test_digits_are_kept_far_from_zero(offset: float) -> None:
    X, new = _problem(500)
    machine = SVC(gamma=0.2).fit(X + offset, _classes())
    model = fitted_model(machine)
    assert isinstance(model, KernelModel)
    found = np.array(_computed(model, new + offset))[:, 0]
    expected = model.decisions(new + offset)[:, 0]
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("odd", [None, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", OPTIONS)
def test_a_row_that_is_not_all_numbers_has_no_decision(name: str, odd: float | None) -> None:
    X, new = _problem(200)
    model = fitted_model(SVC(**OPTIONS[name]).fit(X, _classes()))
    assert isinstance(model, KernelModel)
    wide = new.astype(object)
    for i in range(13):
        wide[i, i] = odd
    found = _computed(model, wide)
    assert found[:13] == [None] * 13
    assert all(value is not None and math.isfinite(value[0]) for value in found[13:])


def test_a_row_far_from_everything_gets_the_intercept() -> None:
    random = np.random.default_rng(1)
    support, shares = random.normal(size=(20, 2)), random.normal(size=(1, 20))
    model = KernelModel(support, shares, np.array([0.5]), Radial(1.0))
    assert _computed(model, np.array([[1e8, 0.0], [-1e150, 1e150]])) == [[0.5], [0.5]]


def test_without_support_vectors_the_decision_is_constant() -> None:
    empty = KernelModel(np.zeros((0, 2)), np.zeros((1, 0)), np.array([1.5]), Radial(1.0))
    assert _computed(empty, np.array([[0.0, 1.0], [math.nan, 1.0]])) == [[1.5], None]


def test_without_rows_there_are_no_decisions() -> None:
    model = KernelModel(np.ones((1, 2)), np.ones((1, 1)), np.zeros(1), Radial(1.0))
    assert _computed(model, np.zeros((0, 2))) == []


def test_the_function_is_gone_afterwards() -> None:
    connection = duckdb.connect()
    model = KernelModel(np.ones((1, 1)), np.ones((1, 1)), np.zeros(1), Radial(1.0))
    with kernel_function(connection, "decide", model):
        assert connection.execute("SELECT decide([1.0])").fetchall() == [([1.0],)]
        assert connection.execute("SELECT decide(NULL)").fetchall() == [(None,)]
    with pytest.raises(duckdb.CatalogException):
        connection.execute("SELECT decide([1.0])")
