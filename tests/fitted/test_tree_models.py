"""Trees, forests and boosted trees: the very values of scikit-learn, also at their thresholds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn import ensemble, tree
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_regression
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from support.scoring import IN_PROCESS, Engine, scored

import miningflow
from miningflow.errors import CompileError
from miningflow.fitted import tree_models
from miningflow.fitted.supported import BOOSTED, FORESTS, HISTOGRAM_BOOSTED, SINGLE_TREES

NAMES = (*SINGLE_TREES, *FORESTS, *BOOSTED, *HISTOGRAM_BOOSTED)
_FEW: dict[str, Any] = {"n_estimators": 4, "max_depth": 4}
SIZES: dict[str, Any] = {
    **dict.fromkeys((*FORESTS, *BOOSTED), _FEW),
    **{name: {"max_iter": 4, "max_leaf_nodes": 8} for name in HISTOGRAM_BOOSTED},
}


def _made(name: str, **options: Any) -> Any:
    kind = getattr(tree, name, None) or getattr(ensemble, name)
    return kind(random_state=0, **SIZES.get(name, {}), **options)


def _rows(missing: bool = False) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns rows to learn from, and new ones, many of which lie on thresholds."""
    random = np.random.default_rng(5)
    X = random.normal(size=(150, 3)).round(1)
    new = np.vstack([random.normal(size=(100, 3)), X + 0.05, X])
    if missing:
        X[random.random(X.shape) < 0.15] = math.nan
        new[random.random(new.shape) < 0.15] = math.nan
    return X, new


def _target(X: NDArray[Any], classes: int) -> NDArray[Any]:
    values = np.nan_to_num(X) @ [1.0, 0.5, 0.0] + np.sin(7 * np.nan_to_num(X)[:, 2])
    if not classes:
        numbers: NDArray[Any] = np.exp(values / 2)
        return numbers
    ranks = np.argsort(np.argsort(values))
    return np.array(["b", "a", "c's"])[ranks * classes // len(X)]


def _assert_equal(fitted: Any, new: Any, engine: Engine = IN_PROCESS) -> None:
    """Compares labels and values; new rows may be a frame with categories."""
    names = list(new.columns) if isinstance(new, pd.DataFrame) else None
    table = new
    if names:
        table = new.apply(lambda c: c.astype(object) if c.dtype == "category" else c)
    rows = scored(fitted, table, names, engine)
    if not hasattr(fitted, "predict_proba"):
        found, expected = rows["prediction"].to_numpy(float), fitted.predict(new)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-13)
        return
    assert rows["label"].to_list() == fitted.predict(new).tolist()
    expected = fitted.predict_proba(new)
    shown = [name for name in rows if name.startswith("probability")]
    assert len(shown) == (1 if expected.shape[1] == 2 else expected.shape[1])
    found = rows[shown].to_numpy(float)
    assert found == pytest.approx(expected[:, -found.shape[1] :], rel=1e-12, abs=1e-13)
    if hasattr(fitted, "decision_function"):
        decisions = [name for name in rows if name.startswith("decision")]
        values = fitted.decision_function(new).reshape(len(rows), -1)
        assert rows[decisions].to_numpy(float) == pytest.approx(values, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_every_model_of_trees(name: str, missing: bool) -> None:
    if missing and name in BOOSTED:
        pytest.skip("refuses missing values itself")
    X, new = _rows(missing)
    for classes in (2, 3) if name.endswith("Classifier") else (0,):
        _assert_equal(_made(name).fit(X, _target(X, classes)), new)


@pytest.mark.parametrize("kind", [RandomForestClassifier, HistGradientBoostingClassifier])
def test_on_another_engine(engine: Engine, kind: Any) -> None:
    X, new = _rows(missing=True)
    _assert_equal(_made(kind.__name__).fit(X, _target(X, 3)), new, engine)


def test_at_the_edge_of_32_bits() -> None:
    """A number between two floats goes where its nearest float goes."""
    X = np.array([[1.0], [1.0 + 2.0**-22]])
    fitted = DecisionTreeClassifier().fit(X, ["low", "high"])
    steps = np.arange(-4, 12) * 2.0**-25
    new = (1.0 + steps)[:, None]
    assert len(set(fitted.predict(new))) == 2
    _assert_equal(fitted, new)


def test_histogram_boosting_compares_in_64_bits() -> None:
    X = np.repeat([[1.0], [1.0 + 2.0**-40]], 30, axis=0)
    fitted = HistGradientBoostingClassifier(max_iter=2).fit(X, ["low"] * 30 + ["high"] * 30)
    assert len(set(fitted.predict(X))) == 2
    _assert_equal(fitted, X)


@pytest.mark.parametrize("loss", ["poisson", "gamma", "absolute_error"])
def test_losses_of_histogram_boosting(loss: str) -> None:
    X, new = _rows()
    fitted = HistGradientBoostingRegressor(loss=loss, max_iter=3, max_leaf_nodes=5)
    _assert_equal(fitted.fit(X, _target(X, 0)), new)


@pytest.mark.parametrize("options", [{"loss": "exponential"}, {"init": "zero"}], ids=str)
def test_boosting_with_another_loss_or_start(options: dict[str, Any]) -> None:
    X, new = _rows()
    _assert_equal(_made("GradientBoostingClassifier", **options).fit(X, _target(X, 2)), new)


def test_categories_as_text_as_codes_and_unseen() -> None:
    random = np.random.default_rng(3)
    cities = random.choice(["Rome", "Oslo", "Bonn", "Kyiv", "Lima"], 300)
    frame = pd.DataFrame({"age": random.normal(size=300), "city": pd.Categorical(cities)})
    frame.loc[::7, "city"] = None
    y = np.isin(cities, ["Rome", "Kyiv"]) ^ (frame["age"] > 1)
    fitted = HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype")
    fitted.fit(frame, y)
    new = frame.copy()
    new["city"] = pd.Categorical(random.choice(["Rome", "Oslo", "Paris"], 300))
    new.loc[::5, "city"] = None
    for rows in (frame, new):
        _assert_equal(fitted, rows)

    codes = np.column_stack([frame["age"], frame["city"].cat.codes.replace(-1, math.nan)])
    coded = HistGradientBoostingClassifier(max_iter=5, categorical_features=[1]).fit(codes, y)
    unseen = codes.copy()
    unseen[::3, 1] = 4.0
    unseen[1::3, 1] = 77.0
    _assert_equal(coded, unseen)


def test_missing_values_that_training_did_not_have() -> None:
    X, _ = _rows()
    new = np.array([[math.nan, 0.1, 0.2], [0.1, math.nan, 0.3], [math.nan] * 3])
    for name in (*SINGLE_TREES, *FORESTS, *HISTOGRAM_BOOSTED):
        classes = 2 if name.endswith("Classifier") else 0
        _assert_equal(_made(name).fit(X, _target(X, classes)), new)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_scikit_learn_refuses_is_null() -> None:
    X, _ = _rows()
    wide = np.array([[1e39, 0, 0], [-math.inf, 0, 0], [0, math.inf, 0], [1, 1, 1]])
    gaps = np.array([[math.nan, 0, 0], [1, 1, 1]])
    forest = _made("RandomForestRegressor").fit(X, _target(X, 0))
    boosted = _made("GradientBoostingRegressor").fit(X, _target(X, 0))
    for fitted, new in ((forest, wide), (boosted, wide), (boosted, gaps)):
        with pytest.raises(ValueError, match=r"infinity|NaN|too large"):
            fitted.predict(new)
        found = scored(fitted, new)["prediction"].to_list()
        assert [value is None for value in found] == [True] * (len(new) - 1) + [False]


def test_behind_an_encoder() -> None:
    random = np.random.default_rng(8)
    frame = pd.DataFrame({"x": random.normal(size=200), "c": random.choice(list("uvw"), 200)})
    y = frame["x"].where(frame["c"] == "u", -frame["x"])
    columns = make_column_transformer(("passthrough", ["x"]), (OneHotEncoder(), ["c"]))
    fitted = make_pipeline(columns, RandomForestRegressor(5, max_depth=4, random_state=0))
    fitted.fit(frame, y)
    found = scored(fitted, frame, list(frame.columns))["prediction"].to_numpy(float)
    assert found == pytest.approx(fitted.predict(frame), rel=1e-12)


def test_a_chain_of_splits_is_not_nested_deeply() -> None:
    X = np.arange(600.0)[:, None]
    y = 2.0 ** np.arange(600)
    fitted = DecisionTreeRegressor().fit(X, y)
    assert fitted.get_depth() > 100
    _assert_equal(fitted, X)


def test_what_cannot_be_written_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_regression(60, 3, n_targets=2, random_state=0)
    several = DecisionTreeRegressor().fit(X, y)
    started = GradientBoostingRegressor(init=LinearRegression()).fit(X, y[:, 0])
    one = DecisionTreeClassifier().fit(X, np.zeros(60))
    for fitted, what in ((several, "targets"), (started, "another model"), (one, "one class")):
        with pytest.raises(CompileError, match=what):
            miningflow.to_sql(fitted, features=list("abc"))
    monkeypatch.setattr(tree_models, "MOST_LEAVES", 20)
    large = GradientBoostingClassifier().fit(X, y[:, 0] > 0)
    with pytest.raises(CompileError, match=r"leaves, more than 20"):
        miningflow.to_sql(large, features=list("abc"))
