"""Opens the repository: in the store, or in another database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import sqlalchemy as sa

from miningflow.engines import Engine
from miningflow.engines.file_access import NO_FILES
from miningflow.engines.opening import find_store_kind
from miningflow.errors import Diagnostic, EngineError
from miningflow.nodes import Scalar
from miningflow.read import ConnectionText
from miningflow.repository.repository import Repository
from miningflow.store.case_folder import check_database
from miningflow.store.sqlite_repository import open_sqlite, sqlite_location


def inside(engine: Engine) -> sa.Engine:
    """Returns the store as the database of the repository, and refuses one that cannot hold it."""
    database = engine.repository()
    if database is None:
        raise EngineError(
            Diagnostic(
                "this store cannot hold the repository",
                None,
                "name another database: add `repository: sqlite:///repository.db` "
                "(or duckdb:///…, postgresql://…) to the connection",
            )
        )
    return database


@contextmanager
def open_repository(
    connection: ConnectionText, engine: Engine, read_only: bool, wait: float
) -> Iterator[Repository]:
    """Opens the repository, and closes it afterwards if it is in another database."""
    assert connection.store is not None
    place = (connection.repository or connection.store).place
    with ExitStack() as stack:
        try:
            repository = _opened_repository(connection, engine, read_only, wait, stack)
        except EngineError as error:
            diagnostics = [
                Diagnostic(m.message, m.place or place, m.hint) for m in error.diagnostics
            ]
            raise EngineError(*diagnostics) from None
        yield repository


def _opened_repository(
    connection: ConnectionText, engine: Engine, read_only: bool, wait: float, stack: ExitStack
) -> Repository:
    if connection.repository is None:
        return Repository(inside(engine), in_store=True, read_only=read_only)
    try:
        outside = _elsewhere(connection, connection.repository, read_only, wait, stack)
        return Repository(outside, in_store=False, read_only=read_only)
    except (sa.exc.SQLAlchemyError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise EngineError(
            Diagnostic(f"cannot open the repository: {reason}", connection.repository.place)
        ) from None


def _elsewhere(
    connection: ConnectionText, scalar: Scalar, read_only: bool, wait: float, stack: ExitStack
) -> sa.Engine:
    """Opens another database for the repository: a kind of store, or an SQLite file."""
    kind = find_store_kind(scalar.text)
    if kind is None:
        location = sqlite_location(scalar.text, connection.folder)
    else:
        location = kind.location(scalar.text, connection.folder)
    check_database(connection, scalar, location)
    if read_only and isinstance(location, Path) and not location.exists():
        # reading must not make the file: an empty one in memory knows as little
        kind, location = None, "memory"
    if kind is None:
        return open_sqlite(location, stack)
    other = kind.open(scalar.text, connection.folder, wait, read_only, NO_FILES)
    stack.callback(other.close)
    return inside(other)
