"""Transformers before machines on PostgreSQL and Spark against scikit-learn."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import psycopg
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.svm import SVC, SVR, LinearSVC
from support.fitted_examples import ENCODERS, FILLERS, SCALERS, mixed, numbers
from support.postgres_server import Postgres
from support.scoring import Engine, assert_agrees, difference, scored

from miningflow.learn.selection import ScoreSelector

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("kind", [LinearSVC, SVC])
@pytest.mark.parametrize("scaler", range(len(SCALERS)))
def test_scalers(postgres: Postgres, scaler: int, kind: Any) -> None:
    random = np.random.default_rng(scaler)
    X = numbers(random, 60, 3)
    y = np.array(["b", "c", "a"])[np.argsort(np.argsort(X[:, 0])) % 3]
    pipeline = make_pipeline(SCALERS[scaler](), StandardScaler(), kind()).fit(X, y)
    assert_agrees(pipeline, numbers(random, 40, 3), engine=postgres)


def _columns(encoder: Any, filler: Any) -> ColumnTransformer:
    return ColumnTransformer(
        [
            ("city", make_pipeline(SimpleImputer(strategy="most_frequent"), encoder()), ["city"]),
            ("filled", filler(), ["age"]),
            ("scaled", MinMaxScaler((-3, 5), clip=True), ["income"]),
            ("grade", encoder(), ["grade"]),
        ],
        sparse_threshold=0,
    )


@pytest.mark.parametrize("kind", [LinearSVC, SVC, SVR])
@pytest.mark.parametrize("encoder", range(len(ENCODERS)))
def test_mixed_columns(postgres: Postgres, encoder: int, kind: Any) -> None:
    random = np.random.default_rng(encoder)
    train, new = mixed(random, 80, True), mixed(random, 50, True)
    columns = _columns(ENCODERS[encoder], FILLERS[encoder % len(FILLERS)])
    pipeline = make_pipeline(columns, kind()).fit(train, (train["income"] > -3).astype(int))
    assert_agrees(pipeline, new, engine=postgres)


def test_everything_at_once(engine: Engine) -> None:
    random = np.random.default_rng(1)
    train, new = mixed(random, 80, True), mixed(random, 50, True)
    for encoder, filler in zip(ENCODERS[::4], FILLERS[1:], strict=True):
        columns = _columns(encoder, filler)
        for kind in (LinearSVC, SVC):
            pipeline = make_pipeline(columns, PolynomialFeatures(2), StandardScaler(), kind())
            pipeline.fit(train, np.where(train["income"] > -3, "it's", 'a "\\" b'))
            assert_agrees(pipeline, new, engine=engine)


def test_selectors_weights_and_inner_pipelines(engine: Engine) -> None:
    random = np.random.default_rng(5)
    X = np.hstack([random.normal(size=(60, 4)), np.ones((60, 1))])
    y = np.array(["n", "p"])[(X[:, 1] > 0).astype(int)]
    inner = Pipeline([("scale", StandardScaler()), ("none", None), ("same", FunctionTransformer())])
    weighted = ColumnTransformer(
        [("a", inner, slice(0, 2)), ("b", MinMaxScaler(), [2]), ("c", "drop", [3])],
        transformer_weights={"a": 2.0, "b": -0.5},
        remainder="passthrough",
    )
    for step in (
        weighted,
        VarianceThreshold(),
        SelectKBest(k=2),
        SelectFromModel(LinearSVC()),
        RFE(LinearSVC(), n_features_to_select=2),
        ScoreSelector(keep=2),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pipeline = make_pipeline(step, SVC()).fit(X, y)
        assert_agrees(pipeline, X, engine=engine)


def test_null_stays_null_unless_it_is_filled(engine: Engine) -> None:
    frame = mixed(np.random.default_rng(3), 80, False)
    columns = ColumnTransformer(
        [
            ("n", StandardScaler(), ["age"]),
            ("f", SimpleImputer(), ["income"]),
            ("c", OneHotEncoder(handle_unknown="ignore"), ["city"]),
            ("g", OrdinalEncoder(), ["grade"]),
        ]
    )
    new = frame.iloc[:9].astype({"age": object, "income": object, "grade": object})
    new.loc[0, "age"], new.loc[1, "income"], new.loc[2, "city"] = None, None, None
    new.loc[3, "city"], new.loc[4, "income"], new.loc[5, "age"] = "Atlantis", math.inf, -math.inf
    new.loc[6, "income"], new.loc[7, "grade"] = math.nan, 17
    for name in ("age", "income", "grade"):
        new[name] = [None if value is None else float(value) for value in new[name]]
    null = [True, False, True, False, True, True, False, True, False]
    kept = [1, 3, 6, 8]
    known = new.loc[kept].astype({"age": float, "income": float, "grade": int})
    for machine in (LinearSVC(), SVC(), SVC(kernel="poly", degree=2)):
        pipeline = make_pipeline(columns, machine).fit(frame, frame["age"] > 50)
        rows = scored(pipeline, new, engine=engine)
        assert [v is None for v in rows["label"]] == null
        assert [v is None for v in rows["decision"]] == null
        expected = pipeline.decision_function(known)
        difference(rows.loc[kept, ["decision"]], expected[:, None])
        assert rows.loc[kept, "label"].to_list() == pipeline.predict(known).tolist()


def test_missing_values_that_were_learned_as_a_category(engine: Engine) -> None:
    cities = pd.DataFrame({"city": ["a", None, "b", None, "a", "b"], "n": [1.0, 2, 3, 4, 5, 6]})
    codes = pd.DataFrame({"city": [1.0, math.nan, 2.0, math.nan, 1.0, 2.0], "n": cities["n"]})
    for frame in (cities, codes):
        for encoder in (OneHotEncoder(), OrdinalEncoder(encoded_missing_value=-1)):
            columns = ColumnTransformer([("c", encoder, ["city"])], remainder="passthrough")
            pipeline = make_pipeline(columns, SVC()).fit(frame, [0, 1, 0, 1, 0, 0])
            assert_agrees(pipeline, frame, engine=engine)


def test_truth_values_as_categories(engine: Engine) -> None:
    frame = mixed(np.random.default_rng(7), 60, False)[["member", "age"]]
    y = (frame["age"] > 50) ^ frame["member"]
    columns = ColumnTransformer([("m", OneHotEncoder(), ["member"])], remainder="passthrough")
    for kind in (SVC, LinearSVC):
        assert_agrees(make_pipeline(columns, kind()).fit(frame, y), frame, engine=engine)


def test_truth_values_as_numbers(engine: Engine) -> None:
    """PostgreSQL has no cast from one to the other, and says so."""
    frame = mixed(np.random.default_rng(7), 60, False)[["member", "age"]]
    y = (frame["age"] > 50) ^ frame["member"]
    pipeline = make_pipeline(StandardScaler(), SVC()).fit(frame, y)
    if engine.dialect == "postgres":
        with pytest.raises(psycopg.errors.CannotCoerce, match="boolean to double precision"):
            scored(pipeline, frame, engine=engine)
    else:
        assert_agrees(pipeline, frame, engine=engine)


def test_odd_categories(engine: Engine) -> None:
    odd = ["it's", 'say "hi"', "a\\b", "Größe 📏", "%s {0} ?", "new\nline", "\\", "", " ", "-- c"]
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"c": odd * 4, "n": random.normal(size=40)})
    columns = ColumnTransformer([("c", OneHotEncoder(), ["c"])], remainder="passthrough")
    y = np.array(odd, dtype=object)[random.permutation(40) % 10]
    for kind in (LinearSVC, SVC):
        assert_agrees(make_pipeline(columns, kind()).fit(frame, y), frame, engine=engine)
