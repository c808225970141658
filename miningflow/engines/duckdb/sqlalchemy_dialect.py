"""A SQLAlchemy dialect for DuckDB: what the repository needs, and no more.

SQLAlchemy expects the cursors of a connection to share its transaction. A DuckDB cursor is another
connection with its own transactions, so cursors are defined here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from types import ModuleType
from typing import Any

import duckdb
import sqlalchemy as sa
from sqlalchemy.engine import default, reflection
from sqlalchemy.pool import NullPool
from sqlalchemy.sql import compiler

from miningflow.engines.duckdb.interrupts import heeding_interrupts

URL = "duckdb+miningflow://"


class DuckDBCursor:
    """A cursor as the Python database API has it; it keeps its rows, since it shares a connection.

    The next statement on a DuckDB connection ends the result of the one before.
    """

    arraysize = 1
    rowcount = -1

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._rows: Iterator[tuple[Any, ...]] = iter(())
        self.description: Sequence[Any] | None = None

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Runs a statement with its parameters."""
        with heeding_interrupts():
            result = self._connection.execute(sql, parameters)
            self.description = result.description
            self._rows = iter(result.fetchall())

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Runs a statement once for each row of parameters."""
        with heeding_interrupts():
            self._connection.executemany(sql, rows)
        self.description = None
        self._rows = iter(())

    def fetchone(self) -> tuple[Any, ...] | None:
        """Returns the next row, or None at the end."""
        return next(self._rows, None)

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        """Returns the next rows."""
        return list(islice(self._rows, size or self.arraysize))

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Returns the remaining rows."""
        return list(self._rows)

    def close(self) -> None:
        """Forgets the rows; the connection stays open."""
        self._rows = iter(())


class DuckDBConnection:
    """A connection in the sense of the Python database API: its cursors share a transaction."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def cursor(self) -> DuckDBCursor:
        """Returns a cursor on this connection."""
        return DuckDBCursor(self._connection)

    def begin(self) -> None:
        """Starts a transaction."""
        self._connection.begin()

    def commit(self) -> None:
        """Commits the transaction."""
        self._connection.commit()

    def rollback(self) -> None:
        """Rolls the transaction back, if there is one: the pool asks without knowing."""
        with suppress(duckdb.TransactionException):
            self._connection.rollback()

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()


class _Names(compiler.IdentifierPreparer):
    """Quotes every name, so that no list of reserved words is needed."""

    def _requires_quotes(self, value: str) -> bool:
        return True


class _Types(compiler.GenericTypeCompiler):
    """Writes the types: a FLOAT of DuckDB has only 32 bits."""

    def visit_FLOAT(self, type_: sa.Float[Any], **_: Any) -> str:
        return "DOUBLE"


class _Bytes(sa.LargeBinary):
    """Passes bytes as they are: the duckdb module has no constructor `Binary`."""

    def bind_processor(self, dialect: sa.Dialect) -> None:
        return None

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> None:
        return None


_COLUMN_TYPES: dict[Any, Any] = {sa.LargeBinary: _Bytes}


class DuckDBDialect(default.DefaultDialect):
    """DuckDB for SQLAlchemy Core: statements, transactions, and which tables exist."""

    name = "duckdb"
    driver = "duckdb"
    preparer = _Names
    type_compiler_cls = _Types
    colspecs = _COLUMN_TYPES
    supports_statement_cache = True
    supports_sane_rowcount = False
    supports_sane_multi_rowcount = False
    supports_native_boolean = True
    supports_multivalues_insert = True
    # one INSERT for many rows takes half the time of one per row; SQLAlchemy wants both
    use_insertmanyvalues = True
    use_insertmanyvalues_wo_returning = True

    @classmethod
    def import_dbapi(cls) -> ModuleType:
        """Returns the module that defines the errors."""
        module: ModuleType = duckdb
        return module

    def do_begin(self, dbapi_connection: Any) -> None:
        """Starts a transaction: DuckDB commits each statement otherwise."""
        dbapi_connection.begin()

    @reflection.cache
    def get_table_names(
        self, connection: sa.Connection, schema: str | None = None, **_: Any
    ) -> list[str]:
        """Names the tables of a schema."""
        asked = sa.text(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() "
            "AND schema_name = coalesce(:schema, current_schema())"
        )
        return list(connection.execute(asked, {"schema": schema}).scalars())

    def has_table(
        self, connection: sa.Connection, table_name: str, schema: str | None = None, **kw: Any
    ) -> bool:
        """Returns whether a table exists."""
        return table_name in self.get_table_names(connection, schema, **kw)


def repository_engine(connection: duckdb.DuckDBPyConnection) -> sa.Engine:
    """Returns a SQLAlchemy engine whose connections are cursors of an open DuckDB."""
    return sa.create_engine(
        URL,
        creator=lambda: DuckDBConnection(connection.cursor()),
        poolclass=NullPool,
        pool_reset_on_return=None,  # closing a cursor ends its transaction
    )


# a driver's name, so that another package's dialect "duckdb" stays what it is
sa.dialects.registry.register("duckdb.miningflow", __name__, DuckDBDialect.__name__)
