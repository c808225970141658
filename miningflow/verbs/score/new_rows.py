"""Makes new rows readable under the names of their concepts: files, tables and frames."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
from sqlglot import exp

from miningflow.engines import Session
from miningflow.engines.csv_header import uses_delimiter
from miningflow.engines.file_access import FileAccess, access_to
from miningflow.errors import Diagnostic, RunError, suggestion
from miningflow.store.file_or_table import given_name, is_file
from miningflow.store.given_rows import given_table, with_type
from miningflow.store.opening import Store
from miningflow.store.source_checks import check_source
from miningflow.store.source_columns import relation_of
from miningflow.store.source_files import find_files
from miningflow.store.sources import SourceLocation, parse_table
from miningflow.verbs.score.category_spellings import with_known_spellings
from miningflow.verbs.score.new_columns import numbered_key, score_columns
from miningflow.verbs.score.new_keys import expected_types, frame_keys
from miningflow.verbs.score.output import Output
from miningflow.verbs.score.scoring import Scoring

NewRows: TypeAlias = str | Path | Any
"""A file, a table of the store, or a frame that Arrow can read."""

GIVEN = "the given rows"


def access_for(inputs: Mapping[str, NewRows], output: Output) -> FileAccess:
    """Returns the access to files of new rows and scores; what is missing is reported later."""
    files: list[Path] = []
    for rows in inputs.values():
        if isinstance(rows, str | Path) and is_file(str(rows)):
            with suppress(RunError):
                files += find_files(Path("."), given_name(str(rows)))
    return access_to(files, [output.scratch] if output.scratch else ())


def offer_rows(session: Session, scoring: Scoring, store: Store, name: str, rows: NewRows) -> None:
    """Makes the needed features of new rows readable under the name of their concept."""
    expected = expected_types(scoring.bound, scoring.script, name, store, session)
    if isinstance(rows, str | Path):
        location = _locate(store, scoring, name, str(rows)).reading(scoring.read_as(name))
    else:
        given = given_table(name, rows, _readable(scoring, name))
        location = _registered(session, scoring, name, given)
    reader = session.files() if location.paths else session
    found = list(reader.columns(f"SELECT * FROM {relation_of(location, reader)}"))
    columns = score_columns(scoring, name, found, location.shown)
    concept = scoring.bound.sources[name].only(scoring.script.inputs[name])
    key = numbered_key(scoring, name, columns)
    named = replace(location, columns=columns, numbered=key)
    raw = check_source(session, concept, named, may_be_empty=True, expected=expected)
    kinds = scoring.script.inputs[name]
    raw = with_known_spellings(raw, scoring.bound.name, name, kinds, store, session)
    if location.paths:
        session.load("temp view", session.quoted(name), raw.query)
    else:
        session.execute(f"CREATE TEMP VIEW {session.quoted(name)} AS {raw.query}")


def _readable(scoring: Scoring, name: str) -> set[str]:
    """Returns the names that a column may have to be read: of features, or of the connection."""
    features = scoring.script.inputs[name]
    return {*features, *(scoring.column(name, feature) for feature in features)}


def _registered(session: Session, scoring: Scoring, name: str, rows: pa.Table) -> SourceLocation:
    """Makes given rows readable in the session, under another name than that of their concept."""
    columns = score_columns(scoring, name, rows.column_names, GIVEN)
    kinds = scoring.script.inputs[name]
    offered = {f: with_type(rows.column(column), kinds[f]) for f, column in columns.items()}
    if (key := numbered_key(scoring, name, columns)) is not None:
        offered[key] = pa.array(range(1, rows.num_rows + 1))
    given = f"{GIVEN} of {name}"
    session.register(given, pa.table(offered))
    table = exp.Table(this=exp.to_identifier(given, quoted=True))
    types = session.columns(f"SELECT * FROM {session.quoted(given)}")
    read_as = frame_keys(session, scoring.script.inputs[name], types, scoring.read_as(name))
    return SourceLocation(name, given_name(GIVEN), table=table, read_as=read_as)


def _locate(store: Store, scoring: Scoring, name: str, rows: str) -> SourceLocation:
    scalar = given_name(rows)
    if is_file(rows):
        paths = find_files(Path("."), scalar)
        found = SourceLocation(name, scalar, paths)
        source = scoring.sources.get(name)
        if source is None or not found.is_text:
            return found
        wanted = source.delimiter.text if source.delimiter else None
        is_used = wanted is not None and uses_delimiter(paths[0], wanted, source.reading.encoding)
        return replace(found, delimiter=wanted if is_used else None, csv_reading=source.reading)
    table = parse_table(scalar, store.engine.default_schema)
    there = store.engine.objects(table.db)
    if table.name not in there:
        hint = suggestion(table.name, there, "tables")
        raise RunError(Diagnostic(f"there is no table {rows!r} in the store", None, hint))
    return SourceLocation(name, scalar, table=table)
