"""Spark behind a Connect server: the server has the driver, the tables and the catalog."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import reduce
from typing import Any

import pyarrow as pa

from miningflow.engines.duckdb.session import BATCH
from miningflow.engines.engine import Made
from miningflow.engines.spark.address import SparkAddress
from miningflow.engines.spark.errors import spark_mistake
from miningflow.engines.spark.session import SparkSession
from miningflow.engines.spark.spark_sql import SparkSQL
from miningflow.engines.spark.starting import SESSION_SETTINGS
from miningflow.errors import Diagnostic, EngineError

# Values that go to the server in one piece, 32 MB as doubles.
_PIECE = 8 * BATCH
_NO_SCHEMA = "SCHEMA_NOT_FOUND"


class RemoteSession(SparkSession):
    """A session that sends and fetches rows as Arrow."""

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Streams the rows as the server sends them."""
        with self.plain_errors():
            frame = self.query(sql)
            # the stream behind toLocalIterator, which would make an object of every row
            plan = frame._plan.to_proto(self.spark.client)
            for part in self.spark.client.to_table_as_iterator(plan, frame._plan.observations):
                if isinstance(part, pa.Table):
                    yield from part.to_batches()

    def load(self, made: Made, target: str, query: str) -> None:
        """Sends the rows of files to the server, piece by piece."""
        pieces = self._pieces(self.fitted(query))
        with self.plain_errors():
            if made == "table":
                next(pieces).write.saveAsTable(target)
                for piece in pieces:
                    piece.write.insertInto(target)
            else:
                reduce(lambda a, b: a.unionAll(b), pieces).createOrReplaceTempView(target)

    def _pieces(self, query: str) -> Iterator[Any]:
        """Returns data frames, and one without rows if there are none."""
        width = len(self.files().columns(query))
        some: list[pa.RecordBatch] = []
        sent = False
        for batch in self.files().batches(query):
            some.append(batch)
            if width * sum(b.num_rows for b in some) >= _PIECE:
                yield self.frame(pa.Table.from_batches(some))
                some, sent = [], True
        if some:
            yield self.frame(pa.Table.from_batches(some))
        elif not sent:
            yield self.frame(self.files().arrow(query))


class ConnectEngine(SparkSQL[RemoteSession]):
    """A Spark Connect server, used with the catalog that it has."""

    def __init__(self, address: SparkAddress) -> None:
        super().__init__(address)
        with self.session() as session:
            session.rows("SELECT 1")

    @contextmanager
    def session(self) -> Iterator[RemoteSession]:
        """Opens a separate session."""
        session = RemoteSession(self._connected(), self._file_engine, self._interrupted.is_set)
        self._sessions.add(session)
        try:
            yield session
        finally:
            self._sessions.discard(session)
            session.close()
            with suppress(Exception):
                session.spark.stop()

    @contextmanager
    def together(self) -> Iterator[Callable[[str], None]]:
        """Returns a way to run statements one after the other: a server has no transactions."""
        with self.session() as session:
            yield session.execute

    def stop_sessions(self) -> None:
        """Stops what all sessions are running."""
        for session in list(self._sessions):
            with suppress(Exception):
                session.spark.interruptAll()

    def objects(self, schema: str) -> Mapping[str, str]:
        """Returns the tables and views of a schema."""
        listed = self._listed(f"SHOW TABLES IN `{schema}`")
        views = {row[1] for row in self._listed(f"SHOW VIEWS IN `{schema}`")}
        return {row[1]: "view" if row[1] in views else "table" for row in listed if not row[2]}

    def view_definitions(self, schema: str) -> Mapping[str, str]:
        """Returns the views of a schema: name → the statement that makes it."""
        return {
            name: self._listed(f"SHOW CREATE TABLE `{schema}`.`{name}`")[0][0]
            for name, kind in self.objects(schema).items()
            if kind == "view"
        }

    def functions(self, schema: str) -> Collection[str]:
        """Names the functions of a schema."""
        listed = self._listed(f"SHOW USER FUNCTIONS IN `{schema}`")
        return {name.rpartition(".")[2] for (name,) in listed}

    def schemas(self) -> Collection[str]:
        """Names the schemas."""
        with self.session() as session:
            return {row[0] for row in session.rows("SHOW SCHEMAS")}

    def hold(self, case: str, wait: float) -> None:
        """Does nothing: the repository keeps others out."""

    def _listed(self, sql: str) -> list[tuple[Any, ...]]:
        """Asks the catalog; a schema that is not there has nothing in it."""
        with self.session() as session:
            try:
                return session.rows(sql)
            except EngineError as error:
                if _NO_SCHEMA in str(error):
                    return []
                raise

    def _connected(self) -> Any:
        from pyspark.sql.connect.session import SparkSession as Connected

        try:
            settings: dict[str, Any] = {**self.address.settings, **SESSION_SETTINGS}
            return Connected.builder.remote(self.address.master).config(map=settings).create()
        except Exception as error:
            diagnostic = spark_mistake(error)
            message = f"cannot open the store {self.address.shown}: {diagnostic.message}"
            raise EngineError(Diagnostic(message, None, "is it a Spark Connect server?")) from error
