"""The store of a case: its engine, and the repository in it or beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from miningflow.engines import Engine, open_engine
from miningflow.engines.opening import shown_url, store_folder, store_path
from miningflow.errors import EngineError, Mistake, RunError
from miningflow.read import Case, ConnectionText
from miningflow.read.nodes import Scalar
from miningflow.repository import Repository
from miningflow.run.holding import held


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
) -> Iterator[Store]:
    """Opens the store that a connection names, and closes it afterwards.

    With `alone`, nobody else may change what the case made meanwhile; who only reads need not be.
    """
    connection = needed(case, connection)
    assert connection.store is not None
    url = connection.store.text
    with _placed(connection.store):
        reached = _file_of(url, connection.folder) or store_folder(url, connection.folder)
    if not connection.store_given:
        check_inside(connection, connection.store, reached)
    with _placed(connection.store):
        engine = open_engine(url, connection.folder, wait, read_only)
    try:
        if alone and not read_only:
            with _placed(connection.store):
                if connection.repository is None:
                    _inside(engine)
                engine.hold(case.name.text, wait)
        with _repository(connection, engine, read_only, wait) as repository, ExitStack() as stack:
            if alone and not read_only and not engine.holds_cases:
                with _placed(connection.store):
                    stack.enter_context(held(repository.engine, case.name.text, wait))
            yield Store(shown_url(url), engine, repository)
    finally:
        engine.close()


def store_exists(connection: ConnectionText) -> bool:
    """Says whether there is a store to read; one in memory never is."""
    if connection.store is None:
        return False
    url = connection.store.text
    with _placed(connection.store):
        path = _file_of(url, connection.folder) or store_folder(url, connection.folder)
    return path.exists() if path is not None else not url.startswith("duckdb:")


def needed(case: Case, connection: ConnectionText | None) -> ConnectionText:
    """Refuses a case that is connected to nothing."""
    if connection is None or connection.store is None:
        raise RunError(
            Mistake(
                f"case {case.name.text!r} is not connected to a store",
                connection.place if connection else case.name.place,
                "add a `connect:` block with `store: duckdb:///file.duckdb` (or postgresql://…), "
                "or name a connection file with `--connect`",
            )
        )
    return connection


def refuse_same_stores(connections: Sequence[ConnectionText]) -> None:
    """Refuses two connections to one store."""
    seen: set[str] = set()
    for connection in connections:
        if connection.store is None:
            continue
        url = connection.store.text
        file = _file_of(url, connection.folder)
        mark = str(file.resolve()) if file is not None else url
        if mark in seen:
            raise RunError(
                Mistake(f"{shown_url(url)} is named twice", connection.store.place, "name another")
            )
        seen.add(mark)


def check_inside(connection: ConnectionText, scalar: Scalar, path: Path | None) -> None:
    """Refuses a case whose own `connect:` block reaches outside its folder.

    A case is shared and run by others; a connection file is written by the one who runs it.
    """
    if not connection.inside_case or path is None:
        return
    try:
        meant = path.resolve()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(Mistake(f"this is no path: {reason}", scalar.place)) from None
    if not meant.is_relative_to(connection.folder.resolve()):
        raise RunError(
            Mistake(
                f"{scalar.text!r} lies outside the folder of the case",
                scalar.place,
                "a case may only reach into its own folder; "
                "put this into a connection file and name it with `--connect`",
            )
        )


@contextmanager
def _placed(scalar: Scalar) -> Iterator[None]:
    """Says of mistakes where the address of the store stands."""
    try:
        yield
    except EngineError as error:
        mistakes = [Mistake(m.message, scalar.place, m.hint) for m in error.mistakes]
        raise EngineError(*mistakes) from None


def _file_of(url: str, folder: Path) -> Path | None:
    kind, _, rest = url.partition("://")
    return store_path(rest, folder) if kind in ("duckdb", "sqlite") else None


def _inside(engine: Engine) -> sa.Engine:
    """Gives the store itself as the place of the repository, if it can be."""
    inside = engine.repository()
    if inside is None:
        raise EngineError(
            Mistake(
                "this store cannot hold the repository",
                None,
                "name another database: add `repository: sqlite:///repository.db` "
                "(or duckdb:///…, postgresql://…) to the connection",
            )
        )
    return inside


@contextmanager
def _repository(
    connection: ConnectionText, engine: Engine, read_only: bool, wait: float
) -> Iterator[Repository]:
    """Opens the repository, and closes it afterwards if it lies elsewhere."""
    assert connection.store is not None
    place = (connection.repository or connection.store).place
    with ExitStack() as stack:
        try:
            repository = _opened_repository(connection, engine, read_only, wait, stack)
        except EngineError as error:
            mistakes = [Mistake(m.message, m.place or place, m.hint) for m in error.mistakes]
            raise EngineError(*mistakes) from None
        yield repository


def _opened_repository(
    connection: ConnectionText, engine: Engine, read_only: bool, wait: float, stack: ExitStack
) -> Repository:
    if connection.repository is None:
        inside = _inside(engine)
        return Repository(inside, in_store=True, read_only=read_only)
    url = connection.repository.text
    path = _file_of(url, connection.folder)
    check_inside(connection, connection.repository, path)
    if path is not None and not path.exists() and read_only:
        # reading must not make the file: an empty one in memory knows as little
        url = "sqlite://"
    elif url.startswith("duckdb://"):
        file = open_engine(url, connection.folder, wait, read_only)
        stack.callback(file.close)
        outside = file.repository()
        assert outside is not None
        return Repository(outside, in_store=False, read_only=read_only)
    elif url.startswith("sqlite://") and path is not None:
        url = f"sqlite:///{path}"
    elif url.startswith(("postgresql://", "postgres://")):
        url = f"postgresql+psycopg://{url.partition('://')[2]}"
    try:
        outside = sa.create_engine(url)
        stack.callback(outside.dispose)
        return Repository(outside, in_store=False, read_only=read_only)
    except (sa.exc.SQLAlchemyError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise EngineError(
            Mistake(f"cannot open the repository: {reason}", connection.repository.place)
        ) from None
