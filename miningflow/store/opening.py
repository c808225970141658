"""The store of a case: its engine, and the repository in it or beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from miningflow.engines import Engine
from miningflow.engines.file_access import NO_FILES, FileAccess
from miningflow.engines.opening import store_kind
from miningflow.engines.store_kind import Location, StoreKind
from miningflow.errors import Diagnostic, EngineError, RunError
from miningflow.names import file_name
from miningflow.nodes import Scalar
from miningflow.read import Case, ConnectionText
from miningflow.store.case_folder import check_database
from miningflow.store.case_lock import lock_case
from miningflow.store.source_files import access_of

if TYPE_CHECKING:
    from miningflow.repository.repository import Repository


@dataclass(frozen=True)
class Store:
    """An open store."""

    url: str
    engine: Engine
    repository: Repository


@contextmanager
def open_store(
    case: Case,
    connection: ConnectionText | None,
    wait: float = 0.0,
    read_only: bool = False,
    alone: bool = True,
    access: FileAccess = NO_FILES,
) -> Iterator[Store]:
    """Opens the store that a connection names, and closes it afterwards.

    With `alone`, nobody else may change what the case made meanwhile; who only reads need not be.
    A store in this process reaches the files of its sources, those of `access`, and no others.
    """
    # a command that opens no store need not load SQLAlchemy
    from miningflow.store.repository_opening import inside, open_repository

    connection = needed(case, connection)
    assert connection.store is not None
    url = connection.store.text
    kind = known_store(connection.store)
    check_address(connection)
    with _placed(connection.store):
        allowed = access | access_of(connection)
        engine = kind.open(url, connection.folder, wait, read_only, allowed)
    try:
        if alone and not read_only:
            with _placed(connection.store):
                if connection.repository is None:
                    inside(engine)
                engine.hold(case.name.text, wait)
        with (
            open_repository(connection, engine, read_only, wait) as repository,
            ExitStack() as stack,
        ):
            if alone and not read_only and not engine.holds_cases:
                with _placed(connection.store):
                    stack.enter_context(lock_case(repository.engine, case.name.text, wait))
            yield Store(kind.shown(url), engine, repository)
    finally:
        engine.close()


def check_address(connection: ConnectionText) -> None:
    """Refuses an address of a store that cannot be opened, or not by a case; opens nothing."""
    if connection.store is None:
        return
    location = _location(connection)
    if not connection.store_given:
        check_database(connection, connection.store, location)


def store_exists(connection: ConnectionText) -> bool:
    """Returns whether there is a store to read; one in memory never is."""
    if connection.store is None:
        return False
    location = _location(connection)
    return location.exists() if isinstance(location, Path) else location == "server"


def in_memory(connection: ConnectionText | None) -> bool:
    """Returns whether what a run makes is gone when it ends."""
    return (
        connection is not None
        and connection.store is not None
        and _location(connection) == "memory"
    )


def known_store(scalar: Scalar) -> StoreKind:
    """Returns the kind of the store that an address in a file names."""
    with _placed(scalar):
        return store_kind(scalar.text)


def connected(case: Case, connection: ConnectionText | None) -> ConnectionText:
    """Returns the connection of a case; one that names no store gets a file in its folder."""
    if connection is not None and connection.store is not None:
        return connection
    place = connection.place if connection is not None else case.name.place
    store = Scalar(f"duckdb:///{file_name(case.name.text)}.miningflow.duckdb", "text", place)
    if connection is not None:
        return replace(connection, store=store)
    folder = case.path.parent
    return ConnectionText(place, folder, store, None, {}, home=folder)


def needed(case: Case, connection: ConnectionText | None) -> ConnectionText:
    """Returns the connection of a case, and refuses one to nothing.

    Without a store, it has one only if it ran on rows that it was given.
    """
    own = connected(case, connection)
    if (connection is None or connection.store is None) and not store_exists(own):
        raise RunError(
            Diagnostic(
                f"case {case.name.text!r} is not connected to a store",
                connection.place if connection else case.name.place,
                "add a `connect:` block with `store: duckdb:///file.duckdb` (or postgresql://…), "
                "name a connection file with `--connect`, or give a run the rows of every concept: "
                "`--source Concept=FILE`, in Python `sources={'Concept': frame}`",
            )
        )
    return own


def refuse_same_stores(connections: Sequence[ConnectionText]) -> None:
    """Refuses two connections to one store."""
    seen: set[str] = set()
    for connection in connections:
        if connection.store is None:
            continue
        url = connection.store.text
        location = _location(connection)
        mark = str(location.resolve()) if isinstance(location, Path) else url
        if mark in seen:
            shown = known_store(connection.store).shown(url)
            raise RunError(
                Diagnostic(f"{shown} is named twice", connection.store.place, "name another")
            )
        seen.add(mark)


@contextmanager
def _placed(scalar: Scalar) -> Iterator[None]:
    """Adds the place of the store's address to errors."""
    try:
        yield
    except EngineError as error:
        diagnostics = [Diagnostic(m.message, scalar.place, m.hint) for m in error.diagnostics]
        raise EngineError(*diagnostics) from None


def _location(connection: ConnectionText) -> Location:
    """Returns where the store of a connection is."""
    assert connection.store is not None
    kind = known_store(connection.store)
    with _placed(connection.store):
        return kind.location(connection.store.text, connection.folder)
