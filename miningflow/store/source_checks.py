"""Checks sources against their concepts: columns, types, values, keys. All mistakes together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from miningflow.declare.concept import Concept
from miningflow.engines import Session
from miningflow.engines.column_names import matching_columns
from miningflow.engines.key_types import KeyType, key_type
from miningflow.errors import Diagnostic, RunError
from miningflow.store.source_columns import RawSource, columns_of, with_columns
from miningflow.store.source_keys import rows_of
from miningflow.store.sources import SourceLocation
from miningflow.store.text_sources import text_source
from miningflow.store.typed_sources import FITTING, typed_source, unfit_type

TEXT_ROWS = 10_000
"""So many rows of a CSV file are looked at before it is loaded."""


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
    if location.is_loaded:
        session = session.files()
    relation, types = columns_of(session, location)
    location = _numbered(location, types)
    stored = concept.only(f for f in concept.features if f != location.numbered)
    location = with_columns(stored, location, types)
    if location.is_text:
        raw = text_source(session, stored, location, relation, expected or {})
    else:
        raw = typed_source(session, stored, location, relation, types, expected or {})
    _check_rows(session, stored, location, raw, may_be_empty)
    numbers = dict.fromkeys(set(concept.features) - set(stored.features), "row_number() OVER ()")
    expressions = {**raw.expressions, **numbers}
    return RawSource(relation, {n: expressions[n] for n in concept.features}, session)


def check_columns(session: Session, concept: Concept, location: SourceLocation) -> None:
    """Raises all that does not fit in the columns of a source; of text it reads the first rows."""
    if location.is_loaded:
        session = session.files()
    relation, types = columns_of(session, location)
    location = _numbered(location, types)
    stored = concept.only(f for f in concept.features if f != location.numbered)
    location = with_columns(stored, location, types)
    if location.is_text:
        first = f"(SELECT * FROM {relation} LIMIT {TEXT_ROWS}) first_rows"
        text_source(session, stored, location, first, {})
        return
    diagnostics = []
    for feature in stored.features.values():
        name = location.column(feature.name)
        family = session.family(types[name])
        is_unfit = feature.type != "key" and family not in FITTING[feature.type]
        is_no_key = feature.type == "key" and key_type(session, types[name]) is None
        if is_unfit:
            diagnostics.append(unfit_type(stored, feature, location, name, types[name]))
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


def _numbered(location: SourceLocation, types: Mapping[str, str]) -> SourceLocation:
    """Takes the key from a given file if it has one, even if the usual one has none."""
    if location.given and location.numbered and matching_columns(location.numbered, types):
        return replace(location, numbered=None)
    return location


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
