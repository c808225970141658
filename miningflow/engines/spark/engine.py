"""Spark that this process drives: on this machine, or with the executors of a master."""

from __future__ import annotations

import re
import shutil
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from miningflow.engines.duckdb.session import BATCH
from miningflow.engines.engine import Made
from miningflow.engines.spark.address import SparkAddress
from miningflow.engines.spark.folder import FolderCatalog
from miningflow.engines.spark.session import SparkSession
from miningflow.engines.spark.spark_sql import SparkSQL
from miningflow.engines.spark.starting import started
from miningflow.engines.writing import joined

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


class SparkEngine(SparkSQL[DrivenSession]):
    """A Spark whose driver is this process; it starts when it is first needed."""

    def __init__(self, address: SparkAddress) -> None:
        super().__init__(address)
        assert address.warehouse is not None
        self.catalog = _catalog(address.warehouse)
        self._spark: Any = None
        self._open = ExitStack()

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

    def stop_sessions(self) -> None:
        """Stops what all sessions are running."""
        if self._sessions and self._spark is not None:
            with suppress(Exception):
                self._spark.sparkContext.cancelAllJobs()

    def close(self) -> None:
        """Lets go of Spark, which is kept for the next store of this process."""
        self._open.close()
        with suppress(OSError):  # others may be using it
            (self.catalog.folder / _SPOOL).rmdir()
        super().close()

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

    def _driver(self) -> Any:
        with self._guard:
            if self._spark is None:
                self._spark = self._open.enter_context(started(self.address))
                self.catalog.begin(self._spark)
            return self._spark


_catalogs: dict[Path, FolderCatalog] = {}


def _catalog(folder: Path) -> FolderCatalog:
    """Returns the catalog of a folder, one per process."""
    return _catalogs.setdefault(folder, FolderCatalog(folder))
