"""Freezes a case: takes what was learned from the store, and looks where its sources are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from miningflow.compile import Missing, Names, compile_bound, published_builds, score_script
from miningflow.compile.gc_paused import gc_paused
from miningflow.declare.concept import Concept
from miningflow.engines.column_names import matching_columns
from miningflow.engines.csv_header import Header, csv_header
from miningflow.engines.engine import FileError, Session
from miningflow.engines.files import files_query
from miningflow.engines.key_types import KeyType, key_type
from miningflow.errors import CompileError, Diagnostic, RunError
from miningflow.export.frozen import ExportRequest, FrozenCase
from miningflow.export.lineage import PublishedRuns
from miningflow.export.sources import DataFiles, KeyKind, RawKind, SourceData
from miningflow.names import file_name
from miningflow.plan import Builds, layout
from miningflow.read import ConnectionText
from miningflow.repository import StepRecord
from miningflow.resolve import BoundCase
from miningflow.sql.dialect import render
from miningflow.store.file_or_table import given_name
from miningflow.store.opening import Store, known_store
from miningflow.store.source_columns import columns_of
from miningflow.store.source_versions import table_columns
from miningflow.store.sources import SourceLocation, parse_table
from miningflow.store.stored_builds import stored_builds

RUN_FIRST = "run the case first: `miningflow run`"


def freeze_case(
    bound: BoundCase,
    store: Store | None,
    locations: Mapping[str, SourceLocation],
    folder: Path,
    request: ExportRequest,
) -> FrozenCase:
    """Collects what an export is made of; whatever has not run yet is a mistake.

    Files of sources are named as they are seen from `folder`.
    """
    if store is None:
        message = f"case {bound.name!r} has not run yet, so nothing was learned"
        raise CompileError(Diagnostic(message, bound.case.name.place, RUN_FIRST))
    stored = stored_builds(bound.name, store.repository)
    changed = published_builds(bound, stored).changed
    if changed:
        raise CompileError(*(_not_run(bound, name, why) for name, why in changed.items()))
    built = layout(bound)
    fused = request.form == "script"
    with gc_paused():
        compiled = compile_bound(bound, stored, built if fused else _apart(bound, built))
    if compiled.missing:
        raise CompileError(*(_not_run(bound, n, why) for n, why in compiled.missing.items()))
    with store.engine.session() as session:
        sources = {
            name: _source(
                concept,
                locations[name],
                folder,
                store,
                session,
                _keys(concept, bound.name, store, session),
            )
            for name, concept in bound.sources.items()
        }
    score = score_script(bound, compiled.pieces, bound.scoring) if bound.scoring else None
    return FrozenCase(bound, request, compiled.pieces, sources, built, score)


def published_runs(
    bound: BoundCase,
    connection: ConnectionText,
    store: Store,
    locations: Mapping[str, SourceLocation],
) -> PublishedRuns:
    """Asks the repository which builds are published, and when their runs ended."""
    records = [r for r in store.repository.builds(bound.name) if r.status == "published"]
    runs = store.repository.runs(bound.name, most=None)
    ended = {run.run: run.ended or run.started for run in runs}
    files = {
        name: tuple(str(path.resolve()) for path in where.paths)
        for name, where in locations.items()
    }
    assert connection.store is not None, "a store is open"
    kind = known_store(connection.store)
    names = kind.lineage_names(connection.store.text, connection.folder)
    given = {r.step: place for r in records if (place := _given(r, bound, store, names))}
    return PublishedRuns(*names, {r.step: r for r in records}, ended, files, given)


def _given(
    record: StepRecord, bound: BoundCase, store: Store, names: tuple[str, str]
) -> tuple[str, str] | None:
    """Names what the run was given that built a source, if the connection did not say it."""
    parameters = record.built.recipe.parameters
    where = str(parameters.get("location"))
    match parameters.get("given"):
        case "frame":
            return "frame", f"{bound.name}.{record.step}"
        case "file":
            return "file", where
        case "table":
            table = parse_table(given_name(where), store.engine.default_schema)
            return names[0], f"{names[1]}{table.db}.{table.name}"
        case _:
            return None


def data_home(locations: Mapping[str, SourceLocation], otherwise: Path) -> Path:
    """Returns the folder that all files of sources lie in, however deep."""
    folders = [path.resolve().parent for found in locations.values() for path in found.paths]
    return Path(os.path.commonpath(folders)) if folders else otherwise


def data_folder(folder: Path, output: Path) -> str | None:
    """Returns the path from an exported folder to that of the data; None if that makes no sense.

    If two folders share only the root, the path would reveal where they are on this machine.
    """
    there, here = folder.resolve(), output.resolve()
    together = Path(os.path.commonpath([there, here]))
    if len(together.parts) < 2 or together == Path.home():
        return None
    return Path(os.path.relpath(there, here)).as_posix()


def data_files(
    bound: BoundCase, locations: Mapping[str, SourceLocation], folder: Path
) -> dict[str, Path]:
    """Returns all files of sources: their names in the folder of the data → where they are."""
    return {
        _file_name(path, name, folder): path
        for name in bound.sources
        for path in locations[name].paths
    }


def _apart(bound: BoundCase, built: Mapping[str, Builds]) -> dict[str, Builds]:
    """Returns the layout in which every step that a case names has its own SELECT."""
    return {
        name: "inline" if bound.steps[name].hidden else "view" if kind == "inline" else kind
        for name, kind in built.items()
    }


def _not_run(bound: BoundCase, name: str, why: Missing) -> Diagnostic:
    step = bound.steps.get(name)
    place = step.place() if step else bound.case.concepts[name].name.place
    what = f"step {step.written_name!r}" if step else f"concept {name!r}"
    return Diagnostic(f"{what} {why}", place, RUN_FIRST)


def _source(
    concept: Concept,
    location: SourceLocation,
    folder: Path,
    store: Store,
    session: Session,
    keys: Mapping[str, KeyKind],
) -> SourceData:
    recast = frozenset(location.read_as)
    if location.table is not None:
        types = table_columns(location, store)
        columns = _exact(concept, location, list(types))
        raw = _raw_kinds(columns, types, session)
        return SourceData(concept, "table", columns, keys, location.table, raw=raw, recast=recast)
    if location.kept is not None:  # lineage only: an export is refused before
        return SourceData(concept, "frame", {}, keys)
    names = {path: _file_name(path, concept.name, folder) for path in location.paths}
    numbered = location.numbered
    if ".parquet" in [s.lower() for s in location.paths[0].suffixes]:
        files = session.files()
        _, types = columns_of(files, location)
        columns = _exact(concept, location, list(types))
        raw = _raw_kinds(columns, types, files)
        whole = (DataFiles(tuple(names.values())),)
        return SourceData(concept, "parquet", columns, keys, None, whole, numbered, raw, recast)
    if location.csv_reading.given:
        options = ", ".join(f"`{option}`" for option in location.csv_reading.given)
        raise CompileError(
            Diagnostic(
                f"an export cannot read {location.shown} with {options}",
                location.scalar.place,
                "convert the file to Parquet or to a plain CSV file first",
            )
        )
    alike: dict[Header, list[str]] = {}
    for path, name in names.items():
        alike.setdefault(_header(path, location), []).append(name)
    parts = tuple(DataFiles(tuple(n), h.columns, h.delimiter) for h, n in alike.items())
    columns = _exact(concept, location, [name for header in alike for name in header.columns])
    zoned = _zoned_times(concept, columns, location, session.files())
    return SourceData(concept, "csv", columns, keys, None, parts, numbered, zoned)


def _zoned_times(
    concept: Concept, columns: Mapping[str, str], location: SourceLocation, files: Session
) -> dict[str, RawKind]:
    """Finds the times of CSV files that have a time zone."""
    times = [feature.name for feature in concept.of_type("time")]
    if not times:
        return {}
    zoned = [
        f"coalesce(bool_or({location.csv_reading.is_zoned(files.quoted(columns[name]))}), false)"
        for name in times
    ]
    relation = files_query(location.paths, location.delimiter)
    found = files.rows(f"SELECT {', '.join(zoned)} FROM {relation}")[0]
    return {name: "zoned" for name, is_zoned in zip(times, found, strict=True) if is_zoned}


def _raw_kinds(
    columns: Mapping[str, str], types: Mapping[str, str], session: Session
) -> dict[str, RawKind]:
    found: dict[str, RawKind] = {}
    for feature, column in columns.items():
        kind = types.get(column, "")
        if "TIME ZONE" in kind.upper():
            found[feature] = "zoned"
        elif kind and session.family(kind) == "fraction":
            found[feature] = "fraction"
        elif kind and session.family(kind) == "truth":
            found[feature] = "truth"
    return found


def _header(path: Path, location: SourceLocation) -> Header:
    try:
        return csv_header(path, location.delimiter)
    except FileError as error:
        diagnostics = [
            Diagnostic(m.message, location.scalar.place, m.hint) for m in error.diagnostics
        ]
        raise RunError(*diagnostics) from None


def _exact(concept: Concept, location: SourceLocation, there: Sequence[str]) -> dict[str, str]:
    """Finds the columns of features as they are written, which people need not do."""
    wanted = {feature: location.column(feature) for feature in concept.features}
    return {f: next(iter(matching_columns(n, there)), n) for f, n in wanted.items()}


def _keys(concept: Concept, case: str, store: Store, session: Session) -> dict[str, KeyKind]:
    """Asks the store for the types of the keys of a source, which files do not have."""
    shown = render(Names(case).public(concept.name), store.engine.dialect)
    there = session.columns(f"SELECT * FROM {shown}")
    types = {name.casefold(): kind for name, kind in there.items()}  # DuckDB keeps the table's
    kinds: dict[KeyType | None, KeyKind] = {
        "integer": "whole",
        "text": "text",
        "date": "date",
        "timestamp": "time",
    }
    return {
        f.name: kinds[key_type(session, types[f.name.casefold()])] for f in concept.of_type("key")
    }


def _file_name(path: Path, concept: str, folder: Path) -> str:
    """Returns the place of a file below the data; one from elsewhere gets a separate folder."""
    try:
        return path.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return f"{file_name(concept)}/{path.name}"
