"""An exported dbt project builds in a separate dbt, and makes the tables of the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from sqlalchemy import make_url
from support.exported_cases import (
    assert_equal,
    load_parquet,
    psql,
    published,
    read,
)
from support.odd_case import load_odd_case
from support.postgres_stores import Database
from support.ran_cases import CASES, RanCases
from support.tool_environments import run

from miningflow.project import LoadedCase

pytestmark = pytest.mark.slow


def made(folder: Path, name: str, schema: str) -> dict[str, pa.Table]:
    """Reads everything that a project made, by what its models are called in the database."""
    with duckdb.connect(str(folder / f"{name}.duckdb"), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        names = connection.execute(
            f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}'"
        ).fetchall()
        return {n: _table(connection, f'{schema}."{n}"') for (n,) in names}


def _table(connection: Any, name: str) -> pa.Table:
    return connection.sql(f"FROM {name}").to_arrow_table()


def results(folder: Path) -> dict[str, str]:
    """Returns the status of all models and tests of the last build."""
    written = json.loads((folder / "target" / "run_results.json").read_text(encoding="utf-8"))
    return {r["unique_id"]: r["status"] for r in written["results"]}


@pytest.mark.parametrize("name", CASES)
def test_dbt_makes_the_tables_of_the_run(ran_cases: RanCases, dbt: Path, name: str) -> None:
    case = ran_cases.case(name)
    folder = ran_cases.folder / "exported" / name / "dbt"
    case.export("dbt", folder)
    run([dbt, "build"], folder)
    assert set(results(folder).values()) <= {"success", "pass"}
    found, expected = made(folder, name, f"{name}_exported"), published(case)
    assert set(found) == set(expected)
    for table, rows in expected.items():
        assert_equal(found[table], rows, table)
    assert not case.export("dbt", folder).changed
    run([dbt, "build"], folder)  # once more, over what is there


def test_names_and_values_that_mean_something_elsewhere(tmp_path: Path, dbt: Path) -> None:
    case = load_odd_case(tmp_path)
    folder = tmp_path / "exported"
    case.export("dbt", folder, with_data=True)
    run([dbt, "build", "--warn-error"], folder)
    assert set(results(folder).values()) == {"success", "pass"}
    found = made(folder, "odd", "odd_exported")
    expected = published(case)
    # dbt does not double quotes within names, and takes braces and % for its own
    with_quotes = "with \"quotes\" and 'more'"
    changed = {
        with_quotes: "with_quotes_and_more",
        "Größe {{ 1 }}": "Groe_1",
        "@scaled %": "scaled",
    }
    assert set(found) == {changed.get(name, name) for name in expected}
    assert_equal(found["1st"], expected["1st"], "1st")
    assert_equal(found["with_quotes_and_more"], expected[with_quotes], with_quotes)
    assert found["1st"].num_rows == 3
    broken = folder / "data" / "100% {{ o }}" / "größe's.csv"
    broken.write_text(broken.read_text(encoding="utf-8").replace("99", "111"), encoding="utf-8")
    assert "fail" in failing(dbt, folder)


def failing(dbt: Path, folder: Path) -> set[str]:
    """Builds a project that must not pass, and returns the status of its tests."""
    with pytest.raises(AssertionError):
        run([dbt, "build"], folder)
    return set(results(folder).values())


def test_dbt_on_postgres(
    ran_cases: RanCases, dbt: Path, database: Database, tmp_path: Path
) -> None:
    case = ran_cases.case("club")
    folder = tmp_path / "club"
    case.export("dbt", folder, dialect="postgres", with_data=True)
    psql(folder, database, "landing.sql")
    load_parquet(folder, database, "club_sources")
    psql(folder, database, "load.sql")
    run([dbt, "build"], folder, **address(database))
    assert_same_on_postgres(case, database)


def assert_same_on_postgres(case: LoadedCase, database: Database) -> None:
    for table, rows in published(case).items():
        assert_equal(read(database, f"{case.name}_exported", table, rows), rows, table)


def address(database: Database) -> dict[str, str]:
    url = make_url(database.url)
    return {
        "PGHOST": str(url.query.get("host", url.host)),
        "PGPORT": str(url.port or 5432),
        "PGUSER": str(url.username),
        "PGPASSWORD": str(url.password or ""),
        "PGDATABASE": str(url.database),
    }
