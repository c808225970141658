"""Rows that cannot teach what is asked: the step, the feature and the way out are named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import WriteCase
from support import example_data
from support.command_line import accepted, refused, rows

ROWS = 60
MACHINE = """
learned:
  operator: SupportVectorMachineForClassification
  input: Customer
  target: lapsed
  positive: 'yes'
  predictors: [age, household]
  kernel: linear
  output: risk
"""
SELECTION = """
learned:
  operator: FeatureSelectionWithSVM
  input: Customer
  target: lapsed
  positive: 'yes'
  attributes: [age, household]
  nulls: drop_rows
"""
AVERAGE = "learned: {operator: AssignAverageValue, input: Customer, target: age}"
SCALING = "learned: {operator: LinearScaling, input: Customer, target: age, range: [0, 1]}"
INTERVALS = (
    "learned: {operator: EquidistantDiscretizationGivenNoOfIntervals, input: Customer, "
    "target: age, intervals: 3}"
)
MODE = "learned: {operator: AssignModalValue, input: Customer, target: region}"
CONCEPTS = """
concepts:
  Customer:
    key: customer_id
    features: {customer_id: key, age: numeric, household: numeric, region: nominal, lapsed: binary}
"""
CONNECT = """
connect:
  store: duckdb:///store.duckdb
  concepts: {Customer: {file: Customer.parquet}}
"""
NULLS: list[Any] = [None] * ROWS
NAN = [math.nan, *range(ROWS - 1)]
INFINITE = [math.inf, *range(ROWS - 1)]


def replace_column(folder: Path, name: str, values: Sequence[Any], kind: Any) -> None:
    data = example_data.tables()
    customer = data["Customer"]
    at = customer.column_names.index(name)
    data["Customer"] = customer.set_column(at, name, pa.array(values, kind))
    example_data.write(folder, data)


@pytest.mark.parametrize("step", [MACHINE, SELECTION])
@pytest.mark.parametrize(
    ("column", "values", "kind", "message"),
    [
        ("lapsed", ["yes"] * ROWS, pa.string(), "two classes are needed"),
        ("lapsed", ["yes", "no", "maybe"] * 20, pa.string(), "has 3 classes; two are needed"),
        ("lapsed", ["no", "never"] * 30, pa.string(), "'yes' of 'lapsed' never occurs"),
        ("lapsed", NULLS, pa.string(), "fewer than two training rows"),
        ("age", NULLS, pa.float64(), "fewer than two training rows"),
        ("age", NAN, pa.float64(), "feature 'age' has 1 value that is NaN or infinite"),
        ("age", INFINITE, pa.float64(), "feature 'age' has 1 value that is NaN or infinite"),
    ],
)
def test_a_learner_says_why_it_cannot_learn(
    write_case: WriteCase, step: str, column: str, values: list[Any], kind: Any, message: str
) -> None:
    folder = write_case(step, concepts=CONCEPTS, connect=CONNECT).parent
    accepted(folder, "run", "case.yml")
    before = rows(folder / "store.duckdb", "example_results.learned")
    replace_column(folder, column, values, kind)
    said = refused(folder, "run", "case.yml")
    assert "case.yml:9:3: error: step 'learned' cannot learn: " in said
    assert message in said
    assert rows(folder / "store.duckdb", "example_results.learned") == before


@pytest.mark.parametrize(
    ("step", "column", "values", "kind", "message"),
    [
        (AVERAGE, "age", NULLS, pa.float64(), "feature 'age' has no known value"),
        (AVERAGE, "age", NAN, pa.float64(), "NaN or infinite"),
        (AVERAGE, "age", INFINITE, pa.float64(), "NaN or infinite"),
        (SCALING, "age", NULLS, pa.float64(), "feature 'age' has no known value"),
        (SCALING, "age", INFINITE, pa.float64(), "NaN or infinite"),
        (INTERVALS, "age", NULLS, pa.float64(), "feature 'age' has no known value"),
        (INTERVALS, "age", INFINITE, pa.float64(), "NaN or infinite"),
        (MODE, "region", NULLS, pa.string(), "feature 'region' has no known value"),
    ],
)
def test_a_small_learner_says_so_too(
    write_case: WriteCase, step: str, column: str, values: list[Any], kind: Any, message: str
) -> None:
    folder = write_case(step, concepts=CONCEPTS, connect=CONNECT).parent
    replace_column(folder, column, values, kind)
    said = refused(folder, "run", "case.yml")
    assert "case.yml:9:3: error: step 'learned' cannot learn: " in said
    assert message in said


@pytest.mark.parametrize("step", [MACHINE, SELECTION, AVERAGE, SCALING, INTERVALS])
def test_a_constant_column_is_no_mistake(write_case: WriteCase, step: str) -> None:
    folder = write_case(step, concepts=CONCEPTS, connect=CONNECT).parent
    replace_column(folder, "age", [5.0] * ROWS, pa.float64())
    accepted(folder, "run", "case.yml")
    found = rows(folder / "store.duckdb", "example_results.learned")
    assert len(found) == ROWS
    numbers = [v for row in found for v in row if isinstance(v, float)]
    assert all(math.isfinite(v) for v in numbers)


@pytest.mark.parametrize("step", [MACHINE, AVERAGE])
def test_a_filter_that_leaves_no_rows_leaves_nothing_to_learn(
    write_case: WriteCase, step: str
) -> None:
    none = "none: {operator: RowSelectionByQuery, input: Customer, where: age > 1000}\n"
    steps = none + step.strip().replace("input: Customer", "input: none")
    folder = write_case(steps, concepts=CONCEPTS, connect=CONNECT).parent
    assert "step 'learned' cannot learn: " in refused(folder, "run", "case.yml")
