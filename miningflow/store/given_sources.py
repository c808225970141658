"""Sources that the caller gives for one call: frames, files and tables in place of the usual."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from miningflow.declare.concept import Concept
from miningflow.engines.column_names import matching_columns
from miningflow.engines.csv_header import uses_delimiter
from miningflow.engines.csv_reading import CsvReading
from miningflow.engines.engine import FileError
from miningflow.errors import Diagnostic, Place, RunError, suggestion
from miningflow.read import ConnectionText, SourceText
from miningflow.read.case import GivenFrame
from miningflow.resolve import BoundCase
from miningflow.store.file_or_table import given_name, is_file
from miningflow.store.frame_content import frame_hash
from miningflow.store.given_rows import given_rows, with_type
from miningflow.store.opening import connected
from miningflow.store.source_files import find_files

_HERE = Place("sources", 0, 0)


def with_sources(
    bound: BoundCase, connection: ConnectionText | None, sources: Mapping[str, Any]
) -> ConnectionText | None:
    """Returns the connection of a case in which these concepts are read from somewhere else.

    Each is a frame, or the name of a file or of a table of the store. Nothing is opened yet.
    """
    if not sources:
        return connection
    own = connected(bound.case, connection)
    given: dict[str, SourceText] = {}
    diagnostics: list[Diagnostic] = []
    for name, rows in sources.items():
        try:
            _refuse_other_names(bound, name)
            usual = own.sources.get(name) or SourceText(given_name(name, _HERE))
            given[name] = _given(bound.sources[name], usual, rows)
        except (RunError, FileError) as error:
            diagnostics += [replace(m, place=_HERE) for m in error.diagnostics]
    if diagnostics:
        raise RunError(*diagnostics)
    return replace(own, sources={**own.sources, **given})


def _refuse_other_names(bound: BoundCase, name: str) -> None:
    if name in bound.sources:
        return
    if any(name in (step.name, step.written_name) for step in bound.steps.values()):
        message = f"{name!r} is a step: its rows are made by the case"
        hint = suggestion("", bound.sources, "concepts that rows can be given for")
    else:
        message = f"the case has no concept {name!r}"
        hint = suggestion(name, bound.sources, "concepts")
    raise RunError(Diagnostic(message, None, hint))


def _given(concept: Concept, usual: SourceText, rows: Any) -> SourceText:
    if not isinstance(rows, str | os.PathLike):
        return _frame(concept, usual, rows)
    name = os.fspath(rows)
    if not is_file(name):
        table = given_name(name, _HERE)
        plain = replace(usual, file=None, delimiter=None, number_rows=None, reading=CsvReading())
        return replace(plain, table=table, given="table")
    first = find_files(Path("."), given_name(name, _HERE))[0]
    source = replace(usual, file=given_name(os.path.abspath(name), _HERE), table=None, given="file")
    if ".parquet" in [suffix.lower() for suffix in first.suffixes]:
        return replace(source, delimiter=None, reading=CsvReading())
    wanted = source.delimiter
    if wanted is not None and not uses_delimiter(first, wanted.text, source.reading.encoding):
        return replace(source, delimiter=None)
    return source


def _frame(concept: Concept, usual: SourceText, rows: Any) -> SourceText:
    """Takes the columns of a frame that are features, without a copy, by the names of these."""
    mapped = {feature: column.text for feature, column in usual.columns.items()}
    numbered = usual.number_rows.text if usual.number_rows else None
    found = given_rows(concept.name, rows, {*concept.features, *mapped.values()})
    columns: dict[str, pa.ChunkedArray | pa.Array] = {}
    diagnostics: list[Diagnostic] = []
    for feature in concept.features.values():
        name = mapped.get(feature.name, feature.name)
        there = matching_columns(feature.name, found.names) or matching_columns(name, found.names)
        if len(there) == 1:
            columns[feature.name] = with_type(found.table.column(there[0]), feature.type)
        elif not there and feature.name == numbered:
            columns[feature.name] = pa.array(range(1, found.table.num_rows + 1), pa.int64())
        else:
            diagnostics.append(_unfound(concept, feature.name, name, there, found.names))
    if diagnostics:
        raise RunError(*diagnostics)
    table = pa.table(columns)
    keys = {f.name: _key_type(table.column(f.name).type) for f in concept.of_type("key")}
    read_as = {feature: given_name(kind, _HERE) for feature, kind in keys.items() if kind}
    return SourceText(
        given_name(concept.name, _HERE),
        read_as={**read_as, **usual.read_as},
        given="frame",
        frame=GivenFrame(table, frame_hash(table)),
    )


def _unfound(
    concept: Concept, feature: str, name: str, there: tuple[str, ...], names: tuple[str, ...]
) -> Diagnostic:
    if there:
        message = (
            f"column {name!r} of the rows of {concept.name!r} is ambiguous: there are "
            f"{' and '.join(map(repr, there))}"
        )
        return Diagnostic(message, None, f"call the one that is meant {feature!r}")
    message = f"the rows of {concept.name!r} have no column {name!r}"
    return Diagnostic(message, None, suggestion(name, names, "columns"))


def _key_type(found: pa.DataType) -> str | None:
    """Returns what a key is read as: pandas makes whole numbers doubles where one is missing."""
    return "integer" if pa.types.is_floating(found) else None
