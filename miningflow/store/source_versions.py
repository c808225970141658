"""Which version of its data each source has now."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from miningflow.engines.csv_header import has_zoned_times
from miningflow.engines.files import fraction_columns
from miningflow.errors import Diagnostic, EngineError, RunError, suggestion
from miningflow.plan import SourceVersion
from miningflow.sql.dialect import render
from miningflow.sql.stored import stored_name
from miningflow.store.file_content import content_hash
from miningflow.store.opening import Store
from miningflow.store.sources import SourceLocation


def source_versions(
    locations: Mapping[str, SourceLocation], store: Store | None
) -> dict[str, SourceVersion]:
    """Finds out which version of its data each source has now."""
    diagnostics: list[Diagnostic] = []
    found: dict[str, SourceVersion] = {}
    for name, location in locations.items():
        try:
            if location.frame is not None:
                marker = _marker(location, location.frame.content, [])
            elif location.paths:
                content = content_hash(location.paths, store.repository if store else None)
                numbers = [] if location.is_text else fraction_columns(location.paths)
                marker = _marker(location, content, numbers)
            else:
                marker = _table_marker(location, store)
            where = "a frame" if location.frame is not None else location.shown
            found[name] = SourceVersion(where, marker, location.is_loaded, location.given)
        except RunError as error:
            diagnostics += error.diagnostics
    if diagnostics:
        raise RunError(*diagnostics)
    return found


def _table_marker(location: SourceLocation, store: Store | None) -> str:
    assert location.table is not None
    if store is None:
        raise RunError(
            Diagnostic(
                f"there is no table {location.shown!r}: the store does not exist yet",
                location.scalar.place,
            )
        )
    columns = table_columns(location, store)
    table = render(location.table, store.engine.dialect)
    with store.engine.session() as session:
        numbers = [name for name, kind in columns.items() if session.family(kind) == "fraction"]
    return _marker(location, store.engine.table_marker(table, list(columns)), numbers)


def table_columns(location: SourceLocation, store: Store) -> dict[str, str]:
    """Returns the columns of a table of the store, which must exist.

    Asking the catalog first matters: DuckDB would read a file called like the table.
    """
    assert location.table is not None
    objects = store.engine.objects(location.table.db)
    if stored_name(location.table.name, store.engine.dialect) not in objects:
        raise RunError(
            Diagnostic(
                f"there is no table {location.shown!r} in the store",
                location.scalar.place,
                suggestion(location.table.name, objects, "tables"),
            )
        )
    try:
        with store.engine.session() as session:
            return session.columns(f"SELECT * FROM {render(location.table, store.engine.dialect)}")
    except EngineError as error:
        kind = objects[stored_name(location.table.name, store.engine.dialect)]
        why = error.diagnostics[0]
        message = f"the {kind} {location.shown!r} cannot be read: {why.message}"
        raise RunError(Diagnostic(message, location.scalar.place, why.hint)) from error


def _marker(location: SourceLocation, content: str, numbers: Collection[str]) -> str:
    """Marks content and how it is read; sources read as they always were keep their marks."""
    marks: list[object] = [content, dict(location.columns), location.delimiter, location.numbered]
    if location.read_as:
        marks.append(dict(location.read_as))
    if location.csv_reading.given:
        marks.append(location.csv_reading.given)
    categories = [f for f, kind in location.types.items() if kind in ("nominal", "binary")]
    codes = {location.column(feature).casefold() for feature in categories}
    if codes & {name.casefold() for name in numbers}:
        marks.append("1.0 is the category 1")
    has_times = location.is_text and "time" in location.types.values()
    if has_times and has_zoned_times(location.paths[0], location.csv_reading.encoding):
        marks.append("times are those of UTC")
    return json.dumps(marks)
