"""PostgreSQL as an engine: what a session reads, writes, replaces, holds and stops."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.postgres_stores import Database

from miningflow.engines import Engine, open_engine
from miningflow.engines.duckdb.engine import DuckDBEngine
from miningflow.engines.opening import store_kind
from miningflow.engines.postgres.address import address_of
from miningflow.engines.postgres.engine import PostgresEngine
from miningflow.errors import EngineError

ENDING = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
TEXTS = ["", None, "a,b", 'say "x"', "two\nlines", "\\.", "\\N", "Grün 木", " ", "NULL", "50%s"]


@pytest.fixture
def engine(database: Database) -> Iterator[PostgresEngine]:
    separator = "&" if "?" in database.url else "?"
    opened = open_engine(f"{database.url}{separator}search_path=public", Path())
    assert isinstance(opened, PostgresEngine)
    yield opened
    opened.close()


def odd_rows() -> pa.Table:
    count = len(TEXTS)
    numbers = [0.1, None, math.inf, -math.inf, math.nan, 1e-300, -0.0, 5e-324, 1.7e308, 1 / 3, 2.0]
    moments = [datetime(2020, 2, 29, 12, 30, 1, 123456), None, datetime(1, 1, 1)]
    return pa.table(
        {
            'odd "name" %': pa.array(TEXTS),
            "number": pa.array(numbers, pa.float64()),
            "whole": pa.array([2**63 - 1, None, *range(count - 2)], pa.int64()),
            "moment": pa.array((moments * count)[:count], pa.timestamp("us")),
            "day": pa.array([date(2020, 2, 29), None] * (count // 2) + [None], pa.date32()),
            "truth": pa.array([True, False, None] * 3 + [None] * (count - 9)),
        }
    )


def plain(table: pa.Table) -> list[list[Any]]:
    return [[repr(value) for value in row.values()] for row in table.to_pylist()]


def test_rows_come_back_as_they_went(engine: PostgresEngine) -> None:
    rows = odd_rows()
    with engine.session() as session:
        session.register("given", rows)
        found = session.arrow("SELECT * FROM given")
        assert found.schema == rows.schema
        assert plain(found) == plain(rows)
        assert session.rows('SELECT "odd ""name"" %" FROM given') == [(t,) for t in TEXTS]


def test_a_table_is_registered_again_in_place_of_the_first(engine: PostgresEngine) -> None:
    with engine.session() as session:
        session.register("given", pa.table({"a": [1, 2]}))
        session.register("given", pa.table({"b": ["x"]}))
        assert session.arrow("SELECT * FROM given").to_pylist() == [{"b": "x"}]
    with engine.session() as session, pytest.raises(EngineError, match="does not exist"):
        session.rows("SELECT * FROM given")


@pytest.mark.parametrize("values", [[None, None, 1], [None], []])
def test_a_lone_column_keeps_its_nulls(engine: PostgresEngine, values: list[int | None]) -> None:
    with engine.session() as session:
        session.register("given", pa.table({"a": pa.array(values, pa.int64())}))
        assert session.arrow("SELECT a FROM given").column("a").to_pylist() == values


def test_many_rows_are_streamed(engine: PostgresEngine) -> None:
    rows = 400_000
    with engine.session() as session:
        batches = session.batches(f"SELECT i, sqrt(i) AS root FROM generate_series(1, {rows}) i")
        sizes, total = [], 0.0
        for batch in batches:
            sizes.append(batch.num_rows)
            total += float(np.sum(batch.column("root").to_numpy()))
    assert sum(sizes) == rows
    assert max(sizes) < rows / 2
    assert total == pytest.approx(np.sqrt(np.arange(1, rows + 1)).sum(), rel=1e-12)


def test_a_stream_that_nobody_ends_leaves_a_session_that_works(engine: PostgresEngine) -> None:
    with engine.session() as session:
        batches = session.batches("SELECT i FROM generate_series(1, 3000000) i")
        assert next(batches).num_rows > 0
        batches.close()  # type: ignore[attr-defined]  # it is a generator
        assert session.rows("SELECT 1") == [(1,)]


def test_types_are_told_and_judged(engine: PostgresEngine, database: Database) -> None:
    database.query("CREATE TYPE mood AS ENUM ('good', 'bad')")
    database.query("CREATE DOMAIN age AS integer CHECK (VALUE >= 0)")
    kinds = {
        "smallint": "number",
        "integer": "number",
        "bigint": "number",
        "age": "number",
        "real": "fraction",
        "numeric": "fraction",
        "numeric(10, 2)": "fraction",
        "numeric(12, 0)": "number",
        "double precision": "fraction",
        "text": "text",
        "varchar(5)": "text",
        "char(5)": "text",
        "uuid": "text",
        "mood": "text",
        "date": "time",
        "timestamp": "time",
        "timestamptz": "time",
        "timestamp(3)": "time",
        "timestamptz(0)": "time",
        "boolean": "truth",
        "json": "other",
        "integer[]": "other",
        "money": "other",
    }
    columns = ", ".join(f"c{i} {kind}" for i, kind in enumerate(kinds))
    database.query(f"CREATE TABLE many ({columns})")
    with engine.session() as session:
        types = session.columns("SELECT * FROM many")
        assert [session.family(kind) for kind in types.values()] == list(kinds.values())


def test_columns_are_cast_to_what_features_are(engine: PostgresEngine, database: Database) -> None:
    database.query(
        "CREATE TABLE raw AS SELECT true AS truth, 1.5::numeric AS price, 'x'::varchar(3) AS word, "
        "timestamptz(3) '2020-01-01 12:00:00+02' AS moment, date '2020-01-02' AS day, "
        "12345678901234567890::numeric(20, 0) AS key"
    )
    with engine.session() as session:
        types = session.columns("SELECT * FROM raw")
        asked = [("truth", "numeric"), ("price", "numeric"), ("word", "text"), ("truth", "text")]
        asked += [("moment", "time"), ("day", "time")]
        casts = [session.typed(n, types[n], family) for n, family in asked]  # type: ignore[arg-type]  # the families are literals
        assert session.rows(f"SELECT {', '.join(casts)} FROM raw") == [
            (1.0, 1.5, "x", "true", datetime(2020, 1, 1, 10), datetime(2020, 1, 2))
        ]
        read = session.arrow("SELECT moment::timestamp(3) AS moment, key FROM raw").to_pylist()
        assert read == [{"moment": datetime(2020, 1, 1, 10), "key": 12345678901234567890}]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_are_those_that_duckdb_writes(
    engine: PostgresEngine, tmp_path: Path, suffix: str
) -> None:
    rows = odd_rows().drop_columns(["moment"])  # the year 1 has another form in each
    other = DuckDBEngine(None)
    engines: list[Engine] = [engine, other]
    paths: list[Path] = []
    for number, opened in enumerate(engines):
        paths.append(tmp_path / f"{number}.{suffix}")
        with opened.session() as session:
            session.register("given", rows)
            query = "SELECT * FROM given ORDER BY whole NULLS FIRST"
            assert session.write(query, paths[-1]) == rows.num_rows
    other.close()
    if suffix == "csv":
        assert paths[0].read_bytes() == paths[1].read_bytes()
    else:
        first, second = (pq.read_table(path) for path in paths)
        assert first.schema == second.schema
        assert plain(first) == plain(second)


def test_a_query_that_fails_while_a_file_is_written_says_why(
    engine: PostgresEngine, tmp_path: Path
) -> None:
    with engine.session() as session, pytest.raises(EngineError, match="division by zero"):
        session.write("SELECT 1 / (i - 5) AS x FROM generate_series(1, 9) i", tmp_path / "x.csv")


def test_a_session_is_given_back_clean(engine: PostgresEngine, database: Database) -> None:
    database.query("CREATE TABLE kept (a integer)")
    with engine.session() as session:
        session.execute("BEGIN")
        session.execute("DROP TABLE kept")
        session.execute("CREATE TEMP TABLE gone (a integer)")
    with engine.session() as session:
        assert session.rows("SELECT count(*) FROM kept") == [(0,)]
        with pytest.raises(EngineError, match='"gone" does not exist'):
            session.rows("SELECT * FROM gone")


def test_a_marker_follows_values_and_not_their_order(
    engine: PostgresEngine, database: Database
) -> None:
    def marker() -> str:
        return engine.table_marker("t", ["a", "b", "c"])

    database.query("CREATE TABLE t (a integer, b text, c json)")
    empty = marker()
    database.query("INSERT INTO t VALUES (1, 'x', '{}'), (2, NULL, '[]'), (3, '', NULL)")
    first = marker()
    database.query("UPDATE t SET a = a")
    database.query("DELETE FROM t WHERE a = 1")
    database.query("INSERT INTO t VALUES (1, 'x', '{}')")
    assert marker() == first
    seen = {empty, first}
    for change in ("a = 4 WHERE a = 1", "b = '' WHERE b IS NULL", "c = '[ ]' WHERE a = 2"):
        database.query(f"UPDATE t SET {change}")
        assert marker() not in seen
        seen.add(marker())


def test_a_view_is_replaced_and_who_reads_it_is_kept(
    engine: PostgresEngine, database: Database
) -> None:
    def show(query: str) -> None:
        made = f'CREATE OR REPLACE VIEW "v $m0$" AS {query}'
        with engine.session() as session:
            session.execute(engine.replacing("view", "public", "v $m0$", made))

    show("SELECT 1 AS a, 'x' AS b")
    database.query('CREATE VIEW reader AS SELECT a FROM "v $m0$"')
    show("SELECT 2 AS a, 'y' AS b, 3 AS c")
    assert database.query("SELECT * FROM reader") == [(2,)]
    with pytest.raises(EngineError, match="view reader depends on view"):
        show("SELECT 2 AS a")
    assert database.query('SELECT * FROM "v $m0$"') == [(2, "y", 3)]
    database.query("DROP VIEW reader")
    show("SELECT 'other' AS b")
    assert database.query('SELECT * FROM "v $m0$"') == [("other",)]


def test_a_function_is_replaced_and_stays_the_only_one(
    engine: PostgresEngine, database: Database
) -> None:
    def make(parameters: str, body: str, returns: str = "integer") -> None:
        made = f"CREATE OR REPLACE FUNCTION f({parameters}) RETURNS {returns} RETURN {body}"
        with engine.session() as session:
            session.execute(engine.replacing("function", "public", "f", made))

    make("a integer", "a + 1")
    database.query("CREATE VIEW caller AS SELECT f(1) AS x")
    make("a integer", "a + 2")
    assert database.query("SELECT * FROM caller") == [(3,)]
    with pytest.raises(EngineError, match="view caller depends on function"):
        make("b integer", "b")
    database.query("DROP VIEW caller")
    make("b integer", "b")
    make("b text", "length(b)")
    assert database.query("SELECT f('four')") == [(4,)]
    assert database.query("SELECT count(*) FROM pg_proc WHERE proname = 'f'") == [(1,)]
    make("b text", "b", returns="text")
    assert database.query("SELECT f('four')") == [("four",)]


def test_views_that_read_each_other_are_dropped_together(
    engine: PostgresEngine, database: Database
) -> None:
    database.query("CREATE VIEW a AS SELECT 1 AS x")
    database.query("CREATE VIEW b AS SELECT * FROM a")
    with engine.session() as session:
        for statement in engine.dropping("view", [("public", "a"), ("public", "b")]):
            session.execute(statement)
    assert dict(engine.objects("public")) == {}


def test_all_sessions_are_stopped(engine: PostgresEngine) -> None:
    stopped: list[str] = []

    def work(query: str) -> None:
        try:
            with engine.session() as session:
                session.arrow(query)
        except KeyboardInterrupt:
            stopped.append(query)

    queries = ["SELECT pg_sleep(60)::text AS x", "SELECT i FROM generate_series(1, 1000000000) i"]
    threads = [threading.Thread(target=work, args=[query]) for query in queries]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    with engine.interrupting():
        for thread in threads:
            thread.join(30)
    assert sorted(stopped) == sorted(queries)


def test_a_case_is_held_by_one_at_a_time(engine: PostgresEngine, database: Database) -> None:
    other = PostgresEngine(address_of(database.url))
    engine.hold("it's mine", 0)
    other.hold("another", 0)
    other.close()
    other = PostgresEngine(address_of(database.url))
    with pytest.raises(EngineError, match=r"in use by miningflow \d+ on (?s:.*)--wait"):
        other.hold("it's mine", 0.3)
    releasing = threading.Timer(0.5, engine.close)
    releasing.start()
    other.hold("it's mine", 30)
    other.close()
    releasing.join()


def test_a_statement_may_take_so_long_and_no_longer(database: Database) -> None:
    separator = "&" if "?" in database.url else "?"
    url = f"{database.url}{separator}statement_timeout=200ms"
    engine = PostgresEngine(address_of(url))
    try:
        with (
            engine.session() as session,
            pytest.raises(EngineError, match=r"statement timeout\n(?s:.*)statement_timeout"),
        ):
            session.rows("SELECT pg_sleep(30)")
    finally:
        engine.close()


def test_a_lost_connection_is_told_as_such(engine: PostgresEngine, database: Database) -> None:
    with engine.session() as session:
        database.query(ENDING)
        with pytest.raises(EngineError, match="connection to PostgreSQL was lost"):
            session.rows("SELECT 1")
    with engine.session() as session:
        assert session.rows("SELECT 1") == [(1,)]


def test_a_connection_that_was_lost_while_nobody_used_it_is_replaced(
    engine: PostgresEngine, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("miningflow.engines.postgres.engine.RESTED", -1.0)
    repository = engine.repository()
    with engine.session() as session, repository.begin() as connection:
        session.rows("SELECT 1")
        connection.exec_driver_sql("SELECT 1")
    database.query(ENDING)
    with engine.session() as session, repository.begin() as connection:
        assert session.rows("SELECT 1") == [(1,)]
        assert connection.exec_driver_sql("SELECT 1").scalar() == 1


def test_who_only_reads_changes_nothing(database: Database) -> None:
    engine = open_engine(database.url, Path(), read_only=True)
    try:
        with engine.session() as session:
            session.register("given", pa.table({"a": [1]}))
            assert session.rows("SELECT a FROM given") == [(1,)]
            with pytest.raises(EngineError, match="read-only"):
                session.execute("CREATE TABLE t (a integer)")
    finally:
        engine.close()


def test_a_password_is_never_shown() -> None:
    url = "postgresql://me:se%40cret@host:5433/db?sslmode=require&work_mem=64MB"
    address = address_of(url)
    assert address.parameters["password"] == "se@cret"
    assert (
        store_kind(url).shown(url) == "postgresql://me@host:5433/db?sslmode=require&work_mem=64MB"
    )
    assert "-c work_mem=64MB" in address.parameters["options"]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://me:secret@host/db?work_men=1", "did you mean 'work_mem'"),
        ("postgresql://me:secret@host/db?passfile=/etc/passwd", "unknown store setting 'passfile'"),
        ("postgresql://me:secret@host:port/db", "not the address of a PostgreSQL server"),
        ("postgresql://me:secret@127.0.0.1:1/db", "cannot open the store postgresql://me@127"),
        ("mysql://me:secret@host/db", "unknown kind of store 'mysql'"),
    ],
)
def test_an_address_that_is_wrong_is_refused(url: str, said: str) -> None:
    with pytest.raises(EngineError, match=said) as refused:
        open_engine(url, Path())
    assert "secret" not in str(refused.value)


def test_a_database_that_is_not_there_is_refused(database: Database) -> None:
    name = f"{database.url.partition('?')[0].rpartition('/')[2]}_not"
    url = database.url.replace(name.removesuffix("_not"), name)
    with pytest.raises(EngineError, match=r"does not exist\n(?s:.*)createdb"):
        open_engine(url, Path())


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in sys.modules if n.startswith("miningflow.engines.postgres")]:
        if name != "miningflow.engines.postgres.address":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(EngineError, match=r"pip install 'miningflow\[postgres\]'"):
        open_engine("postgresql://host/db", Path())
