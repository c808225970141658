"""Fitted machines on the databases that SQL is printed for, against scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, OneClassSVM
from support.fitted_examples import KERNELS, classes
from support.scoring import Engine, assert_agrees, scored

import miningflow
from miningflow.errors import MiningFlowError
from miningflow.sql.dialect import DIALECTS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("labels", [["yes", "no"], ["c", "it's \\ ä", "a"]], ids=["two", "three"])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_classifiers(printed_for: Engine, kernel: dict[str, Any], labels: list[str]) -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(60, 4)) * [1.0, 0.1, 3.0, 1.0]
    machine = SVC(**kernel).fit(X, classes(random, X, labels))
    assert_agrees(machine, random.normal(size=(40, 4)), engine=printed_for)


@pytest.mark.parametrize("machine", [SVR(), OneClassSVM(), SVR(kernel="linear")], ids=str)
def test_regression_and_one_class(printed_for: Engine, machine: Any) -> None:
    random = np.random.default_rng(4)
    X = random.normal(size=(60, 3)) + 2.0
    machine.fit(X, X[:, 0] * 2 + X[:, 1])
    assert_agrees(machine, random.normal(size=(40, 3)) + 2.0, engine=printed_for)


def test_a_pipeline_with_categories_and_missing_values(printed_for: Engine) -> None:
    random = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "a size": random.normal(size=80),
            # 0 is what NaN would be if it were cast where there is none
            "b": np.where(random.random(80) < 0.4, np.nan, random.integers(0, 3, size=80)),
            'city "x"': random.choice(["Köln", "it's", "a\\b"], size=80),
        }
    )
    y = classes(random, frame[["a size"]].to_numpy(), ["yes", "no"])
    encoded = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["a size", "b"]),
        (OneHotEncoder(), ['city "x"']),
    )
    assert_agrees(make_pipeline(encoded, SVC()).fit(frame, y), frame, engine=printed_for)


def test_what_is_missing_or_far_out_has_no_label(printed_for: Engine) -> None:
    random = np.random.default_rng(6)
    X = random.normal(size=(40, 2))
    y = classes(random, X, ["yes", "no"])
    rows = pd.DataFrame({"a": [None, 1.0, 1e200, -1e-200], "b": [0.0, 0.5, 0.5, 0.5]}, dtype=object)
    for machine in (SVC(), LinearSVC(), SVC(kernel="sigmoid")):
        found = scored(machine.fit(X, y), rows, ["a", "b"], engine=printed_for)
        known = found["label"].notna().tolist()
        assert not known[0] and known[1] and known[3], type(machine)


@pytest.mark.parametrize("dialect", [d.name for d in DIALECTS.values() if d.is_checked])
def test_a_machine_that_is_too_large_is_refused(dialect: str) -> None:
    random = np.random.default_rng(7)
    X = random.normal(size=(600, 40))
    machine = SVC(C=1e-3).fit(X, random.choice(["a", "b"], size=600))
    with pytest.raises(MiningFlowError, match=f"{dialect} has no functions over lists"):
        miningflow.to_sql(machine, [f"c{i}" for i in range(40)], dialect=dialect)
    small = SVC().fit(X[:50, :3], random.choice(["a", "b"], size=50))
    script = miningflow.to_sql(small, ["x", "y", "z"], keep=["id"], dialect=dialect)
    assert script.setup == script.teardown == []


@pytest.mark.parametrize("dialect", ["mysql", "tsql", "bigquery", "snowflake"])
def test_names_that_are_too_long_or_odd_are_refused(dialect: str) -> None:
    machine = LinearSVC().fit([[0.0], [1.0]], [0, 1])
    longest = DIALECTS[dialect].longest_name
    assert longest is not None
    with pytest.raises(MiningFlowError, match=f"no names of more than {longest} bytes"):
        miningflow.to_sql(machine, ["x" * (longest + 1)], dialect=dialect)
    with pytest.raises(MiningFlowError, match="bigquery has no names with such characters"):
        miningflow.to_sql(machine, ["a.b"], dialect="bigquery")
