"""Models as functions of PostgreSQL and Spark return what the step returns on DuckDB."""

from __future__ import annotations

import pandas as pd
import pytest
from conftest import LoadCase
from support.postgres_server import Postgres
from support.scoring import Engine, difference
from support.spark_session import Spark

from miningflow import pipeline
from miningflow.describe.script import function_script

STEPS = """
filled: {operator: AssignAverageValue, input: Customer, target: income}
scaled: {operator: LinearScaling, input: filled, target: income, output: income_scaled}
judged:
  operator: SupportVectorMachineForClassification
  input: scaled
  target: lapsed
  positive: 'yes'
  predictors: [age, income_scaled, household, region]
  kernel: KERNEL
  output: risk
  probability: chance
"""


@pytest.mark.parametrize("kernel", ["linear", "radial", "polynomial", "sigmoid"])
def test_functions_of_a_case(load_case: LoadCase, engine: Engine, kernel: str) -> None:
    case = load_case(STEPS.replace("KERNEL", kernel))
    case.run()
    compiled = pipeline.compile_case(case.bound, case.connection)
    script = function_script(case.bound, compiled, engine.dialect)
    if engine.dialect == "spark" and kernel in ("radial", "sigmoid"):
        assert "no function" in script and "CREATE OR REPLACE FUNCTION" not in script
        return
    expected = case.table("judged").to_pandas()
    rows = case.table("Customer")
    names = ["customer_id", "age", "income", "household", "region"]
    given = pd.DataFrame({n: pd.Series(rows[n].to_pylist(), dtype=object) for n in names})
    given["customer_id"] = given["customer_id"].astype(int)
    called = ", ".join(
        f"example_results.{name}(age, income, household, region) AS {name}"
        for name in ("risk", "risk_label", "chance")
    )
    found = _called(
        engine, script, given, f"SELECT customer_id, {called} FROM given", kernel == "linear"
    )
    found = found.sort_values("customer_id", ignore_index=True)
    expected = expected.sort_values("customer_id", ignore_index=True)
    known = expected["risk"].notna()
    assert 0 < known.sum() < len(known)
    assert found["risk"].notna().to_list() == known.to_list()
    assert found["risk_label"].notna().to_list() == known.to_list()
    for name in ("risk", "chance"):
        difference(found.loc[known, [name]], expected.loc[known, [name]].to_numpy(dtype=float))
    assert found["risk_label"][known].to_list() == expected["risk_label"][known].to_list()


def _assert_inlined(engine: Postgres, function: str) -> None:
    call = f"example_results.{function}(age, income, household, region)"
    plan = engine.rows(f"EXPLAIN VERBOSE SELECT {call} FROM given").to_string()
    assert "example_results" not in plan, "PostgreSQL writes the function out"


def _called(
    engine: Engine, script: str, given: pd.DataFrame, query: str, inlined: bool
) -> pd.DataFrame:
    statements = [part for part in script.split(";\n") if part.strip()]
    if isinstance(engine, Postgres):
        engine.load(given, "given")
        try:
            for statement in statements:
                engine.execute(statement)
            for function in ("risk", "risk_label") if inlined else ():
                _assert_inlined(engine, function)
            return engine.rows(query)
        finally:
            engine.execute("DROP TABLE given")
            engine.execute("DROP SCHEMA IF EXISTS example_results CASCADE")
    assert isinstance(engine, Spark)
    engine.load(given, "given")
    try:
        for statement in statements:
            engine.session.sql(statement)
        found = engine.session.sql(query)
        rows = [tuple(row) for row in found.collect()]
        return pd.DataFrame(rows, columns=found.columns, dtype=object)
    finally:
        engine.session.sql("DROP VIEW given")
        engine.session.sql("DROP SCHEMA IF EXISTS example_results CASCADE")
