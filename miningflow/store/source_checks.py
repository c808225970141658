"""Checks sources against their concepts: columns, types, values, keys. All mistakes together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from miningflow.declare.concept import Concept, Feature
from miningflow.engines import Session
from miningflow.engines.column_names import matching_columns
from miningflow.engines.engine import Family, FileError
from miningflow.engines.files import files_query
from miningflow.engines.key_types import KeyType, key_type
from miningflow.errors import Diagnostic, EngineError, RunError, suggestion
from miningflow.store.source_keys import KeyColumn, read_keys, rows_of
from miningflow.store.sources import SourceLocation

FITTING = {
    "numeric": ("number", "fraction", "truth", "text"),
    "nominal": ("number", "fraction", "text", "truth"),
    "binary": ("number", "fraction", "text", "truth"),
    "time": ("time",),
}
MOST_MISTAKES = 10
CONVERTED = ("numeric", "time")
FAMILIES: dict[str, Family] = {
    "numeric": "numeric",
    "nominal": "text",
    "binary": "text",
    "time": "time",
}


@dataclass(frozen=True)
class RawSource:
    """A source as the engine sees it: what to select from, and the expression of each feature."""

    relation: str
    expressions: Mapping[str, str]
    session: Session

    @property
    def query(self) -> str:
        """Reads the source as its concept."""
        shown = ", ".join(
            f"{tree} AS {self.session.quoted(name)}" for name, tree in self.expressions.items()
        )
        return f"SELECT {shown} FROM {self.relation}"


def check_source(
    session: Session,
    concept: Concept,
    location: SourceLocation,
    may_be_empty: bool = False,
    expected: Mapping[str, KeyType] | None = None,
) -> RawSource:
    """Returns how to read a source as its concept, or raises all that does not fit.

    It is to be read in the same session, or in that of its files. `expected` are the types of keys
    that meet keys of rows which are already in the store.
    """
    if location.paths:
        session = session.files()
    relation, types = _columns_of(session, location)
    stored = concept.only(f for f in concept.features if f != location.numbered)
    location = _with_columns(stored, location, types)
    if location.is_text:
        raw = _text_source(session, stored, location, relation, expected or {})
    else:
        raw = _typed_source(session, stored, location, relation, types, expected or {})
    _check_rows(session, stored, location, raw, may_be_empty)
    numbers = dict.fromkeys(set(concept.features) - set(stored.features), "row_number() OVER ()")
    expressions = {**raw.expressions, **numbers}
    return RawSource(relation, {n: expressions[n] for n in concept.features}, session)


def check_columns(session: Session, concept: Concept, location: SourceLocation) -> None:
    """Raises all that does not fit in the columns of a source; reads none of its rows."""
    if location.paths:
        session = session.files()
    types = _columns_of(session, location)[1]
    stored = concept.only(f for f in concept.features if f != location.numbered)
    location = _with_columns(stored, location, types)
    if location.is_text:
        return
    diagnostics = []
    for feature in stored.features.values():
        name = location.column(feature.name)
        family = session.family(types[name])
        is_unfit = feature.type != "key" and family not in FITTING[feature.type]
        is_no_key = feature.type == "key" and key_type(session, types[name]) is None
        if is_unfit:
            diagnostics.append(_unfit_type(stored, feature, location, name, types[name]))
        elif is_no_key and feature.name not in location.read_as:
            diagnostics.append(
                Diagnostic(
                    f"column {name!r} of {location.shown} is {types[name]}, which does not fit "
                    f"{concept.name}.{feature.name}: key",
                    location.scalar.place,
                    "a key takes columns that hold whole numbers, text, dates or timestamps",
                )
            )
    if diagnostics:
        raise RunError(*diagnostics)


def _columns_of(session: Session, location: SourceLocation) -> tuple[str, dict[str, str]]:
    """Returns what to select from, and the types of its columns."""
    try:
        relation = relation_of(location, session)
        return relation, session.columns(f"SELECT * FROM {relation}")
    except (FileError, EngineError) as error:
        raise RunError(
            *(
                Diagnostic(
                    f"cannot read {location.shown}: {m.message}", location.scalar.place, m.hint
                )
                for m in error.diagnostics
            )
        ) from None


def relation_of(location: SourceLocation, session: Session) -> str:
    """Writes what to select from."""
    if location.table is None:
        return files_query(location.paths, location.delimiter, location.csv_reading.encoding)
    if not location.table.db:  # rows of this session
        return session.quoted(location.table.name)
    return f"{session.quoted(location.table.db)}.{session.quoted(location.table.name)}"


def _with_columns(
    concept: Concept, location: SourceLocation, types: Mapping[str, str]
) -> SourceLocation:
    """Finds the column of each feature: by its exact name, or else in any case."""
    diagnostics = []
    columns: dict[str, str] = {}
    for feature in concept.features:
        name = location.column(feature)
        found = matching_columns(name, types)
        if len(found) == 1:
            columns[feature] = found[0]
        elif found:
            diagnostics.append(
                Diagnostic(
                    f"column {name!r} of {location.shown} for {concept.name}.{feature} is "
                    f"ambiguous: there are {' and '.join(map(repr, found))}",
                    location.scalar.place,
                    f"name the one that is meant: `columns: {{{feature}: {found[-1]!r}}}`",
                )
            )
        else:
            diagnostics.append(
                Diagnostic(
                    f"{location.shown} has no column {name!r} for {concept.name}.{feature}",
                    location.scalar.place,
                    f"{suggestion(name, types, 'columns')} "
                    + _column_advice(concept, location, feature),
                )
            )
    if len(diagnostics) > MOST_MISTAKES:
        more = Diagnostic(
            f"{location.shown} lacks {len(diagnostics) - MOST_MISTAKES} more columns of "
            f"{concept.name}",
            location.scalar.place,
            "is it the right file, and its `delimiter` the right one?",
        )
        diagnostics = [*diagnostics[:MOST_MISTAKES], more]
    if diagnostics:
        raise RunError(*diagnostics)
    return replace(location, columns=columns)


def _column_advice(concept: Concept, location: SourceLocation, feature: str) -> str:
    advice = f"a column of another name: `columns: {{{feature}: …}}`"
    if feature == concept.key and location.paths:
        advice += f"; no such column at all: `number_rows: {feature}`"
    return f"({advice})"


def _typed_source(
    session: Session,
    concept: Concept,
    location: SourceLocation,
    relation: str,
    types: Mapping[str, str],
    expected: Mapping[str, KeyType],
) -> RawSource:
    """Reads columns that have a type, which must fit that of their features."""
    expressions: dict[str, str] = {}
    diagnostics = []
    keys = []
    for feature in concept.features.values():
        name = location.column(feature.name)
        if feature.type == "key":
            keys.append(KeyColumn(feature.name, session.quoted(name), types[name]))
        elif session.family(types[name]) not in FITTING[feature.type]:
            diagnostics.append(_unfit_type(concept, feature, location, name, types[name]))
        else:
            family = FAMILIES[feature.type]
            expressions[feature.name] = session.typed(name, types[name], family)
    read = read_keys(session, keys, location, relation, expected)
    if diagnostics or read.diagnostics:
        raise RunError(*diagnostics, *read.diagnostics)
    raw = RawSource(relation, {**expressions, **read.expressions}, session)
    _check_numbers(concept, location, raw, types)
    return raw


def _unfit_type(
    concept: Concept, feature: Feature, location: SourceLocation, name: str, sql_type: str
) -> Diagnostic:
    return Diagnostic(
        f"column {name!r} of {location.shown} is {sql_type}, which does not fit "
        f"{concept.name}.{feature.name}: {feature.type}",
        location.scalar.place,
        f"{feature.type} takes columns that hold {' or '.join(FITTING[feature.type])}; "
        "change the feature's type, or the column",
    )


def _text_source(
    session: Session,
    concept: Concept,
    location: SourceLocation,
    relation: str,
    expected: Mapping[str, KeyType],
) -> RawSource:
    """Reads CSV text by the declared types; a value that does not fit is named with its row."""
    expressions: dict[str, str] = {}
    checks: list[str] = []
    keys: list[KeyColumn] = []
    wanted = {**expected, **location.read_as}
    for feature in concept.features.values():
        raw = _raw(session, feature, location)
        expressions[feature.name] = raw
        if feature.type in CONVERTED:
            cast = _converted(raw, feature, location)
            checks.append(f"count(*) FILTER (WHERE {raw} IS NOT NULL AND {cast} IS NULL)")
            expressions[feature.name] = cast
        elif feature.type == "key" and feature.name in wanted:
            keys.append(KeyColumn(feature.name, raw, "VARCHAR"))
        elif feature.type == "key":
            # a key is a whole number only if writing the number gives the text back: 007 stays text
            whole = f"TRY_CAST({raw} AS BIGINT)"
            checks.append(
                f"count(*) FILTER (WHERE {raw} IS NOT NULL AND "
                f"coalesce(CAST({whole} AS VARCHAR), '') <> {raw})"
            )
            expressions[feature.name] = whole
    times = [f for f in concept.of_type("time") if location.csv_reading.may_mix_zones]
    for feature in times:
        zoned = location.csv_reading.is_zoned(_raw(session, feature, location))
        checks += [f"count(*) FILTER (WHERE {zoned})", f"count(*) FILTER (WHERE NOT {zoned})"]
    counts: list[int] = []
    if checks:
        counts = list(rows_of(session, f"SELECT {', '.join(checks)} FROM {relation}", location)[0])
    diagnostics = []
    for feature in concept.features.values():
        if feature.type not in (*CONVERTED, "key") or feature.name in wanted:
            continue
        bad = counts.pop(0)
        if bad and feature.type == "key":
            expressions[feature.name] = _raw(session, feature, location)
        elif bad:
            raw = _raw(session, feature, location)
            diagnostics.append(_bad_value(session, feature, location, relation, bad, raw))
    for feature in times:
        with_zone, without = counts.pop(0), counts.pop(0)
        if with_zone and without:
            diagnostics.append(_mixed_zones(session, feature, location, relation))
    read = read_keys(session, keys, location, relation, expected)
    if diagnostics or read.diagnostics:
        raise RunError(*diagnostics, *read.diagnostics)
    return RawSource(relation, {**expressions, **read.expressions}, session)


def _converted(raw: str, feature: Feature, location: SourceLocation) -> str:
    reading = location.csv_reading
    return reading.number(raw) if feature.type == "numeric" else reading.time(raw)


def _bad_value(
    session: Session, feature: Feature, location: SourceLocation, relation: str, bad: int, raw: str
) -> Diagnostic:
    cast = _converted("value", feature, location)
    found = _first_row(session, location, relation, raw, f"value IS NOT NULL AND {cast} IS NULL")
    return _unfit(feature, location, bad, *found)


def _mixed_zones(
    session: Session, feature: Feature, location: SourceLocation, relation: str
) -> Diagnostic:
    """Refuses times some of which have a time zone: the others could mean any."""
    raw = _raw(session, feature, location)
    is_zoned = location.csv_reading.is_zoned("value")
    with_zone = _first_row(session, location, relation, raw, is_zoned)
    without = _first_row(session, location, relation, raw, f"NOT {is_zoned}")
    return Diagnostic(
        f"column {location.column(feature.name)!r} of {location.shown} has times with and without "
        f"a time zone: {with_zone[0]!r} in data row {with_zone[1]}, {without[0]!r} in data row "
        f"{without[1]}",
        location.scalar.place,
        "write all of them with a time zone, or none: those with one are converted to UTC",
    )


def _check_numbers(
    concept: Concept, location: SourceLocation, raw: RawSource, types: Mapping[str, str]
) -> None:
    """Refuses text in a column with a type that is declared numeric and holds something else."""
    diagnostics = []
    for feature in concept.of_type("numeric"):
        name = location.column(feature.name)
        if raw.session.family(types[name]) != "text":
            continue
        column, cast = raw.session.quoted(name), raw.expressions[feature.name]
        wrong = f"trim({column}) <> '' AND {cast} IS NULL"
        counted = f"SELECT count(*) FROM {raw.relation} WHERE {wrong}"
        if bad := rows_of(raw.session, counted, location)[0][0]:
            first = f"SELECT {column} AS value FROM {raw.relation} WHERE {wrong} LIMIT 1"
            if location.paths:
                first = (
                    "SELECT value, row_number FROM (SELECT row_number() OVER () AS row_number, "
                    f"{column} AS value, {wrong} AS wrong FROM {raw.relation}) "
                    "WHERE wrong ORDER BY row_number LIMIT 1"
                )
            diagnostics.append(
                _unfit(feature, location, bad, *rows_of(raw.session, first, location)[0])
            )
    if diagnostics:
        raise RunError(*diagnostics)


def _first_row(
    session: Session, location: SourceLocation, relation: str, raw: str, condition: str
) -> tuple[Any, ...]:
    """Returns the text in the first row that satisfies a condition, and its number."""
    return rows_of(
        session,
        f"SELECT value, row_number FROM (SELECT row_number() OVER () AS row_number, {raw} AS value "
        f"FROM {relation}) WHERE {condition} ORDER BY row_number LIMIT 1",
        location,
    )[0]


def _unfit(
    feature: Feature, location: SourceLocation, bad: int, first: str, row: int | None = None
) -> Diagnostic:
    where = f"the first is {first!r} in data row {row}" if row else f"one of them is {first!r}"
    return Diagnostic(
        f"{bad} values in column {location.column(feature.name)!r} of {location.shown} do not fit "
        f"{location.concept}.{feature.name}: {feature.type}; {where}",
        location.scalar.place,
        _unfit_advice(feature, location),
    )


def _unfit_advice(feature: Feature, location: SourceLocation) -> str:
    if not location.is_text:
        return "mend the column, or declare the feature as nominal"
    options = {
        "numeric": "say how numbers are written (`decimal: ','`, `thousands: '.'`) or what stands "
        "for a missing one (`null_values: ['NA']`)",
        "time": "say how dates are written (`date_format: '%d.%m.%Y'`)",
    }
    return f"{options[feature.type]}, mend the file, or declare the feature as nominal"


def _check_rows(
    session: Session, concept: Concept, location: SourceLocation, raw: RawSource, may_be_empty: bool
) -> None:
    key = raw.expressions[concept.key] if concept.key else None
    counted = f"count(*), count({key}), count(DISTINCT {key})" if key else "count(*)"
    counts = rows_of(session, f"SELECT {counted} FROM {raw.relation}", location)[0]
    if counts[0] == 0 and not may_be_empty:
        raise RunError(
            Diagnostic(
                f"{location.shown} has no rows, so nothing can be learned for {concept.name}",
                location.scalar.place,
            )
        )
    if key is None:
        return
    if counts[1] < counts[0]:
        raise RunError(
            Diagnostic(
                f"the key {concept.key!r} of {concept.name} is missing in "
                f"{counts[0] - counts[1]} rows of {location.shown}",
                location.scalar.place,
                "a key identifies each row: mend the data, or declare no key",
            )
        )
    if counts[2] < counts[1]:
        twice = rows_of(
            session,
            f"SELECT {key} AS value, count(*) AS times FROM {raw.relation} GROUP BY 1 "
            "HAVING count(*) > 1 ORDER BY 2 DESC, 1 LIMIT 1",
            location,
        )[0]
        raise RunError(
            Diagnostic(
                f"the key {concept.key!r} of {concept.name} is not unique in {location.shown}: "
                f"{twice[0]!r} occurs {twice[1]} times",
                location.scalar.place,
                "a key identifies each row: mend the data, or declare another key",
            )
        )


def _raw(session: Session, feature: Feature, location: SourceLocation) -> str:
    return location.csv_reading.known(session.quoted(location.column(feature.name)))
