"""DuckDB: the embedded engine, one cursor per task."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import duckdb
import sqlalchemy as sa

from miningflow.engines.duckdb.connecting import connect
from miningflow.engines.duckdb.errors import plain_errors
from miningflow.engines.duckdb.locking import (
    is_locked,
    lock,
    refuse_other_access,
    refuse_shadowing,
)
from miningflow.engines.duckdb.session import DuckDBSession, quoted
from miningflow.engines.duckdb.sqlalchemy_dialect import repository_engine
from miningflow.engines.duckdb.store_kind import DUCKDB
from miningflow.engines.engine import ObjectKind
from miningflow.engines.file_access import NO_FILES, FileAccess
from miningflow.engines.files import text
from miningflow.engines.interrupting import stopping
from miningflow.errors import Diagnostic


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
        self._connection = connect(path, wait, read_only)
        try:
            with plain_errors():
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
        names = ", ".join(quoted(c) for c in columns)
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
        if schema.casefold() not in {each.casefold() for each in self.schemas()}:
            return ()  # the list of functions is long: it has all that DuckDB brings along
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
        return [f"DROP {said} {quoted(schema)}.{quoted(name)}" for schema, name in objects]

    def comment(self, kind: ObjectKind, schema: str, name: str, said: str) -> list[str]:
        """Returns the statements that say what an object is: none, its SQL says it."""
        return []

    def refusal(self, error: BaseException) -> Diagnostic:
        """Returns a diagnostic for an error of the repository, which is in the same file."""
        return Diagnostic(f"the database says: {str(error).strip().splitlines()[0]}")


def _same(column: str, schema: str) -> str:
    """Compares the name of a schema as DuckDB does: upper and lower case are the same."""
    return f"lower({column}) = lower({text(schema)})"
