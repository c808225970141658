"""Linear models of scikit-learn: classes with probabilities, and numbers, also behind a link."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn import discriminant_analysis, linear_model
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    RidgeClassifier,
    TweedieRegressor,
)
from sklearn.multiclass import OneVsRestClassifier
from support.scoring import IN_PROCESS, Engine, difference, scored

import miningflow
from miningflow.errors import CompileError
from miningflow.fitted.supported import LINEAR_CLASSIFIERS, LINEAR_REGRESSORS

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
QUICK: dict[str, dict[str, Any]] = {"LogisticRegressionCV": {"Cs": 2, "cv": 2}}
ELSEWHERE = {"LinearSVC", "LinearSVR"}
"""What test_machines.py looks at."""


def _rows() -> tuple[NDArray[Any], NDArray[Any]]:
    random = np.random.default_rng(11)
    return random.normal(size=(120, 4)), 5 * random.normal(size=(60, 4))


def _classes(X: NDArray[Any], count: int) -> NDArray[Any]:
    ranks = np.argsort(np.argsort(2 * X[:, 0] + X[:, 1] + np.sin(9 * X[:, 2])))
    return np.array(["no", "yes", "it's"])[ranks * count // len(X)]


def _made(name: str) -> Any:
    """Makes an estimator; None where this release of scikit-learn has it no more."""
    return getattr(linear_model, name, None) or getattr(discriminant_analysis, name, None)


def _assert_agrees(fitted: Any, new: NDArray[Any], engine: Engine = IN_PROCESS) -> None:
    """Compares all that a classifier returns."""
    rows = scored(fitted, new, engine=engine)
    assert rows["label"].to_list() == fitted.predict(new).tolist()
    decisions = np.asarray(fitted.decision_function(new)).reshape(len(new), -1)
    difference(rows[[c for c in rows if c.startswith("decision")]], decisions)
    shown = [c for c in rows if c.startswith("probability")]
    assert bool(shown) == isinstance(fitted, (LogisticRegression, _lda()))
    if shown:
        expected = fitted.predict_proba(new)
        difference(rows[shown], expected if len(shown) > 1 else expected[:, 1:])


def _lda() -> Any:
    return discriminant_analysis.LinearDiscriminantAnalysis


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("name", sorted(set(LINEAR_CLASSIFIERS) - ELSEWHERE))
def test_every_linear_classifier(name: str, count: int) -> None:
    made = _made(name)
    if made is None:
        pytest.skip("not in this scikit-learn")
    X, new = _rows()
    _assert_agrees(made(**QUICK.get(name, {})).fit(X, _classes(X, count)), new)


@pytest.mark.parametrize("name", sorted(set(LINEAR_REGRESSORS) - ELSEWHERE))
def test_every_linear_regressor(name: str) -> None:
    made = _made(name)
    if made is None:
        pytest.skip("not in this scikit-learn")
    X, new = _rows()
    fitted = made().fit(X, np.exp(X[:, 0] + 0.3 * X[:, 1]) + 0.1)
    difference(scored(fitted, new)[["prediction"]], fitted.predict(new)[:, None])


@pytest.mark.parametrize("count", [2, 3])
def test_on_another_engine(engine: Engine, count: int) -> None:
    X, new = _rows()
    _assert_agrees(LogisticRegression(C=0.5).fit(X, _classes(X, count)), new, engine)
    poisson = PoissonRegressor().fit(X, np.exp(X[:, 0]))
    difference(scored(poisson, new, engine=engine)[["prediction"]], poisson.predict(new)[:, None])


@pytest.mark.parametrize("link", ["identity", "log"])
@pytest.mark.parametrize("power", [0.0, 1.5])
def test_links(link: str, power: float) -> None:
    X, new = _rows()
    fitted = TweedieRegressor(power=power, link=link, alpha=2.0, max_iter=5)
    if link == "identity" and power:
        fitted.fit(np.abs(X) + 1, np.abs(X).sum(axis=1) + 1)
        new = np.abs(new)
    else:
        fitted.fit(X, np.exp(X[:, 0]))
    difference(scored(fitted, new)[["prediction"]], fitted.predict(new)[:, None])


@pytest.mark.parametrize("count", [2, 3])
def test_probabilities_far_from_the_boundary(engine: Engine, count: int) -> None:
    X, _ = _rows()
    fitted = LogisticRegression(C=10.0).fit(X, _classes(X, count))
    far = np.array([[s * 10.0**e, 1, 1, 1] for s in (-1, 1) for e in (1, 2, 3, 6, 12)])
    for each in (IN_PROCESS, engine):
        rows = scored(fitted, far, engine=each)
        shown = [c for c in rows if c.startswith("probability")]
        expected = fitted.predict_proba(far)
        difference(rows[shown], expected if count > 2 else expected[:, 1:])


def test_predictions_too_large_for_a_double_are_null(engine: Engine) -> None:
    X, _ = _rows()
    fitted = PoissonRegressor(alpha=0.0).fit(X[:, :1], np.exp(X[:, 0]))
    assert fitted.coef_[0] == pytest.approx(1.0, rel=0.01)
    new = np.array([[0.0], [1e4], [-1e4]])
    for each in (IN_PROCESS, engine):
        found = scored(fitted, new, engine=each)["prediction"].to_list()
        assert found[0] == pytest.approx(1.0, rel=0.01)
        assert found[1] is None
        assert found[2] == 0.0


@pytest.mark.parametrize("fitted", [LogisticRegression(), PoissonRegressor()], ids=str)
def test_what_is_no_number_has_no_result(fitted: Any) -> None:
    X, _ = _rows()
    fitted.fit(X[:, :2], (X[:, 0] > 0).astype(int))
    new = pd.DataFrame({"a": [None, 1.0, math.inf, 1.0], "b": [1.0, math.nan, 1.0, 1.0]})
    rows = scored(fitted, new.astype(float), ["a", "b"])
    for name in rows.columns.drop("id"):
        assert [value is None for value in rows[name]] == [True, True, True, False]


def test_in_a_calibrated_classifier() -> None:
    X, new = _rows()
    y = _classes(X, 3)
    fitted = CalibratedClassifierCV(RidgeClassifier(), method="sigmoid", cv=2).fit(X, y)
    rows = scored(fitted, new)
    difference(rows[[f"probability_{i}" for i in range(3)]], fitted.predict_proba(new))


def test_several_targets_or_labels_are_refused() -> None:
    X, _ = _rows()
    both = np.column_stack([X[:, 0] > 0, X[:, 1] > 0]).astype(int)
    for fitted, what in (
        (LinearRegression().fit(X, both), "several targets"),
        (RidgeClassifier().fit(X, both), "several labels"),
        (OneVsRestClassifier(LogisticRegression()).fit(X, both[:, 0]), "OneVsRestClassifier"),
    ):
        with pytest.raises(CompileError, match=what):
            miningflow.to_sql(fitted, features=list("abcd"))


def test_probability_is_the_name_of_an_output() -> None:
    X, _ = _rows()
    fitted = LogisticRegression().fit(X, X[:, 0] > 0)
    with pytest.raises(CompileError, match="keep has probability"):
        miningflow.to_sql(fitted, features=list("abcd"), keep=["probability"])
