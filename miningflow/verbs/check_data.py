"""Whether the files, tables and columns of a case exist and have fitting types."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from miningflow import pipeline
from miningflow.engines import Session, open_engine
from miningflow.errors import Diagnostic, MiningFlowError, RunError, listed
from miningflow.read import ConnectionText
from miningflow.read.left_out import left_out
from miningflow.read.yaml_file import text_of
from miningflow.resolve import BoundCase
from miningflow.store.kept_rows import kept_versions
from miningflow.store.opening import Store, needed
from miningflow.store.snapshot import take_snapshot
from miningflow.store.source_checks import check_columns
from miningflow.store.source_columns import columns_of
from miningflow.store.source_files import access_of
from miningflow.store.source_versions import table_columns
from miningflow.store.sources import SourceLocation, find_sources
from miningflow.verbs.source_changes import SourceChanges, source_changes


def data_diagnostics(bound: BoundCase, connection: ConnectionText | None) -> tuple[Diagnostic, ...]:
    """Returns all that is wrong with the sources of a case, and notes of columns that came."""
    found: list[Diagnostic] = []
    try:
        named = needed(bound.case, connection)
        text = text_of(bound.case.path)
        locations, found = find_sources(bound, named)
        with pipeline.reading(bound, named) as store, _session(named, store) as session:
            snapshot = take_snapshot(bound.name, store)
            for name, location in locations.items():
                try:
                    if kept_versions({name: location}, snapshot):
                        continue  # checked when they were given
                except MiningFlowError as error:
                    found += error.diagnostics
                    continue
                found += _source(bound, name, location, text, store, session)
    except MiningFlowError as error:
        found += error.diagnostics
    return tuple(found)


def _source(
    bound: BoundCase,
    name: str,
    location: SourceLocation,
    text: str,
    store: Store | None,
    session: Session,
) -> list[Diagnostic]:
    concept = bound.sources[name]
    try:
        _refuse_absent_table(location, store)
        reader = session.files() if location.is_loaded else session
        columns = columns_of(reader, location)[1]
    except MiningFlowError as error:
        return list(error.diagnostics)
    found: list[Diagnostic] = []
    remedy = f"`miningflow add {shlex.quote(str(bound.case.path))} --refresh`"
    try:
        check_columns(session, concept, location)
    except MiningFlowError as error:
        hint = f"{remedy} adapts the concept"
        found += [
            replace(d, hint="; ".join(filter(None, (d.hint, hint)))) for d in error.diagnostics
        ]
    changes = source_changes(concept, location, columns, left_out(text, name))
    return [*found, *_notes(bound, name, location, changes, remedy)]


def _notes(
    bound: BoundCase, name: str, location: SourceLocation, changes: SourceChanges, remedy: str
) -> Iterator[Diagnostic]:
    """Notes columns that no feature has: one line for each concept, since many are on purpose."""
    if not changes.came:
        return
    what = "a column" if len(changes.came) == 1 else f"{len(changes.came):,} columns"
    message = f"{location.shown} has {what} that {name} does not have: {listed(changes.came, 8)}"
    example = f"# {changes.came[0]} is left out" if len(changes.came) == 1 else ""
    hint = (
        f"{remedy} adds what came; a comment in the concept keeps it out: "
        f"`{example or '# other columns are left out'}`"
    )
    yield Diagnostic(message, bound.case.concepts[name].name.place, hint, "note")


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
