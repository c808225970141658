"""What the rest asks of a database: sessions that run SQL, and facts about tables and files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Literal, Protocol

import pyarrow as pa
import sqlalchemy as sa

from miningflow.errors import EngineError
from miningflow.learn.kernels import KernelModel

TypeFamily = Literal["number", "fraction", "text", "time", "truth", "other"]
"""What a column type can stand for; a number is whole, a fraction is not."""


class FileError(EngineError):
    """A data file is missing, unreadable or holds values that do not fit."""


class Session(Protocol):
    """One connection for one task."""

    def execute(self, sql: str) -> None:
        """Runs a statement."""
        ...

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Runs a query and fetches its rows."""
        ...

    def arrow(self, sql: str) -> pa.Table:
        """Runs a query and fetches its rows as Arrow."""
        ...

    def batches(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Runs a query and streams its rows, so that memory stays flat."""
        ...

    def columns(self, sql: str) -> dict[str, str]:
        """Tells the names and types of a query's columns without running it."""
        ...

    def write(self, sql: str, path: Path) -> int:
        """Writes the rows of a query to a Parquet or CSV file; gives their number."""
        ...

    def register(self, name: str, data: pa.Table) -> None:
        """Makes an Arrow table readable by name in this session."""
        ...

    def offering(self, models: Mapping[str, KernelModel]) -> AbstractContextManager[None]:
        """Lets SQL call kernel models by name: from a list of inputs to a list of decisions."""
        ...


class Engine(Protocol):
    """A database that a case runs on."""

    dialect: str

    def session(self) -> AbstractContextManager[Session]:
        """Opens a session of its own."""
        ...

    def repository(self) -> sa.Engine:
        """Gives a SQLAlchemy engine on the same store."""
        ...

    def interrupt(self) -> None:
        """Stops what all sessions are running."""
        ...

    def close(self) -> None:
        """Closes the store."""
        ...

    def family(self, sql_type: str) -> TypeFamily:
        """Says what a column type can stand for."""
        ...

    def files_query(self, paths: Sequence[Path], delimiter: str | None) -> str:
        """Gives a table expression that reads files; CSV values come as text."""
        ...

    def table_marker(self, table: str, columns: Sequence[str]) -> str:
        """Gives a text that changes when the given columns of a table change."""
        ...

    def objects(self, schema: str) -> Mapping[str, str]:
        """Tells the tables and views of a schema: name → 'table' or 'view'."""
        ...

    def functions(self, schema: str) -> Collection[str]:
        """Names the functions of a schema."""
        ...

    def drop_function(self, schema: str, name: str) -> str:
        """Gives the statement that drops a function."""
        ...
