"""What the case did not make is never replaced or dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import WriteCase
from support.stores import HELD_OUT, TWO_FILES, change, objects, query

import miningflow
from miningflow.errors import RunError

STEPS = """
filled: {operator: AssignAverageValue, input: Customer, target: income, materialize: table}
judged:
  operator: SupportVectorMachineForClassification
  input: filled
  target: lapsed
  positive: 'yes'
  predictors: [age, income]
  kernel: radial
  output: risk
"""


@pytest.fixture
def case(write_case: WriteCase) -> Path:
    return write_case(STEPS, concepts=HELD_OUT, connect=TWO_FILES)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.duckdb"


@pytest.mark.parametrize(
    ("made", "kind", "name"),
    [
        ("CREATE TABLE example_results.filled AS SELECT 42 AS mine", "table", "filled"),
        ("CREATE VIEW example_results.filled AS SELECT 42 AS mine", "view", "filled"),
        ("CREATE TABLE example_results.FILLED AS SELECT 42 AS mine", "table", "FILLED"),
        (
            'CREATE VIEW example_results."judged.support_vectors" AS SELECT 42 AS mine',
            "view",
            "judged.support_vectors",
        ),
    ],
)
def test_a_foreign_object_named_like_a_step(
    case: Path, store: Path, made: str, kind: str, name: str
) -> None:
    change(store, "CREATE SCHEMA example_results", made)
    with pytest.raises(RunError, match=f"already has a {kind} example_results.{name}"):
        miningflow.load(case).run()
    assert query(store, f'SELECT * FROM example_results."{name}"') == [(42,)]
    assert {n for schema, n in objects(store) if schema == "example_results"} == {name}


def test_a_table_in_place_of_our_view(case: Path, store: Path) -> None:
    miningflow.load(case).run()
    change(
        store,
        "DROP VIEW example_results.filled",
        "CREATE TABLE example_results.filled AS SELECT 42 AS mine",
    )
    with pytest.raises(RunError, match=r"already has a table example_results\.filled"):
        miningflow.load(case).run(full=True)
    assert query(store, "SELECT * FROM example_results.filled") == [(42,)]
    miningflow.load(case).clean()
    assert query(store, "SELECT * FROM example_results.filled") == [(42,)]


def test_a_foreign_object_where_runs_build(case: Path, store: Path) -> None:
    change(store, "CREATE SCHEMA example_built", "CREATE TABLE example_built.filled__1 AS SELECT 4")
    with pytest.raises(RunError, match=r"already has example_built\.filled__1"):
        miningflow.load(case).run()
    miningflow.load(case).run()
    assert query(store, "SELECT * FROM example_built.filled__1") == [(4,)]


def test_clean_drops_what_the_case_made(case: Path, store: Path) -> None:
    change(store, "CREATE TABLE mine AS SELECT 1", "CREATE SCHEMA other")
    change(store, "CREATE TABLE other.filled AS SELECT 2")
    project = miningflow.load(case)
    project.run()
    made = objects(store)
    dropped = project.clean()
    assert {(o.schema, o.name) for o in dropped if o.kind in ("table", "view")} == made
    assert objects(store) == set()
    schemas = {name for (name,) in query(store, "SELECT schema_name FROM duckdb_schemas()")}
    assert not {"example_results", "example_built"} & schemas
    assert query(store, "SELECT * FROM mine, other.filled") == [(1, 2)]
    tables = query(
        store,
        "SELECT table_name FROM duckdb_columns() "
        "WHERE schema_name = 'miningflow' AND column_name = 'case_name'",
    )
    assert len(tables) > 8
    for (table,) in tables:
        assert query(store, f"SELECT count(*) FROM miningflow.{table}") == [(0,)], table
    assert project.clean() == []
    assert [s.reason for s in project.run().stages] == ["new"] * 4


def test_clean_leaves_other_things_in_our_schemas(case: Path, store: Path) -> None:
    project = miningflow.load(case)
    project.run()
    change(store, "CREATE TABLE example_results.notes AS SELECT 1", "CREATE VIEW v AS SELECT 2")
    project.clean()
    assert objects(store) == {("example_results", "notes")}
    assert query(store, "SELECT * FROM example_results.notes, v") == [(1, 2)]


def test_clean_leaves_a_schema_that_was_there_before(case: Path, store: Path) -> None:
    change(store, "CREATE SCHEMA example_results")
    project = miningflow.load(case)
    project.run()
    project.clean()
    schemas = {name for (name,) in query(store, "SELECT schema_name FROM duckdb_schemas()")}
    assert "example_results" in schemas
    assert "example_built" not in schemas


def test_clean_leaves_other_cases(case: Path, store: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yml"
    other.write_text(case.read_text().replace("case: example", "case: other"))
    miningflow.load(case).run()
    miningflow.load(other).run()
    kept = objects(store, "other")
    miningflow.load(case).clean()
    assert objects(store, "other") == kept
    assert miningflow.load(other).run().run is None
    assert miningflow.load(other).table("judged").num_rows == 60


def test_clean_without_a_store(case: Path, store: Path) -> None:
    assert miningflow.load(case).clean() == []
    assert not store.exists()
    with pytest.raises(RunError, match="run the case first"):
        miningflow.load(case).table("filled")
    assert not store.exists()
