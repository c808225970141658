"""The database of the repository: its tables, transactions and retries."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import sqlalchemy as sa

from miningflow.errors import Diagnostic, EngineError
from miningflow.repository.tables import FORMAT, SCHEMA, tables

Result = TypeVar("Result")

_TRIES = 5


class Database:
    """The tables of one repository, which each of its sections reads and writes."""

    def __init__(self, engine: sa.Engine, in_store: bool, read_only: bool = False) -> None:
        self.engine = engine
        self.in_store = in_store
        schema = None if engine.dialect.name == "sqlite" else SCHEMA
        self._t = tables(schema)
        self._lock = threading.RLock()
        self._deferred: dict[sa.Table, list[dict[str, Any]]] = {}
        self.empty = False
        self.read_only = read_only
        self._again(lambda connection: self._prepare(schema, connection))

    def _prepare(self, schema: str | None, connection: sa.Connection) -> None:
        there = set(sa.inspect(connection).get_table_names(schema=schema))
        known = self._t.about.name in there
        self._missing = {t.name for t in self._t.metadata.sorted_tables} - there
        if not known and self.read_only:
            self.empty = True
            return
        if not known:
            if schema is not None:
                connection.execute(sa.schema.CreateSchema(schema, if_not_exists=True))
            self._t.metadata.create_all(connection, checkfirst=bool(there))
            self._missing = set()
            connection.execute(self._t.about.insert(), {"name": "format", "value": str(FORMAT)})
        elif self._missing and not self.read_only:  # an earlier MiningFlow made it
            self._t.metadata.create_all(connection)
            self._missing = set()
        self._check_format(connection)

    def _check_format(self, connection: sa.Connection) -> None:
        """Refuses another format; a repository cut off while it was made gets its format now."""
        about = self._t.about
        found = connection.execute(sa.select(about.c.value).where(about.c.name == "format"))
        formats = found.scalars().all()
        if not formats and not self._is_used(connection):
            if self.read_only:
                self.empty = True
            else:
                connection.execute(about.insert(), {"name": "format", "value": str(FORMAT)})
            return
        if formats != [str(FORMAT)]:
            shown = formats[0] if len(formats) == 1 else "unknown"
            raise EngineError(
                Diagnostic(
                    f"the repository has format {str(shown)[:40]}; this MiningFlow reads {FORMAT}",
                    None,
                    "use the MiningFlow that made it, or another store",
                )
            )

    def _is_used(self, connection: sa.Connection) -> bool:
        """Returns whether a run was ever recorded."""
        if self._t.runs.name in self._missing:
            return False
        return connection.execute(sa.select(self._t.runs.c.run).limit(1)).first() is not None

    def transaction(self) -> Any:
        """Opens one transaction for several changes."""
        return self.engine.begin()

    def write_deferred(self) -> None:
        """Writes the entries that were deferred, in one transaction."""
        with self._lock:
            deferred, self._deferred = self._deferred, {}
            if deferred:
                with self._begin() as connection:
                    for table, entries in deferred.items():
                        connection.execute(table.insert(), entries)

    def _defer(self, table: sa.Table, entry: dict[str, Any]) -> None:
        """Keeps an entry until the next one that must be written at once."""
        with self._lock:
            self._deferred.setdefault(table, []).append(entry)

    @contextmanager
    def _begin(self) -> Iterator[sa.Connection]:
        """Opens a transaction; turns what the database refuses into an error for people."""
        try:
            with self.engine.begin() as connection:
                yield connection
        except sa.exc.DBAPIError as error:
            reason = str(error.orig).strip().splitlines()[0]
            hint = "check that the database is running and that you may write to it"
            if isinstance(error, sa.exc.ProgrammingError):
                hint = (
                    "check that you may write to it, and that others put nothing into it; "
                    "otherwise use another store"
                )
            raise EngineError(
                Diagnostic(
                    f"cannot use the repository: {reason}",
                    None,
                    f"{hint}; published results are unchanged",
                )
            ) from error

    def _again(self, write: Callable[[sa.Connection], Result]) -> Result:
        """Runs a transaction; repeats it if another process wrote the same at the same time."""
        for _ in range(_TRIES - 1):
            try:
                with self._lock, self.engine.begin() as connection:
                    return write(connection)
            except (sa.exc.IntegrityError, sa.exc.ProgrammingError):
                time.sleep(random.uniform(0, 0.1))
            except sa.exc.DBAPIError:
                break
        with self._lock, self._begin() as connection:
            return write(connection)


def now() -> datetime:
    """Returns the time in UTC without a zone, as the tables keep it."""
    return datetime.now(UTC).replace(tzinfo=None)
