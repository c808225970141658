"""A session on PostgreSQL: one connection for one task, every statement its own transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus

from miningflow.engines.duckdb.engine import DuckDBEngine
from miningflow.engines.duckdb.session import DuckDBSession
from miningflow.engines.engine import Family, Made, T, TypeFamily
from miningflow.engines.key_types import KeyType
from miningflow.engines.postgres.column_casts import column_cast
from miningflow.engines.postgres.copy import (
    Column,
    column_types,
    copied_in,
    copied_out,
    is_whole,
    schema_of,
    without_size,
)
from miningflow.engines.postgres.errors import plain_errors
from miningflow.engines.postgres.key_casts import key_cast
from miningflow.engines.statements import watched
from miningflow.engines.writing import written
from miningflow.learn.kernels import KernelModel

_FAMILIES: dict[str, TypeFamily] = {
    "smallint": "number",
    "integer": "number",
    "bigint": "number",
    "real": "fraction",
    "double precision": "fraction",
    "numeric": "fraction",
    "text": "text",
    "character varying": "text",
    "character": "text",
    "citext": "text",
    "name": "text",
    "uuid": "text",
    "date": "time",
    "timestamp without time zone": "time",
    "timestamp with time zone": "time",
    "boolean": "truth",
}
_ENUM = "enum "


class PostgresSession:
    """A connection that runs the statements of one task."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        file_engine: Callable[[], DuckDBEngine],
        interrupted: Callable[[], bool],
    ) -> None:
        self.connection = connection
        self.has_temporary = False
        self._file_engine = file_engine
        self._interrupted = interrupted
        self._files: DuckDBSession | None = None
        self._stack = ExitStack()

    def close(self) -> None:
        """Ends the session that read files, if there is one."""
        self._stack.close()

    def execute(self, sql: str) -> None:
        """Runs a statement."""
        self.has_temporary |= sql.startswith("CREATE TEMP")
        with self._plain_errors(), watched(sql):
            self.connection.execute(sql.encode())

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Runs a query and fetches its rows."""
        with self._plain_errors(), watched(sql) as statement:
            found = self.connection.execute(sql.encode()).fetchall()
            statement.rows = len(found)
        return found

    def arrow(self, sql: str) -> pa.Table:
        """Runs a query and fetches its rows as Arrow."""
        return pa.Table.from_batches(self.batches(sql))

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Runs a query and streams its rows, so that memory stays flat."""
        with self._plain_errors(), watched(sql) as statement:
            statement.rows = 0
            for batch in copied_out(self.connection, sql, self._described(sql)):
                statement.rows += batch.num_rows
                yield batch

    def columns(self, sql: str) -> dict[str, str]:
        """Returns the names and types of a query's columns without running it."""
        with self._plain_errors():
            return {column.name: column.type for column in self._described(sql)}

    def write(self, sql: str, path: Path) -> int:
        """Writes the rows of a query to a Parquet or CSV file, through DuckDB in this process."""
        with self._plain_errors():
            schema = schema_of(self._described(sql))
        return written(self.batches(sql), schema, path)

    def register(self, name: str, data: pa.Table) -> None:
        """Makes an Arrow table readable by name in this session, as a temporary table."""
        self._make("temp table", _name(name), data.schema, data.to_batches())

    def family(self, sql_type: str) -> TypeFamily:
        """Returns the family of a column type."""
        if sql_type.startswith(_ENUM):
            return "text"
        if is_whole(sql_type):
            return "number"
        return _FAMILIES.get(without_size(sql_type), "other")

    def quoted(self, name: str) -> str:
        """Writes a name in quotes."""
        return _name(name)

    def typed(self, column: str, sql_type: str, family: Family) -> str:
        """Casts a column, so that it has the same type in every source."""
        return column_cast(_name(column), sql_type, self.family(sql_type), family)

    def key(self, tree: str, sql_type: str, wanted: KeyType) -> str | None:
        """Reads an expression as a key, NULL where a value does not fit; None: it never does."""
        zoned = without_size(sql_type) == "timestamp with time zone"
        return key_cast(tree, sql_type, self.family(sql_type), wanted, zoned)

    def files(self) -> DuckDBSession:
        """Returns a session of DuckDB in this process, which reads files."""
        if self._files is None:
            self._files = self._stack.enter_context(self._file_engine().session())
        return self._files

    def load(self, made: Made, target: str, query: str) -> None:
        """Makes a table of a query over files, some thousand rows at a time."""
        batches = self.files().batches(query)
        first = next(batches, None)
        schema = first.schema if first is not None else self.files().arrow(query).schema
        rows = _chained(first, batches)
        self._make("table" if made == "table" else "temp table", target, schema, rows)

    def fill(self, target: str, rows: pa.RecordBatchReader) -> None:
        """Makes a table of rows that come in batches."""
        self._make("table", target, rows.schema, rows)
        self.settle(target)

    def keep(self, target: str, query: str) -> None:
        """Computes a query once, into a temporary table."""
        self.execute(f"CREATE TEMP TABLE {target} AS {query}")

    def sparing(self, sql: str, work: Callable[[], T]) -> T:
        """Does some work with a query: the memory of the server is not ours."""
        return work()

    def frugal(self, work: Callable[[], T], share: float = 1.0) -> T:
        """Does some work: the memory of the server is not ours."""
        return work()

    def settle(self, table: str) -> None:
        """Counts values of a new table, since the server itself does that only after a while."""
        self.execute(f"ANALYZE {table}")

    @contextmanager
    def offering(self, models: Mapping[str, KernelModel]) -> Iterator[None]:
        """Lets nothing be called: a server cannot reach this process."""
        assert not models, "the engine says that it offers no models"
        yield

    def _make(
        self, made: Made, target: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]
    ) -> None:
        """Makes a table with rows, whole or not at all."""
        columns = ", ".join(f"{_name(n)} {kind}" for n, kind in column_types(schema).items())
        self.has_temporary |= made != "table"
        with self._plain_errors():
            # a store that is opened to read can still hold what nobody else sees
            self.connection.execute(b"BEGIN READ WRITE")
            try:
                if made != "table":
                    self.connection.execute(f"DROP TABLE IF EXISTS pg_temp.{target}".encode())
                self.connection.execute(f"CREATE {made.upper()} {target} ({columns})".encode())
                copied_in(self.connection, target, batches)
                self.connection.execute(b"COMMIT")
            except BaseException:
                if not self.connection.broken:
                    self.connection.execute(b"ROLLBACK")
                raise
        if made != "table":
            self.settle(target)

    def _described(self, sql: str) -> list[Column]:
        """Asks for the columns of a query, which is parsed for that and not run."""
        prepared = self.connection.pgconn.prepare(b"", sql.encode())
        if prepared.status != ExecStatus.COMMAND_OK:
            raise error_from_result(prepared)
        found = self.connection.pgconn.describe_prepared(b"")
        if found.status != ExecStatus.COMMAND_OK:
            raise error_from_result(found)
        asked = [(found.ftype(i), found.fmod(i)) for i in range(found.nfields)]
        types = self._types(asked)
        names = [(found.fname(i) or b"").decode() for i in range(found.nfields)]
        return [Column(name, types[mark]) for name, mark in zip(names, asked, strict=True)]

    def _types(self, asked: list[tuple[int, int]]) -> dict[tuple[int, int], str]:
        """Names types by their numbers."""
        listed = ", ".join(f"({oid}::oid, {mod})" for oid, mod in sorted(set(asked)))
        if not listed:
            return {}
        query = (
            "SELECT wanted.oid::bigint, wanted.mod, "
            f"CASE WHEN t.typtype = 'e' THEN '{_ENUM}' ELSE '' END "
            "|| CASE WHEN t.typnamespace = 'pg_catalog'::regnamespace "
            "THEN format_type(wanted.oid, nullif(wanted.mod, -1)) ELSE t.typname END "
            f"FROM (VALUES {listed}) AS wanted (oid, mod) JOIN pg_type t ON t.oid = wanted.oid"
        )
        found = self.connection.execute(query.encode())
        return {(oid, mod): name for oid, mod, name in found}

    def _plain_errors(self) -> Any:
        return plain_errors(self._interrupted)


def _chained(
    first: pa.RecordBatch | None, rest: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    if first is not None:
        yield first
    yield from rest


def _name(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'
