"""PostgreSQL: a server that a case runs on, with a connection for each task."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg import errors
from psycopg.adapt import Loader
from psycopg.pq import TransactionStatus

from miningflow.engines.duckdb.engine import DuckDBEngine
from miningflow.engines.engine import ObjectKind
from miningflow.engines.files import text
from miningflow.engines.interrupting import stopping
from miningflow.engines.postgres.address import Address
from miningflow.engines.postgres.errors import mistake_of, plain_errors
from miningflow.engines.postgres.replacing import replacing_function, replacing_view
from miningflow.engines.postgres.session import PostgresSession
from miningflow.engines.postgres.store_kind import POSTGRES
from miningflow.errors import Diagnostic, EngineError

OLDEST = 140000
# Connections that are kept open between two tasks.
IDLE = 4
# Seconds after which one of them is asked whether it still works.
RESTED = 10.0
_KINDS = {"r": "table", "p": "table", "f": "table", "v": "view"}


class _Number(Loader):
    """Reads a numeric, such as a sum of whole numbers, as the other engines give it."""

    def load(self, data: Any) -> int | float:
        written = bytes(data)
        return int(written) if written.lstrip(b"-").isdigit() else float(written)


class PostgresEngine:
    """A database of a PostgreSQL server."""

    dialect = POSTGRES.dialect
    default_schema = POSTGRES.default_schema
    longest_name: int | None = 63
    offers_models = False
    approximates = False
    ignores_case = False
    holds_cases = True

    def __init__(self, address: Address) -> None:
        self.address = address
        self._idle: list[tuple[psycopg.Connection[Any], float]] = []
        self._sessions: set[PostgresSession] = set()
        self._files: DuckDBEngine | None = None
        self._guard = threading.Lock()
        self._interrupted = threading.Event()
        self._holding: psycopg.Connection[Any] | None = None
        self._repository: sa.Engine | None = None
        first = self._connect()
        self._idle.append((first, time.monotonic()))
        if first.info.server_version < OLDEST:
            version = first.info.server_version // 10_000
            first.close()
            message = f"the server is a PostgreSQL {version}"
            raise EngineError(Diagnostic(message, None, f"use {OLDEST // 10_000} or newer"))

    @contextmanager
    def session(self) -> Iterator[PostgresSession]:
        """Opens a separate session."""
        connection = self._taken()
        session = PostgresSession(connection, self._file_engine, self._interrupted.is_set)
        self._sessions.add(session)
        try:
            yield session
        finally:
            self._sessions.discard(session)
            session.close()
            self._give_back(session)

    @contextmanager
    def together(self) -> Iterator[Callable[[str], None]]:
        """Returns a way to run statements in one transaction."""
        with self.session() as session:
            session.execute("BEGIN")
            yield session.execute
            session.execute("COMMIT")

    def repository(self) -> sa.Engine:
        """Returns a SQLAlchemy engine on the same database."""
        if self._repository is None:
            self._repository = sa.create_engine(
                "postgresql+psycopg://",
                creator=lambda: self._connect(autocommit=False),
                pool_pre_ping=True,  # learning may take hours, and networks forget connections
            )
        return self._repository

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Stops what all sessions are running and are about to run, until the context ends."""

        def stop() -> None:
            for session in list(self._sessions):
                with suppress(psycopg.Error):
                    session.connection.cancel_safe(timeout=2)

        with ExitStack() as stack:
            self._interrupted.set()
            stack.callback(self._interrupted.clear)
            if self._files is not None:
                stack.enter_context(self._files.interrupting())
            stack.enter_context(stopping(stop, 0.2))
            yield

    def close(self) -> None:
        """Closes all connections."""
        if self._holding is not None:
            with suppress(psycopg.Error):  # a server notices only later that a connection ended
                self._holding.execute(b"SELECT pg_advisory_unlock_all()")
            self._holding.close()
        for connection, _ in self._idle:
            connection.close()
        if self._repository is not None:
            self._repository.dispose()
        if self._files is not None:
            self._files.close()

    def table_marker(self, table: str, columns: Sequence[str]) -> str:
        """Hashes the given columns as texts, which every type has.

        Numbers of transactions would be cheaper, but a view has none, and the counters of the
        server come late and are lost in a crash.
        """
        names = ", ".join(_name(c) for c in columns)
        with self.session() as session:
            counted = session.rows(
                f"SELECT count(*), sum(CAST(hashtextextended(CAST(ROW({names}) AS text), 0) "
                f"AS numeric)) FROM {table}"
            )
        return f"{counted[0][0]} rows, hash {counted[0][1]}"

    def objects(self, schema: str) -> Mapping[str, str]:
        """Returns the tables and views of a schema: name → 'table', 'view' or another kind."""
        with self.session() as session:
            found = session.rows(
                "SELECT relname, relkind FROM pg_class WHERE relkind IN ('r','p','f','v','m','S') "
                f"AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = {text(schema)})"
            )
        return {name: _KINDS.get(kind, "materialized view or sequence") for name, kind in found}

    def view_definitions(self, schema: str) -> Mapping[str, str]:
        """Returns the views of a schema: name → the SQL that it was made of."""
        with self.session() as session:
            found = session.rows(
                "SELECT c.relname, pg_get_viewdef(c.oid) FROM pg_class c "
                "JOIN pg_namespace n ON n.oid = c.relnamespace "
                f"WHERE c.relkind = 'v' AND n.nspname = {text(schema)}"
            )
        return dict(found)

    def functions(self, schema: str) -> Collection[str]:
        """Names the functions of a schema."""
        with self.session() as session:
            found = session.rows(
                "SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = "
                f"(SELECT oid FROM pg_namespace WHERE nspname = {text(schema)})"
            )
        return {name for (name,) in found}

    def schemas(self) -> Collection[str]:
        """Names the schemas."""
        with self.session() as session:
            return {name for (name,) in session.rows("SELECT nspname FROM pg_namespace")}

    def hold(self, case: str, wait: float) -> None:
        """Keeps others from changing what a case made, by an advisory lock of the database."""
        if self._holding is not None:
            return
        connection = self._connect()
        with plain_errors(lambda: False):
            self._hold(connection, case, wait)

    def _hold(self, connection: psycopg.Connection[Any], case: str, wait: float) -> None:
        marks = f"hashtext('miningflow'), hashtext({text(case)})"
        deadline = time.monotonic() + wait
        while True:
            taken = connection.execute(f"SELECT pg_try_advisory_lock({marks})".encode()).fetchone()
            if taken and taken[0]:
                self._holding = connection
                return
            if time.monotonic() >= deadline:
                break
            time.sleep(0.2)
        holders = connection.execute(
            "SELECT a.application_name, a.usename FROM pg_locks l JOIN pg_stat_activity a "
            "USING (pid) WHERE l.locktype = 'advisory' AND l.granted AND l.database = "
            "(SELECT oid FROM pg_database WHERE datname = current_database()) "
            f"AND (l.classid::bigint, l.objid::bigint) = (SELECT {_unsigned('miningflow')}, "
            f"{_unsigned(case)})".encode()
        ).fetchall()
        connection.close()
        who = f" by {holders[0][0]} (user {holders[0][1]})" if holders else ""
        raise EngineError(
            Diagnostic(
                f"case {case!r} is in use{who}",
                None,
                "wait for it, end it, or let this command wait with `--wait SECONDS`",
            )
        )

    def replacing(self, kind: ObjectKind, schema: str, name: str, statement: str) -> str:
        """Returns a statement that makes an object anew, with other columns if need be."""
        replacing = replacing_function if kind == "function" else replacing_view
        return replacing(schema, name, statement)

    def dropping(self, kind: ObjectKind, objects: Sequence[tuple[str, str]]) -> list[str]:
        """Returns one statement that drops all objects of a kind, in whatever order they need."""
        if not objects:
            return []
        listed = ", ".join(f"{_name(schema)}.{_name(name)}" for schema, name in objects)
        return [f"DROP {kind.upper()} {listed}"]

    def comment(self, kind: ObjectKind, schema: str, name: str, said: str) -> list[str]:
        """Returns the statement that says what an object is."""
        return [f"COMMENT ON {kind.upper()} {_name(schema)}.{_name(name)} IS {text(said)}"]

    def refusal(self, error: BaseException) -> Diagnostic:
        """Returns a diagnostic for an error that SQLAlchemy passed on from the server."""
        return mistake_of(error)

    def _taken(self) -> psycopg.Connection[Any]:
        """Takes a connection that is kept, if it still works, or makes a new one."""
        while True:
            with self._guard:
                if not self._idle:
                    break
                connection, since = self._idle.pop()
            with suppress(psycopg.Error):
                if time.monotonic() - since > RESTED:
                    connection.execute(b"SELECT 1")
                return connection
            connection.close()
        return self._connect()

    def _give_back(self, session: PostgresSession) -> None:
        """Keeps a connection for the next task, as if it were new."""
        connection = session.connection
        with suppress(psycopg.Error):
            if connection.info.transaction_status != TransactionStatus.IDLE:
                connection.execute(b"ROLLBACK")
            if session.has_temporary:
                connection.execute(b"DISCARD TEMP")
            with self._guard:
                if len(self._idle) < IDLE and not self._interrupted.is_set():
                    self._idle.append((connection, time.monotonic()))
                    return
        connection.close()

    def _connect(self, autocommit: bool = True) -> psycopg.Connection[Any]:
        try:
            connection = psycopg.connect(
                autocommit=autocommit, prepare_threshold=None, **self.address.parameters
            )
        except psycopg.Error as error:
            raise EngineError(self._cannot_open(error)) from None
        connection.adapters.register_loader("numeric", _Number)
        return connection

    def _cannot_open(self, error: psycopg.Error) -> Diagnostic:
        lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
        reason = lines[0] if lines else type(error).__name__
        hint = "is the server running, and is the address right?"
        if isinstance(error, errors.InvalidPassword) or "password" in reason:
            hint = "write postgresql://user:${PGPASSWORD}@host/database, and set PGPASSWORD"
        elif "does not exist" in reason:
            hint = "make the database first, for example with `createdb`"
        return Diagnostic(f"cannot open the store {self.address.shown}: {reason}", None, hint)

    def _file_engine(self) -> DuckDBEngine:
        with self._guard:
            if self._files is None:
                self._files = DuckDBEngine(None)
            return self._files


def _unsigned(word: str) -> str:
    return f"(hashtext({text(word)})::bigint & 4294967295)"


def _name(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'
