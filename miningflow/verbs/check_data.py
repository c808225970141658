"""Whether the files, tables and columns of a case exist and have fitting types; reads no rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from miningflow import pipeline
from miningflow.engines import Session, open_engine
from miningflow.errors import Diagnostic, MiningFlowError, RunError
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase
from miningflow.store.kept_rows import kept_versions
from miningflow.store.opening import Store, needed
from miningflow.store.snapshot import take_snapshot
from miningflow.store.source_checks import check_columns
from miningflow.store.source_files import access_of
from miningflow.store.source_versions import table_columns
from miningflow.store.sources import SourceLocation, find_sources


def data_diagnostics(bound: BoundCase, connection: ConnectionText | None) -> tuple[Diagnostic, ...]:
    """Returns all that is wrong with the sources of a case."""
    found: list[Diagnostic] = []
    try:
        named = needed(bound.case, connection)
        locations, found = find_sources(bound, named)
        with pipeline.reading(bound, named) as store, _session(named, store) as session:
            snapshot = take_snapshot(bound.name, store)
            for name, location in locations.items():
                try:
                    if kept_versions({name: location}, snapshot):
                        continue  # checked when they were given
                    _refuse_absent_table(location, store)
                    check_columns(session, bound.sources[name], location)
                except MiningFlowError as error:
                    found += error.diagnostics
    except MiningFlowError as error:
        found += error.diagnostics
    return tuple(found)


@contextmanager
def _session(connection: ConnectionText, store: Store | None) -> Iterator[Session]:
    """Opens a session of the store, or one that reads files where there is no store yet."""
    if store is not None:
        with store.engine.session() as session:
            yield session
        return
    access = access_of(connection)
    engine = open_engine("duckdb:///:memory:", connection.folder, access=access)
    try:
        with engine.session() as session:
            yield session
    finally:
        engine.close()


def _refuse_absent_table(location: SourceLocation, store: Store | None) -> None:
    if location.table is None:
        return
    if store is None:
        message = f"there is no table {location.shown!r}: the store does not exist yet"
        raise RunError(Diagnostic(message, location.scalar.place))
    table_columns(location, store)
