"""An engine on Spark: what is alike whether this process drives it or a server does."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Generic, TypeVar

import sqlalchemy as sa

from miningflow.engines.duckdb.engine import DuckDBEngine
from miningflow.engines.engine import ObjectKind
from miningflow.engines.interrupting import stopping
from miningflow.engines.spark.address import SparkAddress
from miningflow.engines.spark.errors import spark_mistake
from miningflow.engines.spark.session import SparkSession
from miningflow.engines.spark.starting import refuse_absent
from miningflow.engines.spark.store_kind import SPARK
from miningflow.errors import Diagnostic

S = TypeVar("S", bound=SparkSession)


class SparkSQL(Generic[S]):
    """What Spark SQL is to MiningFlow; how sessions are opened and objects listed differs."""

    dialect = SPARK.dialect
    default_schema = SPARK.default_schema
    longest_name: int | None = None
    offers_models = False
    approximates = True
    ignores_case = True
    holds_cases = False

    def __init__(self, address: SparkAddress) -> None:
        refuse_absent(address)
        self.address = address
        self._files: DuckDBEngine | None = None
        self._guard = threading.Lock()
        self._interrupted = threading.Event()
        self._sessions: set[S] = set()

    def session(self) -> AbstractContextManager[S]:
        """Opens a separate session."""
        raise NotImplementedError

    def stop_sessions(self) -> None:
        """Stops what all sessions are running."""
        raise NotImplementedError

    def repository(self) -> sa.Engine | None:
        """Returns none: Spark changes no rows."""
        return None

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Stops what all sessions are running and are about to run, until the context ends."""
        with ExitStack() as stack:
            self._interrupted.set()
            stack.callback(self._interrupted.clear)
            if self._files is not None:
                stack.enter_context(self._files.interrupting())
            stack.enter_context(stopping(self.stop_sessions, 0.2))
            yield

    def close(self) -> None:
        """Closes what is open in this process."""
        if self._files is not None:
            self._files.close()

    def table_marker(self, table: str, columns: Sequence[str]) -> str:
        """Hashes the given columns; the hash itself passes over NULL, and row order is ignored."""
        with self.session() as session:
            names = [session.quoted(c) for c in columns]
            hashed = ", ".join(part for name in names for part in (name, f"{name} IS NULL"))
            counted = session.rows(
                f"SELECT count(*), sum(CAST(xxhash64({hashed}) AS DECIMAL(38, 0))) FROM {table}"
            )
        return f"{counted[0][0]} rows, hash {counted[0][1]}"

    def replacing(self, kind: ObjectKind, schema: str, name: str, statement: str) -> str:
        """Returns the statement itself: Spark replaces whatever was there."""
        return statement

    def dropping(self, kind: ObjectKind, objects: Sequence[tuple[str, str]]) -> list[str]:
        """Returns the statements that drop objects; after a crash some may be gone already."""
        return [f"DROP {kind.upper()} IF EXISTS `{schema}`.`{name}`" for schema, name in objects]

    def comment(self, kind: ObjectKind, schema: str, name: str, said: str) -> list[str]:
        """Returns the statements that say what an object is: none, its SQL says it."""
        return []

    def refusal(self, error: BaseException) -> Diagnostic:
        """Returns what went wrong."""
        return spark_mistake(error)

    def _file_engine(self) -> DuckDBEngine:
        with self._guard:
            if self._files is None:
                self._files = DuckDBEngine(None)
            return self._files
