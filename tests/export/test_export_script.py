"""An exported script makes the tables of the run, in plain clients and without MiningFlow."""

from __future__ import annotations

import contextlib
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from exported_cases import (
    CASES,
    RanCases,
    assert_equal,
    load_parquet,
    psql,
    published,
    read,
)
from postgres_stores import Database

# The others run in `make test-all`.
QUICK = {"club", "sensors"}
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
