"""Freezes a case: takes what was learned from the store, and looks where its sources are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from miningflow.compile import Names, score_script
from miningflow.compile.uncollected import uncollected
from miningflow.declare.concept import Concept
from miningflow.engines.csv_header import Header, csv_header
from miningflow.engines.engine import FileError, Session
from miningflow.engines.files import files_query
from miningflow.errors import CompileError, Mistake, RunError
from miningflow.export.frozen import ExportRequest, FrozenCase
from miningflow.export.lineage import PublishedRuns
from miningflow.export.sources import DataFiles, KeyKind, RawKind, SourceData
from miningflow.plan import Builds, layout
from miningflow.read.names import file_name
from miningflow.resolve import BoundCase
from miningflow.run import SourceLocation, Store, frozen_pieces
from miningflow.run.frozen import published_builds
from miningflow.run.sources import table_columns
from miningflow.sql.dialect import render

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
        raise CompileError(Mistake(message, bound.case.name.place, RUN_FIRST))
    changed = published_builds(bound, store.repository).changed
    if changed:
        raise CompileError(*(_not_run(bound, name, why) for name, why in changed.items()))
    built = layout(bound)
    fused = request.form == "script"
    with uncollected():
        compiled = frozen_pieces(bound, store.repository, built if fused else _apart(bound, built))
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


def published_runs(bound: BoundCase, store: Store) -> PublishedRuns:
    """Asks the repository which builds are published, and when their runs ended."""
    records = [r for r in store.repository.builds(bound.name) if r.status == "published"]
    runs = store.repository.runs(bound.name, most=max((r.run for r in records), default=1))
    ended = {int(run["run"]): run["ended"] or run["started"] for run in runs}
    return PublishedRuns(store.url, {r.step: r for r in records}, ended)


def data_home(locations: Mapping[str, SourceLocation], otherwise: Path) -> Path:
    """Gives the folder that all files of sources lie in, however deep."""
    folders = [path.resolve().parent for found in locations.values() for path in found.paths]
    return Path(os.path.commonpath(folders)) if folders else otherwise


def data_folder(folder: Path, output: Path) -> str | None:
    """Names the folder of the data as seen from an exported one; None if that makes no sense.

    Two folders that have nothing but the root in common would tell where they are on this machine.
    """
    there, here = folder.resolve(), output.resolve()
    together = Path(os.path.commonpath([there, here]))
    if len(together.parts) < 2 or together == Path.home():
        return None
    return Path(os.path.relpath(there, here)).as_posix()


def data_files(
    bound: BoundCase, locations: Mapping[str, SourceLocation], folder: Path
) -> dict[str, Path]:
    """Gives all files of sources: their names in the folder of the data → where they are."""
    return {
        _file_name(path, name, folder): path
        for name in bound.sources
        for path in locations[name].paths
    }


def _apart(bound: BoundCase, built: Mapping[str, Builds]) -> dict[str, Builds]:
    """Gives every step that a person can name a SELECT of its own."""
    return {
        name: "inline" if bound.steps[name].hidden else "view" if kind == "inline" else kind
        for name, kind in built.items()
    }


def _not_run(bound: BoundCase, name: str, why: str) -> Mistake:
    step = bound.steps.get(name)
    place = step.place() if step else bound.case.concepts[name].name.place
    what = "step" if step else "concept"
    return Mistake(f"{what} {name.partition('[')[0]!r} {why}", place, RUN_FIRST)


def _source(
    concept: Concept,
    location: SourceLocation,
    folder: Path,
    store: Store,
    session: Session,
    keys: Mapping[str, KeyKind],
) -> SourceData:
    if location.table is not None:
        types = table_columns(location, store)
        columns = _exact(concept, location, list(types))
        raw = _raw_kinds(columns, types, session)
        return SourceData(concept, "table", columns, keys, location.table, raw=raw)
    names = {path: _file_name(path, concept.name, folder) for path in location.paths}
    numbered = location.numbered
    if ".parquet" in [s.lower() for s in location.paths[0].suffixes]:
        files = session.files()
        types = files.columns(f"SELECT * FROM {files_query(location.paths, None)}")
        columns = _exact(concept, location, list(types))
        raw = _raw_kinds(columns, types, files)
        whole = (DataFiles(tuple(names.values())),)
        return SourceData(concept, "parquet", columns, keys, None, whole, numbered, raw)
    alike: dict[Header, list[str]] = {}
    for path, name in names.items():
        alike.setdefault(_header(path, location), []).append(name)
    parts = tuple(DataFiles(tuple(n), h.columns, h.delimiter) for h, n in alike.items())
    columns = _exact(concept, location, [name for header in alike for name in header.columns])
    return SourceData(concept, "csv", columns, keys, None, parts, numbered)


def _raw_kinds(
    columns: Mapping[str, str], types: Mapping[str, str], session: Session
) -> dict[str, RawKind]:
    found: dict[str, RawKind] = {}
    for feature, column in columns.items():
        kind = types.get(column, "")
        if "TIME ZONE" in kind.upper():
            found[feature] = "zoned"
        elif kind and session.family(kind) == "truth":
            found[feature] = "truth"
    return found


def _header(path: Path, location: SourceLocation) -> Header:
    try:
        return csv_header(path, location.delimiter)
    except FileError as error:
        mistakes = [Mistake(m.message, location.scalar.place, m.hint) for m in error.mistakes]
        raise RunError(*mistakes) from None


def _exact(concept: Concept, location: SourceLocation, there: Sequence[str]) -> dict[str, str]:
    """Finds the columns of features as they are written, which people need not do."""
    folded = {name.casefold(): name for name in there}
    wanted = {feature: location.column(feature) for feature in concept.features}
    return {f: n if n in there else folded.get(n.casefold(), n) for f, n in wanted.items()}


def _keys(concept: Concept, case: str, store: Store, session: Session) -> dict[str, KeyKind]:
    """Asks the store what the keys of a source are, which files do not tell."""
    shown = render(Names(case).public(concept.name), store.engine.dialect)
    there = session.columns(f"SELECT * FROM {shown}")
    types = {name.casefold(): kind for name, kind in there.items()}  # DuckDB keeps the table's
    kinds: dict[str, KeyKind] = {"number": "whole", "text": "text", "time": "time"}
    return {f.name: kinds[session.family(types[f.name.casefold()])] for f in concept.of_type("key")}


def _file_name(path: Path, concept: str, folder: Path) -> str:
    """Names a file within the folder of the data; one from elsewhere gets a folder of its own."""
    try:
        return path.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return f"{file_name(concept)}/{path.name}"
