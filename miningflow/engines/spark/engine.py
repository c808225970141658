"""Spark that this process drives: on this machine, or with the executors of a master."""

from __future__ import annotations

import re
import shutil
import threading
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import sqlalchemy as sa

from miningflow.engines.duckdb.engine import DuckDBEngine
from miningflow.engines.duckdb.session import BATCH
from miningflow.engines.engine import Made, ObjectKind
from miningflow.engines.interrupting import stopping
from miningflow.engines.spark.address import SparkAddress
from miningflow.engines.spark.errors import spark_mistake
from miningflow.engines.spark.folder import FolderCatalog
from miningflow.engines.spark.session import SparkSession
from miningflow.engines.spark.starting import refuse_absent, started
from miningflow.engines.spark.store_kind import SPARK
from miningflow.engines.writing import joined
from miningflow.errors import Diagnostic

_TABLE = re.compile(r"`(?P<schema>\w+)`\.`(?P<name>\w+)`")
_SPOOL = "_spool"
# Bytes of one piece of a spooled file, which are held in memory.
_ROW_GROUP = 8 * 1024 * 1024


class DrivenSession(SparkSession):
    """A session whose tables and spooled rows lie in a folder that executors see, too."""

    def __init__(self, catalog: FolderCatalog, *given: Any) -> None:
        super().__init__(*given)
        self.catalog = catalog

    def query(self, sql: str) -> Any:
        """Returns a data frame; a statement that is no query is run at once."""
        self.catalog.tell(sql, self.spark.sql)
        found = self.spark.sql(sql)
        self.catalog.take(sql)
        return found

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Lets executors write the rows to files, and streams these."""
        with self._spooled(sql) as folder:
            for path in sorted(folder.glob("*.parquet")):
                with pq.ParquetFile(path, pre_buffer=False) as file:
                    size = max(1, BATCH // max(1, len(file.schema_arrow)))
                    for batch in file.iter_batches(size):
                        yield batch.replace_schema_metadata(None)

    def write(self, sql: str, path: Path) -> int:
        """Lets executors write the rows to files, which DuckDB makes one of."""
        with self._spooled(sql) as folder:
            return joined(sorted(folder.glob("*.parquet")), path)

    def load(self, made: Made, target: str, query: str) -> None:
        """Makes a table of a query over files, which DuckDB writes as Spark reads it."""
        table = _TABLE.fullmatch(target) if made == "table" else None
        if table is not None:
            with self.catalog.making(table["schema"].lower(), table["name"].lower()) as aside:
                self.files().write(self.fitted(query), aside / "part-00000.parquet")
            return
        folder = self._spool()
        folder.mkdir(parents=True)
        self.stack.callback(shutil.rmtree, folder, ignore_errors=True)
        self.files().write(self.fitted(query), folder / "part-00000.parquet")
        with self.plain_errors():
            self.spark.read.parquet(folder.as_uri()).createOrReplaceTempView(target)

    @contextmanager
    def _spooled(self, sql: str) -> Iterator[Path]:
        """Returns a folder with the rows of a query in files."""
        folder = self._spool()
        try:
            with self.plain_errors():
                writer = self.query(sql).write.option("parquet.block.size", _ROW_GROUP)
                writer.parquet(folder.as_uri())
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _spool(self) -> Path:
        return self.catalog.folder / _SPOOL / uuid.uuid4().hex


class SparkEngine:
    """A Spark whose driver is this process; it starts when it is first needed."""

    dialect = SPARK.dialect
    default_schema = SPARK.default_schema
    longest_name: int | None = None
    offers_models = False
    approximates = True
    ignores_case = True
    holds_cases = False

    def __init__(self, address: SparkAddress) -> None:
        refuse_absent(address)
        assert address.warehouse is not None
        self.address = address
        self.catalog = _catalog(address.warehouse)
        self._files: DuckDBEngine | None = None
        self._spark: Any = None
        self._open = ExitStack()
        self._guard = threading.Lock()
        self._interrupted = threading.Event()
        self._sessions: set[SparkSession] = set()

    @contextmanager
    def session(self) -> Iterator[DrivenSession]:
        """Opens a separate session."""
        session = DrivenSession(
            self.catalog, self._driver().newSession(), self._file_engine, self._interrupted.is_set
        )
        self._sessions.add(session)
        try:
            yield session
        finally:
            self._sessions.discard(session)
            session.close()

    @contextmanager
    def together(self) -> Iterator[Callable[[str], None]]:
        """Returns a way to run statements: views are seen all at once, and old tables go last."""
        with self.session() as session, self.catalog.together(session.execute) as execute:
            yield execute

    def repository(self) -> sa.Engine | None:
        """Returns none: Spark changes no rows."""
        return None

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Stops what all sessions are running and are about to run, until the context ends."""

        def stop() -> None:
            if self._sessions and self._spark is not None:
                with suppress(Exception):
                    self._spark.sparkContext.cancelAllJobs()

        with ExitStack() as stack:
            self._interrupted.set()
            stack.callback(self._interrupted.clear)
            if self._files is not None:
                stack.enter_context(self._files.interrupting())
            stack.enter_context(stopping(stop, 0.2))
            yield

    def close(self) -> None:
        """Lets go of Spark, which is kept for the next store of this process."""
        self._open.close()
        with suppress(OSError):  # others may be using it
            (self.catalog.folder / _SPOOL).rmdir()
        if self._files is not None:
            self._files.close()

    def table_marker(self, table: str, columns: Sequence[str]) -> str:
        """Hashes the given columns; the hash itself passes over NULL."""
        with self.session() as session:
            return table_marker(session, table, columns)

    def objects(self, schema: str) -> Mapping[str, str]:
        """Returns the tables and views of a schema, without starting Spark."""
        return self.catalog.objects(schema)

    def view_definitions(self, schema: str) -> Mapping[str, str]:
        """Returns the views of a schema: name → the statement that made it."""
        return self.catalog.view_definitions(schema)

    def functions(self, schema: str) -> Collection[str]:
        """Names the functions of a schema."""
        return self.catalog.functions(schema)

    def schemas(self) -> Collection[str]:
        """Names the schemas."""
        return self.catalog.schemas()

    def hold(self, case: str, wait: float) -> None:
        """Starts Spark, so that a failure to start is reported before anything is done."""
        self._driver()

    def replacing(self, kind: ObjectKind, schema: str, name: str, statement: str) -> str:
        """Returns the statement itself: Spark replaces whatever was there."""
        return statement

    def dropping(self, kind: ObjectKind, objects: Sequence[tuple[str, str]]) -> list[str]:
        """Returns the statements that drop objects of one kind."""
        return dropping(kind, objects)

    def comment(self, kind: ObjectKind, schema: str, name: str, said: str) -> list[str]:
        """Returns the statements that say what an object is: none, its SQL says it."""
        return []

    def refusal(self, error: BaseException) -> Diagnostic:
        """Returns what went wrong."""
        return spark_mistake(error)

    def _driver(self) -> Any:
        with self._guard:
            if self._spark is None:
                self._spark = self._open.enter_context(started(self.address))
                self.catalog.begin(self._spark)
            return self._spark

    def _file_engine(self) -> DuckDBEngine:
        with self._guard:
            if self._files is None:
                self._files = DuckDBEngine(None)
            return self._files


def table_marker(session: SparkSession, table: str, columns: Sequence[str]) -> str:
    """Returns a text that changes with the given columns of a table; row order is ignored."""
    names = [session.quoted(c) for c in columns]
    hashed = ", ".join(part for name in names for part in (name, f"{name} IS NULL"))
    counted = session.rows(
        f"SELECT count(*), sum(CAST(xxhash64({hashed}) AS DECIMAL(38, 0))) FROM {table}"
    )
    return f"{counted[0][0]} rows, hash {counted[0][1]}"


def dropping(kind: ObjectKind, objects: Sequence[tuple[str, str]]) -> list[str]:
    """Returns the statements that drop objects; what a crash left may be gone from the catalog."""
    return [f"DROP {kind.upper()} IF EXISTS `{schema}`.`{name}`" for schema, name in objects]


_catalogs: dict[Path, FolderCatalog] = {}


def _catalog(folder: Path) -> FolderCatalog:
    """Returns the catalog of a folder, one per process."""
    return _catalogs.setdefault(folder, FolderCatalog(folder))
