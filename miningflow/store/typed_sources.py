"""Reads sources whose columns have types: tables and Parquet files."""

from __future__ import annotations

from collections.abc import Mapping

from miningflow.declare.concept import Concept, Feature
from miningflow.engines import Session
from miningflow.engines.engine import Family
from miningflow.engines.key_types import KeyType
from miningflow.errors import Diagnostic, RunError
from miningflow.store.source_columns import RawSource
from miningflow.store.source_keys import KeyColumn, read_keys, rows_of
from miningflow.store.sources import SourceLocation
from miningflow.store.unfit_values import unfit_values

FITTING = {
    "numeric": ("number", "fraction", "truth", "text"),
    "nominal": ("number", "fraction", "text", "truth"),
    "binary": ("number", "fraction", "text", "truth"),
    "time": ("time",),
}
_HELD = {
    "numeric": "numbers, Booleans, or text that is a number",
    "nominal": "text, numbers or Booleans",
    "binary": "text, numbers or Booleans",
    "time": "dates or timestamps",
}
FAMILIES: dict[str, Family] = {
    "numeric": "numeric",
    "nominal": "text",
    "binary": "text",
    "time": "time",
}


def typed_source(
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
            diagnostics.append(unfit_type(concept, feature, location, name, types[name]))
        else:
            family = FAMILIES[feature.type]
            expressions[feature.name] = session.typed(name, types[name], family)
    read = read_keys(session, keys, location, relation, expected)
    if diagnostics or read.diagnostics:
        raise RunError(*diagnostics, *read.diagnostics)
    raw = RawSource(relation, {**expressions, **read.expressions}, session)
    _check_numbers(concept, location, raw, types)
    return raw


def unfit_type(
    concept: Concept, feature: Feature, location: SourceLocation, name: str, sql_type: str
) -> Diagnostic:
    """Returns a diagnostic for a column whose type does not fit that of its feature."""
    kinds = f"{feature.type} takes columns that hold {_HELD[feature.type]}"
    if feature.type == "time" and location.table is not None and not location.table.db:
        remedy = "convert it first, for example with `pandas.to_datetime`"
    else:
        remedy = "change the feature's type, or the column"
    return Diagnostic(
        f"column {name!r} of {location.shown} is {sql_type}, which does not fit "
        f"{concept.name}.{feature.name}: {feature.type}",
        location.scalar.place,
        f"{kinds}; {remedy}",
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
            if location.is_loaded:
                first = (
                    "SELECT value, row_number FROM (SELECT row_number() OVER () AS row_number, "
                    f"{column} AS value, {wrong} AS wrong FROM {raw.relation}) "
                    "WHERE wrong ORDER BY row_number LIMIT 1"
                )
            diagnostics.append(
                unfit_values(feature, location, bad, *rows_of(raw.session, first, location)[0])
            )
    if diagnostics:
        raise RunError(*diagnostics)
