"""Queries that only pass rows on take little memory; others, what the machine has."""

from __future__ import annotations

from pathlib import Path

import pytest

from miningflow.engines.duckdb.engine import DuckDBEngine
from miningflow.engines.duckdb.session import MB_PER_THREAD, DuckDBSession

PASSING = "SELECT i * 2 AS j FROM numbers WHERE i > 5"
LIMIT = "SELECT current_setting('memory_limit')"


def limit_while(engine: DuckDBEngine, sql: str) -> tuple[str, str, str]:
    """Returns the limit before, while and after some work is done with a query."""
    with engine.session() as session:
        session.execute("CREATE TABLE IF NOT EXISTS numbers AS SELECT i FROM range(9) AS t(i)")
        return limit(session), session.sparing(sql, lambda: limit(session)), limit(session)


def limit(session: DuckDBSession) -> str:
    return str(session.rows(LIMIT)[0][0])


def size(shown: str) -> float:
    """Returns the number of a size, in the unit it is shown in."""
    return float(shown.split(maxsplit=1)[0])


@pytest.mark.parametrize("sql", [PASSING, "SELECT * FROM (SELECT i + 1 AS j FROM numbers)"])
def test_passing_rows_on_takes_little_memory(tmp_path: Path, sql: str) -> None:
    engine = DuckDBEngine(tmp_path / "s.duckdb", settings={"threads": "2"})
    before, meanwhile, after = limit_while(engine, sql)
    engine.close()
    assert meanwhile == f"{MB_PER_THREAD * 2 * 1e6 / 2**20:.1f} MiB"
    assert size(before) == pytest.approx(size(after), rel=0.02)  # DuckDB 1.5 rounds it
    assert meanwhile != after


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT i, count(*) FROM numbers GROUP BY i",
        "SELECT * FROM numbers ORDER BY i",
        "SELECT a.i FROM numbers AS a JOIN numbers AS b USING (i)",
        "SELECT sum(i) OVER (ORDER BY i) FROM numbers",
    ],
)
def test_gathering_takes_what_there_is(tmp_path: Path, sql: str) -> None:
    engine = DuckDBEngine(tmp_path / "s.duckdb")
    before, meanwhile, _ = limit_while(engine, sql)
    engine.close()
    assert meanwhile == before


def test_a_limit_that_was_given_stays(tmp_path: Path) -> None:
    engine = DuckDBEngine(tmp_path / "s.duckdb", settings={"memory_limit": "200MB"})
    found = limit_while(engine, PASSING)
    engine.close()
    assert set(found) == {"190.7 MiB"}


def test_what_was_not_enough_is_tried_with_more(tmp_path: Path) -> None:
    engine = DuckDBEngine(tmp_path / "s.duckdb", settings={"threads": "2"})
    tries: list[str] = []
    with engine.session() as session:
        session.execute("CREATE TABLE numbers AS SELECT i FROM range(9) AS t(i)")

        def work() -> int:
            tries.append(limit(session))
            return int(session.rows("SELECT len(list(i)) FROM range(20_000_000) AS t(i)")[0][0])

        assert session.sparing(PASSING, work) == 20_000_000
        assert len(set(tries)) == 2
    engine.close()
