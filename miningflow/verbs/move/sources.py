"""Copies the rows of a case's sources from one store to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
from sqlglot import exp

from miningflow.compile import Names
from miningflow.declare.concept import Concept
from miningflow.engines import Session
from miningflow.errors import Diagnostic, RunError
from miningflow.html.page import FrameHtml
from miningflow.resolve import BoundCase
from miningflow.run.events import Event, Listener
from miningflow.run.report import Report
from miningflow.sql.dialect import DIALECTS, render
from miningflow.sql.literals import column
from miningflow.store.opening import Store
from miningflow.store.snapshot import take_snapshot
from miningflow.store.source_checks import check_source
from miningflow.store.sources import SourceLocation
from miningflow.verbs.verify.row_comparison import compare_rows, ordered_query

if TYPE_CHECKING:
    import pandas as pd

Happened = Literal["copied", "already there", "kept", "loaded from files"]


@dataclass(frozen=True)
class MovedSource:
    """What became of the rows of a source concept."""

    concept: str
    location: str
    happened: Happened
    rows: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Returns it as plain data for programs."""
        return vars(self)


@dataclass(frozen=True)
class Moved(FrameHtml):
    """The result of moving a case."""

    source: str
    target: str
    sources: tuple[MovedSource, ...]
    learned: tuple[str, ...]
    """The steps whose learned artifacts were taken over."""
    report: Report

    def as_json(self) -> dict[str, Any]:
        """Returns it as plain data for programs."""
        return {
            "from": self.source,
            "to": self.target,
            "sources": [source.as_json() for source in self.sources],
            "learned": list(self.learned),
            "run": self.report.as_json(),
        }

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each source: what became of its rows."""
        import pandas as pd

        columns = ["concept", "location", "happened", "rows"]
        rows = [source.as_json() for source in self.sources]
        return pd.DataFrame(rows, columns=columns).astype({"rows": "Int64"})


def move_sources(
    bound: BoundCase,
    source: Store,
    target: Store,
    locations: Mapping[str, SourceLocation],
    keep: bool,
    listener: Listener,
) -> tuple[MovedSource, ...]:
    """Copies the rows of sources that are tables and do not exist on the target yet.

    All are checked before the first is copied. With `keep`, existing tables keep their rows;
    otherwise their rows must be the same.
    """
    shown = take_snapshot(bound.name, source).public
    diagnostics = [
        m for name in locations if (m := _obstacle(name, locations, shown, source, target))
    ]
    if diagnostics:
        raise RunError(*diagnostics)
    found = []
    for name, location in locations.items():
        listener(Event("started", name, "moves"))
        moved = _moved(bound.sources[name], bound.name, source, target, location, keep)
        found.append(moved)
        listener(Event("finished", name, moved.happened, rows=moved.rows))
    return tuple(found)


def _obstacle(
    name: str,
    locations: Mapping[str, SourceLocation],
    shown: Mapping[str, str],
    source: Store,
    target: Store,
) -> Diagnostic | None:
    """Returns why the rows of a source cannot be moved, before anything has changed."""
    location = locations[name]
    if name not in shown:
        message = f"the rows of {name!r} are not on {source.url}"
        return Diagnostic(message, location.scalar.place, "run the case there first")
    if location.table is not None and location.table.db not in target.engine.schemas():
        message = f"{target.url} has no schema {location.table.db!r} for {location.shown!r}"
        return Diagnostic(message, location.scalar.place, "create it first; nothing was changed")
    return None


def _moved(
    concept: Concept,
    case: str,
    source: Store,
    target: Store,
    location: SourceLocation,
    keep: bool,
) -> MovedSource:
    if location.table is None:
        return MovedSource(concept.name, location.shown, "loaded from files")
    table = Names(case).public(concept.name)
    is_there = _has_table(target, location.table)
    if is_there and keep:
        return MovedSource(concept.name, location.shown, "kept")
    with source.engine.session() as reading, target.engine.session() as writing:
        if is_there:
            rows = _same_rows(concept, (source, reading, table), (target, writing), location)
            return MovedSource(concept.name, location.shown, "already there", rows)
        rows = _copied(concept, source, reading, table, location, target, writing)
    return MovedSource(concept.name, location.shown, "copied", rows)


def _has_table(store: Store, table: exp.Table) -> bool:
    """Returns whether a store has a table, regardless of case where it ignores case."""
    there = store.engine.objects(table.db)
    if not DIALECTS[store.engine.dialect].folds_case:
        return table.name in there
    return table.name.casefold() in {name.casefold() for name in there}


def _copied(
    concept: Concept,
    source: Store,
    reading: Session,
    table: exp.Table,
    location: SourceLocation,
    target: Store,
    writing: Session,
) -> int:
    query = exp.Select(
        expressions=[
            exp.Alias(
                this=column(name), alias=exp.to_identifier(location.column(name), quoted=True)
            )
            for name in concept.features
        ],
        from_=exp.From(this=table),
    )
    sql = render(query, source.engine.dialect)
    batches = reading.batches(sql)
    first = next(batches, None)
    schema = reading.arrow(sql).schema if first is None else first.schema
    rows = chain([] if first is None else [first], batches)
    assert location.table is not None
    name = render(location.table, target.engine.dialect)
    writing.fill(name, pa.RecordBatchReader.from_batches(schema, rows))
    return int(writing.rows(f"SELECT count(*) FROM {name}")[0][0])


def _same_rows(
    concept: Concept,
    source: tuple[Store, Session, exp.Table],
    target: tuple[Store, Session],
    location: SourceLocation,
) -> int:
    """Counts the rows of a table that exists on the target, if they are those of the source."""
    store, reading, table = source
    there, writing = target
    raw = check_source(writing, concept, location, may_be_empty=True)
    mark = f"moved {concept.name}"
    named = exp.Table(this=exp.to_identifier(mark, quoted=True))
    query = ordered_query(concept, named, there.engine.dialect)
    read = f"WITH {render(named.copy(), there.engine.dialect)} AS ({raw.query}) {query}"
    compared = compare_rows(
        concept,
        (reading, ordered_query(concept, table, store.engine.dialect)),
        (writing, read),
    )
    if compared.differing:
        raise RunError(
            Diagnostic(
                f"table {location.shown!r} on {there.url} does not have the rows of {store.url}: "
                f"{compared.differing:,} differ",
                location.scalar.place,
                "to keep its rows, use `--keep-rows`; to replace them, drop that table "
                "first; nothing was changed there",
            )
        )
    return compared.rows
