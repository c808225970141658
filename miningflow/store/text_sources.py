"""Reads sources whose columns are all text: CSV files, by the declared types."""

from __future__ import annotations

from collections.abc import Mapping

from miningflow.declare.concept import Concept, Feature
from miningflow.engines import Session
from miningflow.engines.key_types import KeyType
from miningflow.errors import Diagnostic, RunError
from miningflow.store.source_columns import RawSource
from miningflow.store.source_keys import KeyColumn, read_keys, rows_of
from miningflow.store.sources import SourceLocation
from miningflow.store.unfit_values import first_row, unfit_values

CONVERTED = ("numeric", "time")


def text_source(
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
    found = first_row(session, location, relation, raw, f"value IS NOT NULL AND {cast} IS NULL")
    return unfit_values(feature, location, bad, *found)


def _mixed_zones(
    session: Session, feature: Feature, location: SourceLocation, relation: str
) -> Diagnostic:
    """Refuses times some of which have a time zone: the others could mean any."""
    raw = _raw(session, feature, location)
    is_zoned = location.csv_reading.is_zoned("value")
    with_zone = first_row(session, location, relation, raw, is_zoned)
    without = first_row(session, location, relation, raw, f"NOT {is_zoned}")
    return Diagnostic(
        f"column {location.column(feature.name)!r} of {location.shown} has times with and without "
        f"a time zone: {with_zone[0]!r} in data row {with_zone[1]}, {without[0]!r} in data row "
        f"{without[1]}",
        location.scalar.place,
        "write all of them with a time zone, or none: those with one are converted to UTC",
    )


def _raw(session: Session, feature: Feature, location: SourceLocation) -> str:
    return location.csv_reading.known(session.quoted(location.column(feature.name)))
