"""New rows are scored with everything learned frozen, alike in MiningFlow and in plain SQL."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from conftest import LoadCase, WriteCase
from support import example_data
from support.stores import HELD_OUT, TWO_FILES, artifacts, change, query

import miningflow
from miningflow.errors import CompileError, PlanError, RunError
from miningflow.project import LoadedCase

STEPS = """
with_claims:
  operator: AggregateByRelation
  input: Customer
  relation: claims_of
  aggregates: {claim_total: sum(amount), claim_count: count()}
filled: {operator: AssignAverageValue, input: with_claims, target: income}
total: {operator: GenericFeatureConstruction, input: filled, sql: "coalesce(claim_total, 0)", output: claim_total}
scaled: {operator: LinearScaling, input: total, target: income, output: income_scaled}
slim: {operator: FeatureSelectionByAttributes, input: scaled, drop: [household]}
linear:
  operator: SupportVectorMachineForClassification
  input: slim
  target: lapsed
  positive: 'yes'
  predictors: [age, income_scaled, household, region, claim_total]
  kernel: linear
  output: margin
judged:
  operator: SupportVectorMachineForClassification
  input: slim
  target: lapsed
  positive: 'yes'
  predictors: [age, income_scaled, household, region, claim_total, claim_count]
  kernel: radial
  output: risk
  materialize: table
"""  # noqa: E501 - a step a line reads better than a folded one


@pytest.fixture
def case(write_case: WriteCase, tmp_path: Path) -> Path:
    path = write_case(STEPS, concepts=HELD_OUT, connect="\nscoring: judged\n" + TWO_FILES)
    assert miningflow.load(path).run(target=tmp_path / "target").run == 1
    return path


@pytest.fixture
def project(case: Path) -> LoadedCase:
    return miningflow.load(case)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.duckdb"


def new_rows() -> dict[str, pa.Table]:
    """Other customers, without the label and without the features that were dropped."""
    data = example_data.tables(40, seed=9)
    return {"Customer": data["Customer"].drop(["lapsed", "household", "since"]),
            "Claim": data["Claim"].drop(["filed", "claim_id"])}  # fmt: skip


def in_plain_sql(script: str, tables: dict[str, pa.Table]) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register("given", table)
            connection.execute(f'CREATE TABLE "{name}" AS FROM given')
        return sorted(connection.execute(script).fetchall(), key=repr)


def as_rows(table: pa.Table) -> list[tuple[object, ...]]:
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=repr)


def test_arrow_pandas_and_files_score_alike(project: LoadedCase, tmp_path: Path) -> None:
    rows = new_rows()
    scores = as_rows(project.score(rows))
    assert len(scores) == 40
    assert {len(row) for row in scores} == {3}
    frames = {name: table.to_pandas() for name, table in rows.items()}
    assert as_rows(project.score(frames)) == scores
    for name, table in rows.items():
        pq.write_table(table, tmp_path / f"new_{name}.parquet")
        pc.write_csv(table, tmp_path / f"new_{name}.csv")
    for ending in ("parquet", "csv"):
        files = {name: str(tmp_path / f"new_{name}.{ending}") for name in rows}
        assert as_rows(project.score(files)) == scores, ending


def test_tables_of_the_store_score_alike(project: LoadedCase, store: Path, tmp_path: Path) -> None:
    rows = new_rows()
    for name, table in rows.items():
        pq.write_table(table, tmp_path / f"new_{name}.parquet")
        change(store, f"CREATE TABLE new_{name} AS FROM '{tmp_path}/new_{name}.parquet'")
    scores = as_rows(project.score(rows))
    assert as_rows(project.score({name: f"new_{name}" for name in rows})) == scores
    assert as_rows(project.score({name: f"main.new_{name}" for name in rows})) == scores
    with pytest.raises(RunError, match="no table 'nosuch' in the store"):
        project.score({"Customer": "nosuch"})


def test_the_script_gives_the_same_in_plain_duckdb(project: LoadedCase, tmp_path: Path) -> None:
    rows = new_rows()
    script = (tmp_path / "target/example/score.sql").read_text()
    assert script == project.compile(score=True)
    assert in_plain_sql(script, rows) == as_rows(project.score(rows))
    linear = project.compile("linear", score=True)
    assert in_plain_sql(linear, rows) == as_rows(project.score(rows, step="linear"))


def test_known_rows_score_as_published(project: LoadedCase, store: Path, tmp_path: Path) -> None:
    given = {name: tmp_path / f"{name}.parquet" for name in ("Customer", "Claim")}
    published = query(store, "SELECT customer_id, risk, risk_label FROM example_results.judged")
    assert as_rows(project.score(given)) == sorted(published, key=repr)
    assert as_rows(project.score()) == sorted(published, key=repr)
    assert any(risk is not None for _, risk, _ in published)
    published = query(store, "SELECT customer_id, margin, margin_label FROM example_results.linear")
    assert as_rows(project.score(step="linear")) == sorted(published, key=repr)


def test_nothing_refits(project: LoadedCase, store: Path) -> None:
    before = artifacts(store), query(store, "FROM miningflow.runs"), store.stat().st_mtime_ns
    rows = new_rows()
    few = {"Customer": rows["Customer"].slice(0, 1), "Claim": rows["Claim"]}
    one = as_rows(project.score(few))[0]
    assert one in as_rows(project.score(rows))
    shifted = rows["Customer"].set_column(
        1, "age", pa.array([a + 30 for a in rows["Customer"]["age"].to_pylist()])
    )
    assert as_rows(project.score({**rows, "Customer": shifted})) != as_rows(project.score(rows))
    after = artifacts(store), query(store, "FROM miningflow.runs"), store.stat().st_mtime_ns
    assert after == before


def test_unknown_values_give_no_score(project: LoadedCase) -> None:
    rows = new_rows()
    count = rows["Customer"].num_rows
    for name, expected in (("age", 0), ("income", count)):
        column = rows["Customer"].column_names.index(name)
        table = rows["Customer"].set_column(column, name, pa.nulls(count, pa.float64()))
        known = pa.array(["north"] * count)
        table = table.set_column(table.column_names.index("region"), "region", known)
        scores = project.score({**rows, "Customer": table})
        assert count - scores.column("risk").null_count == expected, name
        assert count - scores.column("risk_label").null_count == expected, name


def test_no_rows_give_no_scores(project: LoadedCase, tmp_path: Path) -> None:
    rows = new_rows()["Customer"].slice(0, 0)
    assert project.score({"Customer": rows}).num_rows == 0
    pq.write_table(rows, tmp_path / "none.parquet")
    pc.write_csv(rows, tmp_path / "none.csv")
    for ending in ("parquet", "csv"):
        scores = project.score({"Customer": tmp_path / f"none.{ending}"})
        assert scores.num_rows == 0
        assert scores.column_names == ["customer_id", "risk", "risk_label"]


def test_keep_and_output(project: LoadedCase, tmp_path: Path) -> None:
    rows = new_rows()
    kept = project.score(rows, keep=("age", "claim_count"))
    assert kept.column_names == ["customer_id", "age", "claim_count", "risk", "risk_label"]
    for ending in ("parquet", "csv"):
        path = tmp_path / f"scores.{ending}"
        scores = project.score(rows, output=path)
        assert (scores.rows, scores.written, scores.table) == (40, str(path), None)
        read = pq.read_table(path) if ending == "parquet" else pc.read_csv(path)
        assert read.column("risk").to_pylist() == project.score(rows).column("risk").to_pylist()
    assert not list(tmp_path.glob(".*part*"))
    with pytest.raises(CompileError, match="no feature 'nosuch' to keep"):
        project.score(rows, keep=("nosuch",))


def test_what_is_missing_is_named(project: LoadedCase) -> None:
    rows = new_rows()
    with pytest.raises(RunError, match=r"no column 'age', which step '.*' needs"):
        project.score({**rows, "Customer": rows["Customer"].drop(["age"])})
    with pytest.raises(RunError, match="no source concept 'Customers'"):
        project.score({"Customers": rows["Customer"]})
    with pytest.raises(PlanError, match="'slim' is not one of the steps that predict"):
        project.score(rows, step="slim")


def test_the_command(case: Path, project: LoadedCase, tmp_path: Path) -> None:
    rows = new_rows()
    for name, table in rows.items():
        pq.write_table(table, tmp_path / f"new_{name}.parquet")
    inputs = [f"--input={name}=new_{name}.parquet" for name in rows]
    command = [sys.executable, "-m", "miningflow", "score", "case.yml", *inputs, "-o", "out.csv"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    read = pc.read_csv(tmp_path / "out.csv")
    assert read.column("risk").to_pylist() == project.score(rows).column("risk").to_pylist()


def test_a_case_that_was_changed_must_run_first(case: Path, store: Path) -> None:
    text = case.read_text()
    rows = new_rows()
    scores = as_rows(miningflow.load(case).score(rows))
    for old, new, what in (
        ("claim_total, 0", "claim_total, 1", "'scaled' learned before 'total' was changed"),
        ("output: risk", "output: danger", "'judged' was changed since it learned"),
        ("output: income_scaled", "output: income_scaled, range: [0, 9]", "'scaled' was changed"),
        ("household: numeric", "household: nominal", "learned before '.*' was changed"),
    ):
        assert text.count(old) == 1
        case.write_text(text.replace(old, new))
        with pytest.raises(CompileError, match=what):
            miningflow.load(case).score(rows)
    case.write_text(text)
    assert as_rows(miningflow.load(case).score(rows)) == scores


def test_scoring_follows_what_is_published(case: Path, store: Path, tmp_path: Path) -> None:
    """When only the steps before the model were built anew, the model keeps its old inputs."""
    rows = new_rows()
    scores = as_rows(miningflow.load(case).score(rows))
    data = example_data.tables(50, seed=4)["Customer"]
    pq.write_table(data, tmp_path / "Customer.parquet")
    miningflow.load(case).run(select=("+scaled",))
    assert as_rows(miningflow.load(case).score(rows)) == scores
    miningflow.load(case).run()
    assert as_rows(miningflow.load(case).score(rows)) != scores


def test_scoring_before_any_run(write_case: WriteCase, store: Path) -> None:
    case = write_case(STEPS, concepts=HELD_OUT, connect="\nscoring: judged\n" + TWO_FILES)
    with pytest.raises(CompileError, match="has not learned yet"):
        miningflow.load(case).score(new_rows())


def test_what_is_missing_is_the_step_that_did_not_run(load_case: LoadCase) -> None:
    case = load_case(
        """
        filled: {operator: AssignAverageValue, input: Customer, for_each: {target: [age, income]}}
        risky:
          operator: SupportVectorMachineForClassification
          input: filled
          target: lapsed
          positive: 'yes'
          predictors: [age, income]
          output: risk
        """
    )
    case.run(to_step="filled")
    with pytest.raises(CompileError, match="step 'risky' has not learned yet"):
        case.score()
