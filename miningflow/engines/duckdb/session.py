"""A session on DuckDB: a cursor that reads, writes and streams rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from miningflow.engines.duckdb.column_casts import column_cast
from miningflow.engines.duckdb.errors import plain_errors
from miningflow.engines.duckdb.kernels import kernel_function
from miningflow.engines.duckdb.key_casts import KEY_CASTS
from miningflow.engines.engine import Family, Made, T, TypeFamily
from miningflow.engines.files import text
from miningflow.engines.key_types import KeyType
from miningflow.engines.statements import watched
from miningflow.errors import EngineError
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
_ARRIVING = "rows that arrive"


class DuckDBSession:
    """A cursor on the store."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, spares: bool = False) -> None:
        self._cursor = cursor
        self._spares = spares

    def execute(self, sql: str) -> None:
        """Runs a statement."""
        with plain_errors(), watched(sql):
            self._cursor.execute(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Runs a query and fetches its rows."""
        with plain_errors(), watched(sql) as statement:
            found = self._cursor.execute(sql).fetchall()
            statement.rows = len(found)
        return found

    def arrow(self, sql: str) -> pa.Table:
        """Runs a query and fetches its rows as Arrow."""
        with plain_errors(), watched(sql) as statement:
            found = self._cursor.sql(sql).to_arrow_table()
            statement.rows = found.num_rows
        return found

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Runs a query and streams its rows, so that memory stays flat."""
        with plain_errors(), watched(sql) as statement:
            relation = self._cursor.sql(sql)
            statement.rows = 0
            for batch in relation.to_arrow_reader(max(1, BATCH // len(relation.columns))):
                statement.rows += batch.num_rows
                yield batch

    def columns(self, sql: str) -> dict[str, str]:
        """Returns the names and types of a query's columns without running it."""
        return {row[0]: row[1] for row in self.rows(f"DESCRIBE {sql}")}

    def write(self, sql: str, path: Path) -> int:
        """Writes the rows of a query to a Parquet or CSV file; returns their number."""
        form = "csv" if path.suffix == ".csv" else "parquet"
        with plain_errors():
            size = max(2048, min(ROW_GROUP, 4 * BATCH // max(1, len(self.columns(sql)))))
            parquet = f"FORMAT parquet, ROW_GROUP_SIZE {size}"
            options = "FORMAT csv, HEADER true" if form == "csv" else parquet
            copied = f"COPY ({sql}) TO {text(str(path))} ({options})"
            with watched(copied) as statement:
                statement.rows = int(self._cursor.execute(copied).fetchall()[0][0])
            return statement.rows

    def register(self, name: str, data: pa.Table) -> None:
        """Makes an Arrow table readable by name in this session."""
        with plain_errors():
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
        return quoted(name)

    def typed(self, column: str, sql_type: str, family: Family) -> str:
        """Casts a column, so that it has the same type in every source."""
        return column_cast(quoted(column), sql_type, self.family(sql_type), family)

    def key(self, tree: str, sql_type: str, wanted: KeyType) -> str | None:
        """Reads an expression as a key, NULL where a value does not fit; None: it never does."""
        return KEY_CASTS.cast(tree, sql_type, self.family(sql_type), wanted)

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
            self.execute(f"CREATE TABLE {target} AS SELECT * FROM {quoted(_ARRIVING)}")
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
        return self._within([MB_PER_THREAD], work)

    def frugal(self, work: Callable[[], T], share: float = 1.0) -> T:
        """Does some work in little memory, and again in more if that is not enough."""
        if not self._spares:
            return work()
        first = round(share * MB_PER_THREAD)
        return self._within(sorted({first, MB_PER_THREAD, 4 * MB_PER_THREAD}), work)

    def _within(self, limits: Sequence[int], work: Callable[[], T]) -> T:
        """Tries limits one after the other, in megabytes for each thread, and then none."""
        threads = self.rows("SELECT current_setting('threads')")[0][0]
        try:
            for limit in limits:
                try:
                    self.execute(f"SET memory_limit = '{limit * max(2, threads)}MB'")
                    return work()
                except EngineError as error:
                    if not isinstance(error.__cause__, duckdb.OutOfMemoryException):
                        raise
        finally:
            self.execute("RESET memory_limit")
            if duckdb.__version__.startswith("1."):  # it shows the limit, but does not raise it
                shown = self.rows("SELECT current_setting('memory_limit')")[0][0]
                self.execute(f"SET memory_limit = '{shown}'")
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


def quoted(name: str) -> str:
    """Writes a name in quotes."""
    return '"' + name.replace('"', '""') + '"'
