"""Machines behind transformers: scaled, filled, encoded, multiplied and selected columns."""

from __future__ import annotations

import math
import warnings
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
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
from sklearn.svm import SVC, LinearSVC, LinearSVR
from support.drawn_examples import drawn
from support.fitted_examples import ENCODERS, FILLERS, MACHINES, SCALERS, mixed, numbers
from support.scoring import assert_agrees, difference, run, scored, table_of

import miningflow
from miningflow.learn.selection import ScoreSelector

QUICK = settings(
    max_examples=drawn(40),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@QUICK
@given(
    seed=st.integers(0, 2**32 - 1),
    width=st.integers(1, 5),
    classes=st.integers(2, 3),
    scalers=st.lists(st.sampled_from(SCALERS), min_size=1, max_size=3),
    more=st.sampled_from(["nothing", "squares", "products", "select", "model", "ours"]),
    machine=st.sampled_from(MACHINES),
)
def test_numbers(
    seed: int, width: int, classes: int, scalers: list[Any], more: str, machine: Any
) -> None:
    random = np.random.default_rng(seed)
    X = numbers(random, 60, width)
    y = np.argsort(np.argsort(X[:, 0] + random.normal(size=60))) % classes
    steps = {
        "nothing": [],
        "squares": [PolynomialFeatures(2)],
        "products": [PolynomialFeatures(3, interaction_only=True, include_bias=False)],
        "select": [SelectKBest(k=1)],
        "model": [SelectFromModel(LinearSVC(), threshold=-np.inf, max_features=1)],
        "ours": [ScoreSelector(keep=1)],
    }[more]
    made = [scaler() for scaler in scalers]
    pipeline = make_pipeline(*made, *steps, StandardScaler(), machine())
    pipeline.fit(X, np.array(["b", "c", "a"])[y] if _classifies(pipeline) else y)
    assert_agrees(pipeline, numbers(random, 40, width))


def _classifies(pipeline: Any) -> bool:
    return (
        hasattr(pipeline[-1], "loss") and not isinstance(pipeline[-1], LinearSVR)
    ) or isinstance(pipeline[-1], SVC)


@QUICK
@given(
    seed=st.integers(0, 2**32 - 1),
    encoder=st.sampled_from(ENCODERS),
    filler=st.sampled_from(FILLERS),
    scaler=st.sampled_from(SCALERS),
    remainder=st.sampled_from(["drop", "passthrough", "scaled"]),
    machine=st.sampled_from(MACHINES),
    fill_city=st.booleans(),
)
def test_mixed_columns(
    seed: int,
    encoder: Any,
    filler: Any,
    scaler: Any,
    remainder: str,
    machine: Any,
    fill_city: bool,
) -> None:
    random = np.random.default_rng(seed)
    train, new = mixed(random, 80, True), mixed(random, 50, True)
    nominal: Any = encoder()
    if fill_city:
        nominal = make_pipeline(SimpleImputer(strategy="most_frequent"), nominal)
    else:
        for frame in (train, new):
            frame["city"] = frame["city"].fillna("Rome")
    columns = ColumnTransformer(
        [
            ("city", nominal, ["city"]),
            ("filled", filler(), ["age"]),
            ("scaled", scaler(), lambda frame: ["income"]),
            ("grade", encoder(), [2]),
        ],
        remainder=StandardScaler() if remainder == "scaled" else remainder,
        sparse_threshold=0,
    )
    pipeline = make_pipeline(columns, machine())
    y = (train["income"] + (train["city"] == "Rome") * 0.1 > -2.95).astype(int)
    pipeline.fit(train, y)
    assert_agrees(pipeline, new)


def test_linear_preprocessing_is_folded_into_one_sum() -> None:
    random = np.random.default_rng(1)
    frame = mixed(random, 80, False)
    columns = ColumnTransformer(
        [("n", StandardScaler(), ["age", "income"]), ("c", OneHotEncoder(), ["city"])]
    )
    pipeline = make_pipeline(columns, StandardScaler(with_mean=False), LinearSVC())
    pipeline.fit(frame, frame["member"])
    query = miningflow.to_sql(pipeline).query
    assert query.count('"age"') == query.count('"income"') == 1
    assert query.count("CASE WHEN") + query.count("CASE\n") <= 3  # city, decision and label
    assert query.count("SELECT") == 2
    assert_agrees(pipeline, frame)


def test_a_far_center_costs_no_digits() -> None:
    random = np.random.default_rng(2)
    X = random.normal(size=(60, 3)) * 1e-3 + 1e6
    for machine in (LinearSVC(), SVC(), SVC(kernel="poly")):
        pipeline = make_pipeline(StandardScaler(), machine).fit(X, X[:, 0] > 1e6)
        assert_agrees(pipeline, X)


def test_null_stays_null_unless_it_is_filled() -> None:
    random = np.random.default_rng(3)
    frame = mixed(random, 80, False)
    columns = ColumnTransformer(
        [
            ("n", StandardScaler(), ["age"]),
            ("f", SimpleImputer(), ["income"]),
            ("c", OneHotEncoder(handle_unknown="ignore"), ["city"]),
        ]
    )
    new = frame.iloc[:8].copy()
    new["grade"] = None  # not read by the machine
    for row, name, value in [(0, "age", None), (1, "income", None), (2, "city", None)]:
        new.loc[row, name] = value
    new.loc[3, "city"] = "Atlantis"
    new.loc[4, "income"] = math.inf
    new.loc[5, "age"] = math.inf
    for machine in (LinearSVC(), SVC(), SVC(kernel="poly", degree=2)):
        pipeline = make_pipeline(columns, machine).fit(frame, frame["age"] > 50)
        rows = scored(pipeline, new)
        null = [True, False, True, False, True, True, False, False]
        assert [v is None for v in rows["label"]] == null
        assert [v is None for v in rows["decision"]] == null
        kept = [1, 3, 6, 7]
        expected = pipeline.decision_function(new.loc[kept])
        difference(rows.loc[kept, ["decision"]], expected[:, None])
        assert rows.loc[kept, "label"].to_list() == pipeline.predict(new.loc[kept]).tolist()


def test_a_refused_category_gets_no_class() -> None:
    frame = pd.DataFrame({"city": ["a", "b", "c", "a"], "n": [1.0, 2.0, 3.0, 4.0]})
    for encoder in (OneHotEncoder(), OrdinalEncoder()):
        columns = ColumnTransformer([("c", encoder, ["city"])], remainder="passthrough")
        for machine in (LinearSVC(), SVC()):
            pipeline = make_pipeline(columns, machine).fit(frame, [0, 1, 0, 1])
            new = pd.DataFrame({"city": ["a", "new", None], "n": [1.0, 1.0, 1.0]})
            labels = scored(pipeline, new)["label"].to_list()
            assert labels == [pipeline.predict(new[:1])[0], None, None]


def test_missing_values_that_were_learned_as_a_category() -> None:
    cities = pd.DataFrame({"city": ["a", None, "b", None, "a", "b"], "n": [1.0, 2, 3, 4, 5, 6]})
    codes = pd.DataFrame({"city": [1.0, math.nan, 2.0, math.nan, 1.0, 2.0], "n": cities["n"]})
    y = [0, 1, 0, 1, 0, 0]
    for frame in (cities, codes):
        for encoder in (OneHotEncoder(), OrdinalEncoder(encoded_missing_value=-1)):
            columns = ColumnTransformer([("c", encoder, ["city"])], remainder="passthrough")
            assert_agrees(make_pipeline(columns, SVC()).fit(frame, y), frame)


def test_a_value_that_stands_for_missing() -> None:
    X = np.array([[-1.0, 3.0], [2.0, -1.0], [4.0, 5.0], [3.0, 1.0], [-1.0, 2.0], [0.0, 9.0]])
    imputer = SimpleImputer(missing_values=-1, add_indicator=True)
    pipeline = make_pipeline(imputer, SVC()).fit(X, [0, 1, 1, 0, 0, 1])
    assert_agrees(pipeline, X)
    rows = scored(pipeline, pd.DataFrame({"a": [None, 1.0], "b": [1.0, 1.0]}), ["a", "b"])
    assert [v is None for v in rows["label"]] == [True, False]
    texts = pd.DataFrame({"t": ["?", "a", "b", "a", "?", "b"], "n": X[:, 1]})
    filled = make_pipeline(
        SimpleImputer(missing_values="?", strategy="most_frequent"), OneHotEncoder()
    )
    columns = ColumnTransformer([("t", filled, ["t"])], remainder="passthrough")
    assert_agrees(make_pipeline(columns, SVC()).fit(texts, [0, 1, 1, 0, 0, 1]), texts)


@pytest.mark.filterwarnings("ignore:Skipping features without any observed values")
def test_a_column_without_values_is_left_out_by_the_imputer() -> None:
    X = np.array([[1.0, math.nan], [2.0, math.nan], [3.0, math.nan], [4.0, math.nan]])
    for keep in (True, False):
        imputer = SimpleImputer(keep_empty_features=keep, add_indicator=True)
        assert_agrees(make_pipeline(imputer, SVC()).fit(X, [0, 0, 1, 1]), X)


def test_every_selector_is_read_by_its_support() -> None:
    random = np.random.default_rng(5)
    X = np.hstack([random.normal(size=(60, 4)), np.ones((60, 1))])
    y = np.array(["n", "p"])[(X[:, 1] > 0).astype(int)]
    for selector in (
        VarianceThreshold(),
        SelectKBest(k=2),
        SelectFromModel(RandomForestClassifier(5, random_state=0)),
        RFE(LinearSVC(), n_features_to_select=2),
        ScoreSelector(keep=2),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pipeline = make_pipeline(selector, StandardScaler(), SVC()).fit(X, y)
        assert_agrees(pipeline, X)
    # NULL in a column that was dropped counts for nothing
    frame = pd.DataFrame(X[:3], columns=list("abcde"))
    dropped = [n for n, kept in zip("abcde", selector.get_support(), strict=True) if not kept]
    frame[dropped] = None
    rows = scored(pipeline, frame, list("abcde"))
    assert rows["label"].to_list() == pipeline.predict(X[:3]).tolist()


def test_inner_pipelines_weights_and_passthrough() -> None:
    random = np.random.default_rng(6)
    X = numbers(random, 50, 4)
    inner = Pipeline([("scale", StandardScaler()), ("none", None), ("pass", "passthrough")])
    columns = ColumnTransformer(
        [
            ("a", inner, slice(0, 2)),
            ("b", MinMaxScaler(), np.array([False, False, True, False])),
            ("c", "drop", [3]),
            ("empty", StandardScaler(), []),
        ],
        transformer_weights={"a": 2.0, "b": -0.5},
    )
    last = Pipeline([("again", FunctionTransformer()), ("svc", SVC())])
    pipeline = Pipeline([("columns", columns), ("last", last)])
    assert_agrees(pipeline.fit(X, X[:, 0] > 0), X)


def test_truth_values_are_numbers_and_categories() -> None:
    frame = mixed(np.random.default_rng(7), 60, False)[["member", "age"]]
    y = (frame["age"] > 50) ^ frame["member"]
    assert_agrees(make_pipeline(StandardScaler(), SVC()).fit(frame, y), frame)
    columns = ColumnTransformer([("m", OneHotEncoder(), ["member"])], remainder="passthrough")
    assert_agrees(make_pipeline(columns, LinearSVC()).fit(frame, y), frame)


@pytest.mark.slow
def test_wide_and_deep_sums_stay_within_the_limits_of_the_engine() -> None:
    random = np.random.default_rng(8)
    X = random.normal(size=(60, 2_500))
    pipeline = make_pipeline(StandardScaler(), LinearSVC()).fit(X, X[:, 0] > 0)
    assert_agrees(pipeline, X)


def test_the_same_as_orbital() -> None:
    orbital = pytest.importorskip("orbital")
    types = pytest.importorskip("orbital.types")
    random = np.random.default_rng(9)
    names = ["a", "b", "c"]
    frame = pd.DataFrame(numbers(random, 60, 3), columns=names)
    pipeline = make_pipeline(StandardScaler(), LinearSVR(random_state=0))
    pipeline.fit(frame, frame["a"] * 2 + random.normal(size=60))
    parsed = orbital.parse_pipeline(pipeline, {n: types.DoubleColumnType() for n in names})
    theirs = orbital.export_sql("rows", parsed, dialect="duckdb")
    connection = duckdb.connect()
    given = table_of(frame)
    connection.register("given", given)
    connection.execute("CREATE TABLE rows AS SELECT * FROM given")
    found = [float(row[-1]) for row in connection.execute(theirs).fetchall()]
    ours = run(miningflow.to_sql(pipeline, keep=["id"]), given)["prediction"].to_list()
    assert ours == pytest.approx(found, rel=1e-9)


def test_none_that_an_imputer_let_pass_is_refused() -> None:
    """scikit-learn fills NaN and keeps None, which SQL cannot tell apart: both are NULL."""
    cities = np.array([["Rome"], ["Oslo"], [None], ["Rome"]] * 5, dtype=object)
    frame = pd.DataFrame({"city": pd.Series(cities[:, 0], dtype=object)})
    filling = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder())
    pipeline = make_pipeline(ColumnTransformer([("c", filling, ["city"])]), LinearSVC())
    pipeline.fit(frame, [0, 1, 0, 1] * 5)
    with pytest.raises(miningflow.MiningFlowError, match="learned None as a category") as raised:
        assert_agrees(pipeline, frame)
    assert "SimpleImputer(missing_values=None)" in str(raised.value)

    named = make_pipeline(
        SimpleImputer(strategy="most_frequent", missing_values=None), OneHotEncoder()
    )
    pipeline = make_pipeline(ColumnTransformer([("c", named, ["city"])]), LinearSVC())
    assert_agrees(pipeline.fit(frame, [0, 1, 0, 1] * 5), frame)
