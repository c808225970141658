"""An exported SQLMesh project is applied by a separate SQLMesh, and makes the tables of the run.

SQLMesh brings a DuckDB whose files and functions are not those of DuckDB 2.0, so that its own
Python reads what it made.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.exported_cases import assert_equal, published
from support.odd_case import load_odd_case
from support.ran_cases import CASES, RanCases
from support.tool_environments import run

from miningflow.errors import CompileError
from miningflow.export.names import safe_names

pytestmark = pytest.mark.slow

COPY = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=True)
connection.execute("SET TimeZone = 'UTC'")
names = connection.execute(
    "SELECT table_name FROM information_schema.tables WHERE table_schema = ?", [sys.argv[2]]
).fetchall()
for (name,) in names:
    connection.execute(f"COPY {sys.argv[2]}.\\"{name}\\" TO '{sys.argv[3]}/{name}.parquet'")
"""


def made(sqlmesh: Path, folder: Path, name: str, schema: str) -> dict[str, pa.Table]:
    """Applies a project, and reads everything that it made."""
    run([sqlmesh, "plan", "--auto-apply", "--no-prompts"], folder)
    copies = folder / "copies"
    copies.mkdir()
    run([sqlmesh.parent / "python", "-c", COPY, f"{name}.db", schema, copies], folder)
    return {path.stem: pq.read_table(path) for path in copies.glob("*.parquet")}


@pytest.mark.parametrize("name", CASES)
def test_sqlmesh_makes_the_tables_of_the_run(ran_cases: RanCases, sqlmesh: Path, name: str) -> None:
    case = ran_cases.case(name)
    folder = ran_cases.folder / "exported" / name / "sqlmesh"
    case.export("sqlmesh", folder)
    found, expected = made(sqlmesh, folder, name, f"{name}_exported"), published(case)
    safe = safe_names(expected)
    assert set(found) == set(safe.values())
    for table, rows in expected.items():
        assert_equal(found[safe[table]], rows, table)


def test_a_name_that_sqlmesh_reads_as_a_macro_is_refused(tmp_path: Path) -> None:
    case = load_odd_case(tmp_path)
    with pytest.raises(CompileError, match="feature '@Âge' of '@scaled %' holds '@'"):
        case.export("sqlmesh", tmp_path / "exported")


def test_names_and_values_that_mean_something_elsewhere(tmp_path: Path, sqlmesh: Path) -> None:
    case = load_odd_case(tmp_path, "@Âge", "at Âge")
    folder = tmp_path / "exported"
    case.export("sqlmesh", folder, with_data=True)
    found = made(sqlmesh, folder, "odd", "odd_exported")
    assert found["_1st"].num_rows == 3
    assert_equal(found["_1st"], published(case)["1st"], "1st")


def test_an_audit_that_fails_stops_the_plan(tmp_path: Path, sqlmesh: Path) -> None:
    case = load_odd_case(tmp_path, "@Âge", "at Âge")
    folder = tmp_path / "exported"
    case.export("sqlmesh", folder, with_data=True)
    broken = folder / "data" / "100% {{ o }}" / "größe's.csv"
    broken.write_text(broken.read_text(encoding="utf-8").replace("99", "111"), encoding="utf-8")
    with pytest.raises(AssertionError, match="age_is_at_least_0_and_at_most_99"):
        run([sqlmesh, "plan", "--auto-apply", "--no-prompts"], folder)
