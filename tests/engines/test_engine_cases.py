"""The scoring script of a case returns on PostgreSQL and Spark what DuckDB returns."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from conftest import LoadCase
from support import example_data
from support.postgres_server import Postgres
from support.scoring import Engine, difference
from support.spark_session import Spark

from miningflow import pipeline
from miningflow.verbs.score.script import scoring_script

STEPS = """
with_claims:
  operator: AggregateByRelation
  input: Customer
  relation: claims_of
  aggregates: {claim_total: sum(amount), claim_count: count()}
filled: {operator: AssignAverageValue, input: with_claims, target: income}
total:
  operator: GenericFeatureConstruction
  input: filled
  sql: coalesce(claim_total, 0)
  output: claim_total
scaled: {operator: LinearScaling, input: total, target: income, output: income_scaled}
judged:
  operator: SupportVectorMachineForClassification
  input: scaled
  target: lapsed
  positive: 'yes'
  predictors: [age, income_scaled, household, region, claim_total]
  kernel: KERNEL
  output: risk
"""


@pytest.mark.parametrize("kernel", ["linear", "radial"])
def test_scores_of_a_case(load_case: LoadCase, engine: Engine, kernel: str) -> None:
    case = load_case(STEPS.replace("KERNEL", kernel))
    case.run()
    given = example_data.tables(rows=80, seed=7)
    compiled = pipeline.compile_case(case.bound, case.connection)
    script = scoring_script(case.bound, compiled, "judged")
    expected = case.score({name: given[name] for name in script.inputs}).to_pandas()
    query = case.compile("judged", engine.dialect, score=True).rstrip().removesuffix(";")
    frames = {
        name: pd.DataFrame({f: _column(given[name][f].to_pylist()) for f in features})
        for name, features in script.inputs.items()
    }
    found = _rows(engine, frames, query).sort_values("customer_id", ignore_index=True)
    expected = expected.sort_values("customer_id", ignore_index=True)
    known = expected["risk"].notna()
    assert 0 < known.sum() < len(known)
    assert found["risk"].notna().to_list() == known.to_list()
    difference(found.loc[known, ["risk"]], expected.loc[known, ["risk"]].to_numpy(dtype=float))
    labels = found.loc[known, "risk_label"].to_list()
    assert labels == expected.loc[known, "risk_label"].to_list()


JOINED = """
amounts:
  operator: Pivotize
  input: Claim
  index: {kind: [glass, theft]}
  values: [amount]
  empty: 0
  group_by: [customer_id]
either:
  operator: UnionByKey
  concepts: [Rating, amounts]
known: {operator: AssignDefaultValue, input: either, for_each: {target: ['amount_*']}, default: 0}
together:
  operator: JoinByKey
  concepts: [Customer, known]
  rename: {known.income: rated_income}
counted:
  operator: AggregateByRelation
  input: together
  relation: claims_of
  aggregates: {claim_count: count()}
judged:
  operator: SupportVectorMachineForClassification
  input: counted
  target: lapsed
  positive: 'yes'
  predictors: [age, household, 'amount_*', claim_count]
  kernel: linear
  output: risk
"""


def test_scores_past_joins_and_pivots(load_case: LoadCase, engine: Engine) -> None:
    case = load_case(JOINED)
    case.run()
    given = example_data.tables(rows=80, seed=7)
    compiled = pipeline.compile_case(case.bound, case.connection)
    script = scoring_script(case.bound, compiled, "judged")
    assert set(script.inputs) == {"Customer", "Claim", "Rating"}
    expected = case.score({name: given[name] for name in script.inputs}).to_pandas()
    query = case.compile("judged", engine.dialect, score=True).rstrip().removesuffix(";")
    frames = {
        name: pd.DataFrame({f: _column(given[name][f].to_pylist()) for f in features})
        for name, features in script.inputs.items()
    }
    found = _rows(engine, frames, query).sort_values("customer_id", ignore_index=True)
    expected = expected.sort_values("customer_id", ignore_index=True)
    assert list(found["customer_id"]) == list(expected["customer_id"])
    assert len(found) > 60
    difference(found[["risk"]], expected[["risk"]].to_numpy(dtype=float))


def _column(values: list[Any]) -> pd.Series:
    """Keeps None apart from NaN."""
    return pd.Series(values, dtype=object) if None in values else pd.Series(values)


def _rows(engine: Engine, frames: dict[str, pd.DataFrame], query: str) -> pd.DataFrame:
    """Runs a query over tables that are gone afterwards, even if it fails."""
    if isinstance(engine, Postgres):
        for name, frame in frames.items():
            engine.load(frame, name)
        try:
            return engine.rows(query)
        finally:
            for name in frames:
                engine.execute(f'DROP TABLE "{name}"')
    assert isinstance(engine, Spark)
    for name, frame in frames.items():
        engine.load(frame, name)
    try:
        result = engine.session.sql(query)
        return pd.DataFrame([tuple(row) for row in result.collect()], columns=result.columns)
    finally:
        for name in frames:
            engine.session.sql(f"DROP VIEW {name}")


@pytest.mark.parametrize("kernel", ["linear", "radial"])
def test_null_can_be_an_error(load_case: LoadCase, engine: Engine, kernel: str) -> None:
    step = """
    judged:
      operator: SupportVectorMachineForClassification
      input: Customer
      target: lapsed
      predictors: [household]
      kernel: KERNEL
      nulls: error
      output: f
    """
    case = load_case(step.replace("KERNEL", kernel))
    case.run()
    query = case.compile("judged", engine.dialect, score=True).rstrip().removesuffix(";")
    known = pd.DataFrame({"customer_id": [1, 2], "household": [1.0, 4.0]})
    assert _rows(engine, {"Customer": known}, query)["f"].notna().all()
    holes = pd.Series([1.0, None], dtype=object)
    missing = pd.DataFrame({"customer_id": [1, 2], "household": holes})
    with pytest.raises(Exception, match="a predictor is NULL, and the machine has"):
        _rows(engine, {"Customer": missing}, query)
