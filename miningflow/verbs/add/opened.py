"""Opens new tables beside those of a case, each where it is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from miningflow import pipeline
from miningflow.engines.engine import Engine, Session
from miningflow.errors import Diagnostic, RunError
from miningflow.inspect.given_sources import GivenSource
from miningflow.inspect.looking import (
    Inspected,
    check_width,
    inspect_files,
    inspect_table,
    scratch_engine,
)
from miningflow.store.opening import Store
from miningflow.store.source_versions import table_columns
from miningflow.store.sources import SourceLocation, locate_sources
from miningflow.verbs.add.case_files import CaseFiles
from miningflow.verbs.add.existing import Described, described_concept
from miningflow.verbs.add.given import Given, StoreTable, store_tables
from miningflow.verbs.start.converted import as_files


class OpenTables:
    """The store of a case, if it is needed, and a scratch database that reads files."""

    def __init__(self, files: CaseFiles, stack: ExitStack) -> None:
        self.files = files
        self.stack = stack
        located = locate_sources(files.bound, files.connection)
        self.locations = {n: where for n, where in located.items() if where.kept is None}
        self.notes = [
            f"{name} was not looked at: the connection does not say where its rows lie"
            for name in located
            if name not in self.locations
        ]
        """What could not be looked at: rows that only runs were given."""
        self.number = 0
        self._store: tuple[Store | None, Session | None] | None = None

    def store(self) -> Store | None:
        """Opens the store to read it, if it exists."""
        return self._opened_store()[0]

    def added(self, given: Given) -> tuple[list[Inspected], list[str]]:
        """Looks at the new tables; also returns notes on what was left out."""
        sources = self.stack.enter_context(as_files(given.sources))
        sources, notes = _without_known(sources, self.locations)
        for source in sources:
            check_width(source)
        self._scratch([path for source in sources for path in source.paths])
        tables: list[StoreTable] = []
        if given.needs_store:
            locations = list(self.locations.values())
            store = self.store()
            tables, more = store_tables(given, store, self.files.connection, locations)
            notes += more
        found = [inspect_files(*self.scratch, source, self._next()) for source in sources]
        for each in tables:
            source = GivenSource(each.name, each.table)
            session, engine = self._store_session()
            place = (each.schema, each.table)
            found.append(inspect_table(session, engine, source, place, self._next()))
        if not found:
            hint = "if its columns changed, use `--refresh`"
            raise RunError(Diagnostic("; ".join(notes) or "nothing to add", None, hint))
        return found, [*notes, *self.notes]

    def described(self) -> dict[str, Described]:
        """Looks at the tables of the case."""
        found: dict[str, Described] = {}
        for name, location in self.locations.items():
            session, engine = self.reader(location)
            concept = self.files.bound.sources[name]
            number = self._next()
            found[name] = described_concept(
                self.files.bound, concept, location, session, engine, number
            )
        return found

    def reader(self, location: SourceLocation) -> tuple[Session, Engine]:
        """Returns a session that reads a source of the case."""
        if location.table is None:
            return self.scratch
        store = self.store()
        if store is None:
            message = f"there is no table {location.shown!r}: the store does not exist yet"
            raise RunError(Diagnostic(message, location.scalar.place))
        table_columns(location, store)
        return self._store_session()

    def _next(self) -> int:
        self.number += 1
        return self.number

    def _scratch(self, more: Sequence[Path]) -> None:
        own = [path for location in self.locations.values() for path in location.paths]
        engine, _ = self.stack.enter_context(scratch_engine([*own, *more]))
        self.scratch = self.stack.enter_context(engine.session()), engine

    def open_files(self) -> None:
        """Opens the files of the case alone."""
        self._scratch([])

    def _opened_store(self) -> tuple[Store | None, Session | None]:
        if self._store is None:
            reading = pipeline.reading(self.files.bound, self.files.connection)
            store = self.stack.enter_context(reading)
            session = self.stack.enter_context(store.engine.session()) if store else None
            self._store = store, session
        return self._store

    def _store_session(self) -> tuple[Session, Engine]:
        store, session = self._opened_store()
        assert store is not None and session is not None
        return session, store.engine


def _without_known(
    sources: Sequence[GivenSource], locations: dict[str, SourceLocation]
) -> tuple[list[GivenSource], list[str]]:
    """Leaves out files that the case reads already, under the name that they would get."""
    known = {
        path.resolve(): name for name, location in locations.items() for path in location.paths
    }
    found: list[GivenSource] = []
    notes: list[str] = []
    for each in sources:
        concepts = {known.get(path.resolve()) for path in each.paths}
        if concepts == {each.name}:
            notes.append(f"{each.shown} is {each.name} already, and was left out")
        else:
            found.append(each)
    return found, notes
