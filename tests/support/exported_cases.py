"""Tables of exported cases, to compare with what their run published."""

from __future__ import annotations

import math
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa

from miningflow.project import LoadedCase
from support.postgres_stores import Database


def published(case: LoadedCase) -> dict[str, pa.Table]:
    """Reads everything that the run of a case shows: sources, steps and literal tables."""
    from miningflow import pipeline
    from miningflow.compile import Names
    from miningflow.sql.dialect import render

    with pipeline.reading(case.bound, case.connection) as store:
        assert store is not None
        names, dialect = Names(case.name), store.engine.dialect
        with store.engine.session() as session:
            return {
                name: session.arrow(f"SELECT * FROM {render(names.public(name), dialect)}")
                for name in store.engine.objects(names.schema)
            }


def psql(folder: Path, database: Database, file: str) -> None:
    """Runs a file in the client of PostgreSQL, as the README says."""
    words = ["psql", "-q", "-v", "ON_ERROR_STOP=1", "--single-transaction", "-f", file]
    done = subprocess.run(
        [*words, database.url], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


def load_parquet(folder: Path, database: Database, schema: str) -> None:
    """Brings Parquet files into the tables that the script made for them, as their owner would."""
    with psycopg.connect(database.url, autocommit=True) as connection:
        for file in sorted((folder / "data").rglob("*.parquet")):
            readme = (folder / "README.md").read_text(encoding="utf-8")
            (line,) = [x for x in readme.splitlines() if x.startswith("- ") and file.name in x]
            concept = line.removeprefix("- ").partition(":")[0]
            rows = duckdb.read_parquet(str(file))
            columns = ", ".join(f'"{c}"' for c in rows.columns)
            into = f'COPY "{schema}"."{concept}" ({columns}) FROM STDIN'
            with connection.cursor().copy(into.encode()) as copy:
                for row in rows.fetchall():
                    copy.write_row(row)


def read(database: Database, schema: str, name: str, like: pa.Table) -> pa.Table:
    columns = ", ".join(f'"{c}"' for c in like.column_names)
    rows = database.query(f'SELECT {columns} FROM "{schema}"."{name}"')
    values = zip(*rows, strict=True) if rows else [[] for _ in like.column_names]
    columns_of = dict(zip(like.column_names, (list(v) for v in values), strict=True))
    return pa.table({n: pa.array(columns_of[n], like.schema.field(n).type) for n in columns_of})


def assert_equal(found: pa.Table, expected: pa.Table, what: str) -> None:
    """Compares tables, whose rows have no order: doubles to 1e-9, everything else exactly."""
    assert sorted(found.column_names) == sorted(expected.column_names), what
    assert found.num_rows == expected.num_rows, what
    names = sorted(expected.column_names)
    numeric = [n for n in names if pa.types.is_floating(expected.schema.field(n).type)]
    exact = [n for n in names if n not in numeric]
    # rows are ordered by exact columns first: doubles that differ in rounding change no order
    one, two = (_rows(table, exact, numeric) for table in (found, expected))
    for left, right in zip(one, two, strict=True):
        assert left[: len(exact)] == right[: len(exact)], what
        for a, b in zip(left[len(exact) :], right[len(exact) :], strict=True):
            assert _close(a, b), f"{what}: {left} is not {right}"


def _rows(table: pa.Table, exact: list[str], numeric: list[str]) -> list[tuple[Any, ...]]:
    columns = [_plain(table.column(name)) for name in [*exact, *numeric]]
    rows = list(zip(*columns, strict=True)) if columns else []
    return sorted(rows, key=lambda row: [_order(value) for value in row])


def _plain(column: Any) -> list[Any]:
    values = column.to_pylist()
    return [v.replace(tzinfo=None) if hasattr(v, "tzinfo") and v.tzinfo else v for v in values]


def _order(value: Any) -> tuple[int, Any]:
    if value is None:
        return (0, "")
    return (1, float(f"{value:.6g}")) if isinstance(value, float) else (2, str(value))


def _close(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
