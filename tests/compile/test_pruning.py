"""What nobody needs is not read: deselected columns vanish, keys and conditions stay."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from support import example_data

import miningflow
from miningflow.project import LoadedCase

# `household` is dropped after steps used it; `since` and `grade` are never needed by the model.
STEPS = """
with_claims:
  operator: AggregateByRelation
  input: Customer
  relation: claims_of
  aggregates: {claim_total: sum(amount), last_claim: max(filed), claim_count: count()}
rated:
  operator: JoinByKey
  concepts: [with_claims, Rating]
  rename: {Rating.income: rated_income}
per_head:
  operator: GenericFeatureConstruction
  input: rated
  sql: income / household
  output: per_head
scaled: {operator: LinearScaling, input: per_head, target: household}
slim: {operator: FeatureSelectionByAttributes, input: scaled, drop: [household, per_head, income]}
sample: {operator: RowSelectionByRandomSampling, input: slim, how_many: 30}
known: {operator: RowSelectionByQuery, input: sample, where: region is not null}
risky:
  operator: SupportVectorMachineForClassification
  input: known
  target: lapsed
  positive: 'yes'
  predictors: [age, claim_count, household, per_head]
  output: risk
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pruned")
    example_data.write(folder, example_data.tables())
    body = "\n".join(f"  {line}" for line in STEPS.splitlines())
    text = f"case: example\n{example_data.CONCEPTS}\nsteps:\n{body}\n{example_data.CONNECT}"
    (folder / "case.yml").write_text(text, encoding="utf-8")
    miningflow.load(folder / "case.yml").run()
    return folder


@pytest.fixture(scope="module")
def case(folder: Path) -> LoadedCase:
    return miningflow.load(folder / "case.yml")


def test_scoring_does_not_mention_what_was_dropped(case: LoadedCase) -> None:
    script = case.compile(score=True)
    for gone in ("household", "per_head", "income"):
        assert gone not in script
    for unused in ("since", "grade", "amount", "filed", "claim_total", "last_claim", "lapsed"):
        assert unused not in script


def test_scoring_reads_keys_conditions_and_order(case: LoadedCase) -> None:
    script = case.compile(score=True)
    assert '"Customer" (customer_id key, age double, region text)' in script
    assert '"Claim" (customer_id key)' in script
    assert '"Rating" (rated_customer key)' in script
    assert "ORDER BY" in script
    assert '"region" IS NULL' in script


def test_scoring_needs_only_the_columns_it_names(case: LoadedCase) -> None:
    data = example_data.tables()
    inputs: dict[str, pa.Table] = {
        "Customer": data["Customer"].select(["customer_id", "age", "region"]),
        "Claim": data["Claim"].select(["customer_id"]),
        "Rating": data["Rating"].select(["rated_customer"]),
    }
    scored = case.score(inputs).sort_by("customer_id")
    published = case.table("risky").select(scored.column_names).sort_by("customer_id")
    assert scored.equals(published)
    assert 0 < scored.num_rows <= 30


def test_the_script_runs_without_miningflow(case: LoadedCase) -> None:
    connection = duckdb.connect()
    for name, table in example_data.tables().items():
        connection.register(name, table)
    found = connection.execute(case.compile(score=True)).fetchall()
    published = case.table("risky").select(["customer_id", "risk", "risk_label"])
    assert sorted(found) == sorted(tuple(row.values()) for row in published.to_pylist())


@pytest.mark.parametrize("step", ["slim", "known", "risky"])
def test_the_engine_does_not_read_what_was_dropped(folder: Path, step: str) -> None:
    with duckdb.connect(str(folder / "store.duckdb"), read_only=True) as connection:
        names = [r[0] for r in connection.execute(f"DESCRIBE example_results.{step}").fetchall()]
        assert "household" not in names
        listed = ", ".join(f'"{name}"' for name in names)
        query = f"EXPLAIN SELECT {listed} FROM example_results.{step}"
        plan = connection.execute(query).fetchall()[0][1]
    assert "age" in plan
    assert "household" not in plan
    assert "per_head" not in plan


def test_the_engine_reads_it_where_it_is_present(folder: Path) -> None:
    with duckdb.connect(str(folder / "store.duckdb"), read_only=True) as connection:
        query = "EXPLAIN SELECT household FROM example_results.scaled"
        assert "household" in connection.execute(query).fetchall()[0][1]
