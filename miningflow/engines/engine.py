"""What the rest asks of a database: sessions that run SQL, and facts about tables and files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from miningflow.engines.key_types import KeyType
from miningflow.errors import Diagnostic, EngineError

if TYPE_CHECKING:  # asking for an engine loads no database
    import pyarrow as pa
    import sqlalchemy as sa

    from miningflow.learn.kernels import KernelModel

T = TypeVar("T")
TypeFamily = Literal["number", "fraction", "text", "time", "truth", "other"]
"""What a column type can stand for; a number is whole, a fraction is not."""

Family = Literal["numeric", "text", "time"]
"""What columns of sources are cast to."""
Made = Literal["table", "temp table", "temp view"]
ObjectKind = Literal["view", "table", "function"]


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
        """Returns the names and types of a query's columns without running it."""
        ...

    def write(self, sql: str, path: Path) -> int:
        """Writes the rows of a query to a Parquet or CSV file; returns their number."""
        ...

    def register(self, name: str, data: pa.Table) -> None:
        """Makes an Arrow table readable by name in this session."""
        ...

    def family(self, sql_type: str) -> TypeFamily:
        """Returns the family of a column type."""
        ...

    def quoted(self, name: str) -> str:
        """Writes a name in quotes."""
        ...

    def typed(self, column: str, sql_type: str, family: Family) -> str:
        """Casts a column, so that it has the same type in every source."""
        ...

    def key(self, tree: str, sql_type: str, wanted: KeyType) -> str | None:
        """Reads an expression as a key, NULL where a value does not fit; None: it never does."""
        ...

    def files(self) -> Session:
        """Returns the session that reads files: this one, or one of DuckDB in this process."""
        ...

    def load(self, made: Made, target: str, query: str) -> None:
        """Makes a table of a query over files, or a view if that is enough."""
        ...

    def fill(self, target: str, rows: pa.RecordBatchReader) -> None:
        """Makes a table of rows that come in batches, so that memory stays flat."""
        ...

    def keep(self, target: str, query: str) -> None:
        """Computes a query once, for this session alone."""
        ...

    def sparing(self, sql: str, work: Callable[[], T]) -> T:
        """Does some work with a query, in little memory if the query only passes rows on."""
        ...

    def frugal(self, work: Callable[[], T], share: float = 1.0) -> T:
        """Does some work in little memory of this process, or in more if that is not enough.

        It begins with a share of the memory that is usual.
        """
        ...

    def settle(self, table: str) -> None:
        """Lets the engine look at a new table, so that it plans well."""
        ...

    def offering(self, models: Mapping[str, KernelModel]) -> AbstractContextManager[None]:
        """Lets SQL call kernel models by name: from a list of inputs to a list of decisions."""
        ...


class Engine(Protocol):
    """A database that a case runs on."""

    dialect: str
    default_schema: str
    """Where a table is that is named without a schema."""
    longest_name: int | None
    """How many bytes a name may have."""
    offers_models: bool
    """Whether SQL can call models of this process."""
    ignores_case: bool
    """Whether names of schemas that differ only in upper and lower case are one."""
    holds_cases: bool
    """Whether `hold` keeps others out; if not, the repository does."""
    approximates: bool
    """Whether it can estimate distinct values and quantiles."""

    def session(self) -> AbstractContextManager[Session]:
        """Opens a separate session."""
        ...

    def together(self) -> AbstractContextManager[Callable[[str], None]]:
        """Returns a way to run statements that are seen all at once, if the engine can do that."""
        ...

    def repository(self) -> sa.Engine | None:
        """Returns a SQLAlchemy engine on the same store; None if a repository cannot lie there."""
        ...

    def interrupting(self) -> AbstractContextManager[None]:
        """Stops what all sessions are running and are about to run, until the context ends."""
        ...

    def close(self) -> None:
        """Closes the store."""
        ...

    def table_marker(self, table: str, columns: Sequence[str]) -> str:
        """Returns a text that changes when the given columns of a table change."""
        ...

    def objects(self, schema: str) -> Mapping[str, str]:
        """Returns the tables and views of a schema: name → 'table' or 'view'."""
        ...

    def view_definitions(self, schema: str) -> Mapping[str, str]:
        """Returns the views of a schema: name → the SQL that it was made of."""
        ...

    def functions(self, schema: str) -> Collection[str]:
        """Names the functions of a schema."""
        ...

    def schemas(self) -> Collection[str]:
        """Names the schemas."""
        ...

    def hold(self, case: str, wait: float) -> None:
        """Keeps others from changing what a case made until the store is closed."""
        ...

    def replacing(self, kind: ObjectKind, schema: str, name: str, statement: str) -> str:
        """Returns a statement that makes an object anew, even where CREATE OR REPLACE cannot."""
        ...

    def dropping(self, kind: ObjectKind, objects: Sequence[tuple[str, str]]) -> list[str]:
        """Returns the statements that drop objects of one kind, which may read each other."""
        ...

    def comment(self, kind: ObjectKind, schema: str, name: str, said: str) -> list[str]:
        """Returns the statements that say what an object is, to whoever looks at the database."""
        ...

    def refusal(self, error: BaseException) -> Diagnostic:
        """Returns a diagnostic for an error that SQLAlchemy passed on."""
        ...
