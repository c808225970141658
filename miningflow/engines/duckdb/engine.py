"""DuckDB: the embedded engine, one cursor per task."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import sqlalchemy as sa

from miningflow.engines.duckdb.column_casts import column_cast
from miningflow.engines.duckdb.interrupts import heeding_interrupts
from miningflow.engines.duckdb.kernels import kernel_function
from miningflow.engines.duckdb.key_casts import key_cast
from miningflow.engines.duckdb.locking import (
    configuration,
    is_locked,
    lock,
    refuse_other_access,
    refuse_shadowing,
)
from miningflow.engines.duckdb.sqlalchemy_dialect import repository_engine
from miningflow.engines.duckdb.store_kind import DUCKDB
from miningflow.engines.engine import Family, Made, ObjectKind, T, TypeFamily
from miningflow.engines.file_access import NO_FILES, FileAccess
from miningflow.engines.files import text
from miningflow.engines.interrupting import stopping
from miningflow.engines.key_types import KeyType
from miningflow.errors import Diagnostic, EngineError
from miningflow.learn.kernels import KernelModel

# Values of a batch, 4 MB as doubles: small enough for flat memory, large enough for BLAS.
BATCH = 524_288

# Rows of one piece of a Parquet file, which are held in memory; fewer where there are many columns.
ROW_GROUP = 122_880

# Megabytes that each thread may hold where more would only be copies of the file.
MB_PER_THREAD = 32
_PASSING = ("PROJECTION", "FILTER", "SEQ_SCAN", "TABLE_SCAN", "READ_PARQUET", "READ_CSV",
            "READ_CSV_AUTO", "ARROW_SCAN")  # fmt: skip

_NUMBERS = re.compile(r"^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL\(\d+,0\))$")
_FRACTIONS = re.compile(r"^(FLOAT|DOUBLE|REAL|DECIMAL.*|BIGNUM)$")
_CSV_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CSV_REASONS = ("Expected Number of Columns", "Value with unterminated quote", "Invalid unicode")
_HEADERS = 3 * 4096
_ARRIVING = "rows that arrive"
_HELD_BY = re.compile(r"held in (.*?) ?\(PID (\d+)\)")


class DuckDBSession:
    """A cursor on the store."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, spares: bool = False) -> None:
        self._cursor = cursor
        self._spares = spares

    def execute(self, sql: str) -> None:
        """Runs a statement."""
        with _plain_errors():
            self._cursor.execute(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Runs a query and fetches its rows."""
        with _plain_errors():
            return self._cursor.execute(sql).fetchall()

    def arrow(self, sql: str) -> pa.Table:
        """Runs a query and fetches its rows as Arrow."""
        with _plain_errors():
            return self._cursor.sql(sql).to_arrow_table()

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Runs a query and streams its rows, so that memory stays flat."""
        with _plain_errors():
            relation = self._cursor.sql(sql)
            yield from relation.to_arrow_reader(max(1, BATCH // len(relation.columns)))

    def columns(self, sql: str) -> dict[str, str]:
        """Returns the names and types of a query's columns without running it."""
        return {row[0]: row[1] for row in self.rows(f"DESCRIBE {sql}")}

    def write(self, sql: str, path: Path) -> int:
        """Writes the rows of a query to a Parquet or CSV file; returns their number."""
        form = "csv" if path.suffix == ".csv" else "parquet"
        with _plain_errors():
            size = max(2048, min(ROW_GROUP, 4 * BATCH // max(1, len(self.columns(sql)))))
            parquet = f"FORMAT parquet, ROW_GROUP_SIZE {size}"
            options = "FORMAT csv, HEADER true" if form == "csv" else parquet
            self._cursor.execute(f"COPY ({sql}) TO {text(str(path))} ({options})")
            return int(self._cursor.fetchall()[0][0])

    def register(self, name: str, data: pa.Table) -> None:
        """Makes an Arrow table readable by name in this session."""
        self._cursor.register(name, data)

    def family(self, sql_type: str) -> TypeFamily:
        """Returns the family of a column type."""
        if _NUMBERS.match(sql_type):
            return "number"
        if _FRACTIONS.match(sql_type):
            return "fraction"
        if sql_type in ("VARCHAR", "UUID") or sql_type.startswith("ENUM"):
            return "text"
        if sql_type == "DATE" or sql_type.startswith("TIMESTAMP"):
            return "time"
        return "truth" if sql_type == "BOOLEAN" else "other"

    def quoted(self, name: str) -> str:
        """Writes a name in quotes."""
        return _name(name)

    def typed(self, column: str, sql_type: str, family: Family) -> str:
        """Casts a column, so that it has the same type in every source."""
        return column_cast(_name(column), sql_type, self.family(sql_type), family)

    def key(self, tree: str, sql_type: str, wanted: KeyType) -> str | None:
        """Reads an expression as a key, NULL where a value does not fit; None: it never does."""
        return key_cast(tree, sql_type, self.family(sql_type), wanted)

    def files(self) -> DuckDBSession:
        """Returns the session that reads files: this one."""
        return self

    def load(self, made: Made, target: str, query: str) -> None:
        """Makes a table of a query over files, or a view if that is enough."""
        self.execute(f"CREATE {made.upper()} {target} AS {query}")

    def fill(self, target: str, rows: pa.RecordBatchReader) -> None:
        """Makes a table of rows that come in batches."""
        self._cursor.register(_ARRIVING, rows)
        try:
            self.execute(f"CREATE TABLE {target} AS SELECT * FROM {_name(_ARRIVING)}")
        finally:
            self._cursor.unregister(_ARRIVING)

    def keep(self, target: str, query: str) -> None:
        """Computes a query once, into a temporary table."""
        self.execute(f"CREATE TEMP TABLE {target} AS {query}")

    def sparing(self, sql: str, work: Callable[[], T]) -> T:
        """Does some work with a query, in little memory if the query only passes rows on.

        More memory would only hold copies of the file, which DuckDB keeps as long as it can.
        """
        if not self._spares or not self._passes_on(sql):
            return work()
        threads = self.rows("SELECT current_setting('threads')")[0][0]
        try:
            self.execute(f"SET memory_limit = '{MB_PER_THREAD * max(2, threads)}MB'")
            return work()
        except EngineError as error:
            if not isinstance(error.__cause__, duckdb.OutOfMemoryException):
                raise
        finally:
            self.execute("RESET memory_limit")
        return work()

    def _passes_on(self, sql: str) -> bool:
        """Returns whether nothing is gathered: no join, no group, no order."""
        found: list[Any] = json.loads(self.rows(f"EXPLAIN (FORMAT json) {sql}")[0][1])
        while found:
            operator = found.pop()
            if operator["name"].strip() not in _PASSING:
                return False
            found += operator["children"]
        return True

    def settle(self, table: str) -> None:
        """Does nothing: DuckDB knows its new tables."""

    @contextmanager
    def offering(self, models: Mapping[str, KernelModel]) -> Iterator[None]:
        """Lets SQL call kernel models by name."""
        with ExitStack() as stack:
            for name, model in models.items():
                stack.enter_context(kernel_function(self._cursor, name, model))
            yield


class DuckDBEngine:
    """A DuckDB file, or a database in memory."""

    default_schema = DUCKDB.default_schema
    longest_name: int | None = None
    offers_models = True
    approximates = True
    ignores_case = True
    holds_cases = True
    dialect = "duckdb" if int(duckdb.__version__.partition(".")[0]) >= 2 else "duckdb1.5"

    def __init__(
        self,
        path: Path | None,
        wait: float = 0.0,
        read_only: bool = False,
        settings: Mapping[str, str] | None = None,
        access: FileAccess | None = None,
    ) -> None:
        """Opens a database, and limits it to some files unless it is one of our own in memory."""
        self.path = path
        is_foreign = path is not None and path.exists()
        self._connection = _connect(path, wait, read_only)
        try:
            with _plain_errors():
                if is_foreign:
                    refuse_shadowing(self._connection)
                self._set_up(settings or {}, access)
        except BaseException:
            self._connection.close()
            raise
        self._spares = path is not None and "memory_limit" not in (settings or {})
        self._sessions: set[duckdb.DuckDBPyConnection] = set()

    def _set_up(self, settings: Mapping[str, str], access: FileAccess | None) -> None:
        if is_locked(self._connection):  # this process has it open already
            refuse_other_access(self._connection, access or NO_FILES)
            return
        self._connection.execute("SET GLOBAL TimeZone = 'UTC'")  # for cursors, too
        # a table that does not exist must not turn out to be a variable of this program
        self._connection.execute("SET python_enable_replacements = false")
        for name, value in settings.items():
            self._connection.execute(f"SET {name} = {text(value)}")
        if access is not None:
            lock(self._connection, access)

    @contextmanager
    def session(self) -> Iterator[DuckDBSession]:
        """Opens a separate session."""
        cursor = self._connection.cursor()
        self._sessions.add(cursor)
        try:
            yield DuckDBSession(cursor, self._spares)
        finally:
            self._sessions.discard(cursor)
            cursor.close()

    @contextmanager
    def together(self) -> Iterator[Callable[[str], None]]:
        """Returns a way to run statements in one transaction."""
        with self.session() as session:
            session.execute("BEGIN")
            yield session.execute
            session.execute("COMMIT")

    def repository(self) -> sa.Engine:
        """Returns a SQLAlchemy engine on the same store."""
        return repository_engine(self._connection)

    def interrupting(self) -> AbstractContextManager[None]:
        """Stops what all sessions are running and are about to run, until the context ends."""

        def stop() -> None:
            for cursor in list(self._sessions):
                with suppress(duckdb.Error):
                    cursor.interrupt()

        return stopping(stop, 0.05)

    def close(self) -> None:
        """Closes the store, so that another process can open it."""
        self._connection.close()

    def table_marker(self, table: str, columns: Sequence[str]) -> str:
        """Hashes the given columns: DuckDB tables carry no change marker."""
        names = ", ".join(_name(c) for c in columns)
        with self.session() as session:
            counted = session.rows(
                f"SELECT count(*), sum(CAST(hash({names}) AS HUGEINT)) FROM {table}"
            )
        return f"{counted[0][0]} rows, hash {counted[0][1]}"

    def objects(self, schema: str) -> Mapping[str, str]:
        """Returns the tables and views of a schema: name → 'table' or 'view'."""
        with self.session() as session:
            found = session.rows(
                "SELECT table_name, table_type FROM information_schema.tables "
                f"WHERE table_catalog = current_database() AND {_same('table_schema', schema)}"
            )
        return {name: "view" if kind == "VIEW" else "table" for name, kind in found}

    def view_definitions(self, schema: str) -> Mapping[str, str]:
        """Returns the views of a schema: name → the SQL that it was made of."""
        with self.session() as session:
            found = session.rows(
                "SELECT view_name, sql FROM duckdb_views() "
                f"WHERE database_name = current_database() AND {_same('schema_name', schema)}"
            )
        return dict(found)

    def functions(self, schema: str) -> Collection[str]:
        """Names the macros of a schema."""
        with self.session() as session:
            found = session.rows(
                "SELECT DISTINCT function_name FROM duckdb_functions() "
                f"WHERE database_name = current_database() AND {_same('schema_name', schema)}"
            )
        return {name for (name,) in found}

    def schemas(self) -> Collection[str]:
        """Names the schemas."""
        with self.session() as session:
            found = session.rows(
                "SELECT schema_name FROM information_schema.schemata "
                "WHERE catalog_name = current_database()"
            )
        return {name for (name,) in found}

    def hold(self, case: str, wait: float) -> None:
        """Does nothing: a process that writes to a file has it for itself."""

    def replacing(self, kind: ObjectKind, schema: str, name: str, statement: str) -> str:
        """Returns the statement itself: DuckDB replaces whatever was there."""
        return statement

    def dropping(self, kind: ObjectKind, objects: Sequence[tuple[str, str]]) -> list[str]:
        """Returns the statements that drop objects of one kind."""
        said = "MACRO IF EXISTS" if kind == "function" else kind.upper()
        return [f"DROP {said} {_name(schema)}.{_name(name)}" for schema, name in objects]

    def comment(self, kind: ObjectKind, schema: str, name: str, said: str) -> list[str]:
        """Returns the statements that say what an object is: none, its SQL says it."""
        return []

    def refusal(self, error: BaseException) -> Diagnostic:
        """Returns a diagnostic for an error of the repository, which is in the same file."""
        return Diagnostic(f"the database says: {str(error).strip().splitlines()[0]}")


def _connect(path: Path | None, wait: float, read_only: bool) -> duckdb.DuckDBPyConnection:
    if path is not None and not path.parent.is_dir():
        raise EngineError(
            Diagnostic(
                f"there is no folder {path.parent} for the store {path.name}", None, "make it first"
            )
        )
    deadline = time.monotonic() + wait
    while True:
        try:
            return duckdb.connect(
                str(path) if path else ":memory:",
                read_only=read_only,
                config=dict(configuration(path)),
            )
        except duckdb.IOException as error:
            held = _HELD_BY.search(str(error))
            if held is None:
                raise EngineError(_cannot_open(path, error)) from None
            if time.monotonic() >= deadline:
                raise EngineError(
                    Diagnostic(
                        f"the store {path} is in use by process {held[2]}",
                        None,
                        "wait for it, end it, or let this command wait with `--wait SECONDS`",
                    )
                ) from None
            time.sleep(0.2)
        except duckdb.Error as error:
            raise EngineError(_cannot_open(path, error)) from None


def _cannot_open(path: Path | None, error: duckdb.Error) -> Diagnostic:
    reason = _first_line(error)
    hint = "is it a DuckDB file, and may you write to it?"
    if path is not None and _is_cut_off(path):
        hint = "it was cut off while it was made and holds nothing: delete it and run again"
    if "different configuration" in reason:
        hint = "this process has opened the file itself: close that connection first"
    return Diagnostic(f"cannot open the store {path}: {reason}", None, hint)


def _is_cut_off(path: Path) -> bool:
    """Returns whether a file ends within the headers that DuckDB begins one with."""
    try:
        with path.open("rb") as file:
            start = file.read(_HEADERS)
    except OSError:
        return False
    return len(start) < _HEADERS and (not start.strip(b"\0") or start[8:12] == b"DUCK")


@contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        with heeding_interrupts():
            yield
    except duckdb.Error as error:
        hint = ""
        if "No space left" in str(error) or "disk" in str(error).lower():
            hint = "free some space and run again: what was built before is kept"
        elif "Could not convert string" in str(error):
            hint = "a text was compared with a number: are both keys numbers, or both text?"
        elif "not utf-8 encoded" in str(error) or "Invalid unicode" in str(error):
            hint = "save the file as UTF-8, or name its encoding (`encoding: latin-1`)"
        elif isinstance(error, duckdb.PermissionException):
            hint = "views of a store cannot read files: name the file as the source, {file: …}"
        raise EngineError(Diagnostic(f"DuckDB says: {_first_line(error)}", None, hint)) from error


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    wrong_line = _CSV_LINE.search(lines[0])
    if wrong_line is None:
        return lines[0]
    said = [line for line in lines[1:] if line.startswith(_CSV_REASONS)]
    return f"line {wrong_line[1]} of the CSV file: {said[0] if said else lines[0]}"


def _same(column: str, schema: str) -> str:
    """Compares the name of a schema as DuckDB does: upper and lower case are the same."""
    return f"lower({column}) = lower({text(schema)})"


def _name(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'
