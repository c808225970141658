"""An exported script makes the tables of the run, in plain clients and without MiningFlow."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.exported_cases import (
    assert_equal,
    load_parquet,
    psql,
    published,
    read,
)
from support.postgres_stores import Database
from support.ran_cases import CASES, RanCases
from support.stores import SOURCES

from miningflow.errors import CompileError
from miningflow.project import LoadedCase

# The others run in `make test-long`.
QUICK = {"club"}
SLOW = [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in CASES]


def made_by_duckdb(folder: Path, schema: str) -> dict[str, pa.Table]:
    """Runs a script in DuckDB, in its folder, and reads all that it made."""
    script = (folder / "all.sql").read_text(encoding="utf-8")
    with contextlib.chdir(folder), duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(script)
        names = connection.execute(
            f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}'"
        ).fetchall()
        made = {n: connection.sql(f'FROM "{schema}"."{n}"').to_arrow_table() for (n,) in names}
        connection.execute((folder / "remove.sql").read_text(encoding="utf-8"))
        left = "SELECT count(*) FROM information_schema.tables"
        assert connection.execute(left).fetchall() == [(0,)]
        connection.execute(script)
    return made


@pytest.mark.parametrize("name", SLOW)
def test_duckdb_makes_the_tables_of_the_run(ran_cases: RanCases, name: str, tmp_path: Path) -> None:
    case = ran_cases.case(name)
    folder = ran_cases.folder / "exported" / name / "script"
    case.export("script", folder)
    found, expected = made_by_duckdb(folder, f"{name}_exported"), published(case)
    assert set(found) == set(expected)
    for table, rows in expected.items():
        assert_equal(found[table], rows, table)


@pytest.mark.parametrize("name", SLOW)
def test_postgres_makes_the_tables_of_the_run(
    ran_cases: RanCases, name: str, database: Database, tmp_path: Path
) -> None:
    case = ran_cases.case(name)
    folder = tmp_path / "script"
    case.export("script", folder, dialect="postgres", with_data=True)
    psql(folder, database, "landing.sql")
    load_parquet(folder, database, f"{name}_sources")
    if (folder / "load.sql").exists():
        psql(folder, database, "load.sql")
    psql(folder, database, "all.sql")
    expected = published(case)
    schema = f"{name}_exported"
    for table, rows in expected.items():
        assert_equal(read(database, schema, table, rows), rows, table)
    psql(folder, database, "remove.sql")
    there = f"SELECT count(*) FROM information_schema.tables WHERE table_schema = '{schema}'"
    assert database.query(there) == [(0,)]


STEPS = """
filled: {operator: AssignAverageValue, input: Customer, target: income, materialize: view}
older: {operator: RowSelectionByQuery, input: filled, where: age > 40}
claims:
  operator: AggregateByRelation
  input: older
  relation: claims_of
  aggregates: {n: count(), total: sum(amount)}
  materialize: table
judged:
  operator: SupportVectorMachineForClassification
  input: claims
  learn_on: filled
  target: lapsed
  positive: 'yes'
  predictors: [age, income, region]
  kernel: linear
  output: risk
"""


def test_sqlite_makes_the_tables_of_the_run(
    load_case: Callable[..., LoadedCase], tmp_path: Path
) -> None:
    """Stands for the dialects without schemas and without tables that a script can define."""
    case = load_case(STEPS)
    case.run()
    folder = tmp_path / "out"
    case.export("script", folder, dialect="sqlite")
    assert not (folder / "landing.sql").exists()
    assert "`customer_id` (bigint)" in (folder / "README.md").read_text(encoding="utf-8")
    connection = sqlite3.connect(":memory:")
    for name in case.bound.sources:
        rows = pq.read_table(tmp_path / f"{name}.parquet").to_pandas()
        rows.to_sql(f"example_sources_{name}", connection, index=False)
    connection.executescript((folder / "all.sql").read_text(encoding="utf-8"))
    for name in ("older", "claims", "judged"):
        expected = case.table(name).drop_columns(["since"])
        columns = ", ".join(f'"{c}"' for c in expected.column_names)
        rows = connection.execute(f"SELECT {columns} FROM example_exported_{name}").fetchall()
        columns_of = zip(*rows, strict=True)
        values = [pa.array(v, f.type) for v, f in zip(columns_of, expected.schema, strict=True)]
        assert_equal(pa.table(values, expected.column_names), expected, name)
    connection.executescript((folder / "remove.sql").read_text(encoding="utf-8"))
    left = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert {name for (name,) in left} == {f"example_sources_{n}" for n in SOURCES}


def test_all_that_a_dialect_cannot_do_is_told_together(
    load_case: Callable[..., LoadedCase], tmp_path: Path
) -> None:
    drawn = "{operator: RowSelectionByRandomSampling, input: Customer, how_many: 5, seed: %d}"
    case = load_case(f"some: {drawn % 1}\nothers: {drawn % 2}")
    case.run()
    with pytest.raises(CompileError) as caught:
        case.export("script", tmp_path / "out", dialect="sqlite")
    assert len(caught.value.diagnostics) == 2
    assert "step 'others' cannot be exported: sqlite has no MD5" in str(caught.value)
    assert not (tmp_path / "out").exists()
