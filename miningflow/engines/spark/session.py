"""A session on Spark: what is alike whether this process drives it or a server does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from miningflow.engines.duckdb.engine import DuckDBEngine
from miningflow.engines.duckdb.session import DuckDBSession
from miningflow.engines.engine import Family, Made, T, TypeFamily
from miningflow.engines.key_types import KeyType
from miningflow.engines.spark.column_casts import column_cast
from miningflow.engines.spark.errors import plain_errors
from miningflow.engines.spark.key_casts import key_cast
from miningflow.engines.statements import watched
from miningflow.engines.writing import written
from miningflow.learn.kernels import KernelModel

_ARRIVING = "rows that arrive"
_NUMBERS = re.compile(r"(tiny|small|big)?int|decimal\(\d+,0\)")
# Types of files that Spark does not read, or reads as something else.
_FITTED = (
    (re.compile(r"U(TINY|SMALL)?INT(EGER)?"), "BIGINT"),
    (re.compile(r"U?(BIG|HUGE)INT"), "DECIMAL(38, 0)"),
    (re.compile(r"UUID|ENUM.*"), "VARCHAR"),
    (re.compile(r"TIMESTAMP.*|TIME.*"), "TIMESTAMP"),
)


class SparkSession:
    """A session of Spark SQL, with separate temporary views."""

    def __init__(
        self,
        spark: Any,
        file_engine: Callable[[], DuckDBEngine],
        interrupted: Callable[[], bool],
    ) -> None:
        self.spark = spark
        self._file_engine = file_engine
        self._interrupted = interrupted
        self._files: DuckDBSession | None = None
        self.stack = ExitStack()

    def close(self) -> None:
        """Returns up what belongs to the session alone."""
        with suppress(Exception):
            self.stack.close()

    def query(self, sql: str) -> Any:
        """Returns a data frame; a statement that is no query is run at once."""
        return self.spark.sql(sql)

    def execute(self, sql: str) -> None:
        """Runs a statement."""
        with self.plain_errors(), watched(sql):
            self.query(sql)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Runs a query and fetches its rows."""
        with self.plain_errors(), watched(sql) as statement:
            found = [tuple(map(_plain, row)) for row in self.query(sql).collect()]
            statement.rows = len(found)
        return found

    def arrow(self, sql: str) -> pa.Table:
        """Runs a query and fetches its rows as Arrow."""
        with self.plain_errors(), watched(sql) as statement:
            found = self.query(sql).toArrow()
            statement.rows = found.num_rows
        return found

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Runs a query and streams its rows, so that memory stays flat."""
        raise NotImplementedError

    def columns(self, sql: str) -> dict[str, str]:
        """Returns the names and types of a query's columns without running it."""
        with self.plain_errors():
            fields = self.query(sql).schema.fields
            return {field.name: field.dataType.simpleString() for field in fields}

    def write(self, sql: str, path: Path) -> int:
        """Writes the rows of a query to a Parquet or CSV file, through DuckDB in this process."""
        with self.plain_errors():
            schema = self.query(f"SELECT * FROM ({sql}) AS none LIMIT 0").toArrow().schema
        return written(self.batches(sql), schema, path)

    def register(self, name: str, data: pa.Table) -> None:
        """Makes an Arrow table readable by name in this session."""
        with self.plain_errors():
            self.frame(data).createOrReplaceTempView(self.quoted(name))

    def frame(self, data: pa.Table) -> Any:
        """Makes a data frame; Spark itself finds no types where there are no rows."""
        from pyspark.sql.pandas.types import from_arrow_schema

        schema = from_arrow_schema(data.schema, prefer_timestamp_ntz=True)
        return self.spark.createDataFrame(data, schema=schema)

    def family(self, sql_type: str) -> TypeFamily:
        """Returns the family of a column type."""
        if _NUMBERS.fullmatch(sql_type):
            return "number"
        if sql_type in ("float", "double") or sql_type.startswith("decimal"):
            return "fraction"
        if sql_type.startswith(("string", "varchar", "char")):
            return "text"
        if sql_type in ("date", "timestamp", "timestamp_ntz"):
            return "time"
        return "truth" if sql_type == "boolean" else "other"

    def quoted(self, name: str) -> str:
        """Writes a name in quotes."""
        return "`" + name.replace("`", "``") + "`"

    def typed(self, column: str, sql_type: str, family: Family) -> str:
        """Casts a column, so that it has the same type in every source."""
        return column_cast(self.quoted(column), sql_type, self.family(sql_type), family)

    def key(self, tree: str, sql_type: str, wanted: KeyType) -> str | None:
        """Reads an expression as a key, NULL where a value does not fit; None: it never does."""
        return key_cast(tree, sql_type, self.family(sql_type), wanted)

    def files(self) -> DuckDBSession:
        """Returns a session of DuckDB in this process, which reads files."""
        if self._files is None:
            self._files = self.stack.enter_context(self._file_engine().session())
        return self._files

    def load(self, made: Made, target: str, query: str) -> None:
        """Makes a table of a query over files, or a view if that is enough."""
        raise NotImplementedError

    def fill(self, target: str, rows: pa.RecordBatchReader) -> None:
        """Makes a table of rows that come in batches, by way of DuckDB in this process."""
        files = self.files()
        files.register(_ARRIVING, rows)
        self.load("table", target, f"SELECT * FROM {files.quoted(_ARRIVING)}")

    def keep(self, target: str, query: str) -> None:
        """Computes a query once, and keeps its rows in Spark's cache."""
        self.execute(f"CACHE TABLE {target} AS {query}")
        self.stack.callback(self.spark.sql, f"UNCACHE TABLE IF EXISTS {target}")

    def sparing(self, sql: str, work: Callable[[], T]) -> T:
        """Does some work with a query: the memory of executors is not ours."""
        return work()

    def frugal(self, work: Callable[[], T], share: float = 1.0) -> T:
        """Does some work: the memory of executors is not ours."""
        return work()

    def settle(self, table: str) -> None:
        """Does nothing: Spark knows how large new files are."""

    @contextmanager
    def offering(self, models: Mapping[str, KernelModel]) -> Iterator[None]:
        """Lets nothing be called: executors cannot reach this process."""
        assert not models, "the engine says that it offers no models"
        yield

    def fitted(self, query: str) -> str:
        """Casts what files hold to types that Spark has."""
        shown = []
        for name, sql_type in self.files().columns(query).items():
            column = self.files().quoted(name)
            kind = next((to for known, to in _FITTED if known.fullmatch(sql_type)), None)
            wanted = kind if kind is not None and sql_type != "BIGINT" else None
            shown.append(f"CAST({column} AS {wanted}) AS {column}" if wanted else column)
        return f"SELECT {', '.join(shown)} FROM ({query}) AS given"

    def plain_errors(self) -> Any:
        """Turns errors of Spark into mistakes."""
        return plain_errors(self._interrupted)


def _plain(value: Any) -> Any:
    """Returns a decimal, such as a sum of whole numbers, as the other engines give it."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value
