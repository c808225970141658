"""Checks sources against their concepts: columns, types, values, keys. All mistakes together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from miningflow.declare.concept import Concept, Feature
from miningflow.engines import Session
from miningflow.engines.engine import Family, FileError
from miningflow.engines.files import files_query
from miningflow.errors import EngineError, Mistake, RunError, suggestion
from miningflow.run.sources import SourceLocation

FITTING = {
    "numeric": ("number", "fraction", "truth"),
    "nominal": ("number", "fraction", "text", "truth"),
    "binary": ("number", "fraction", "text", "truth"),
    "time": ("time",),
    "key": ("number", "text", "time"),
}
MOST_MISTAKES = 10
CASTS = {"numeric": "DOUBLE", "time": "TIMESTAMP"}
"""Of texts in CSV files, which DuckDB reads."""
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
    session: Session, concept: Concept, location: SourceLocation, may_be_empty: bool = False
) -> RawSource:
    """Gives how to read a source as its concept, or raises all that does not fit.

    It is to be read in the same session, or in that of its files.
    """
    try:
        if location.paths:
            session = session.files()
        relation = relation_of(location, session)
        types = session.columns(f"SELECT * FROM {relation}")
    except (FileError, EngineError) as error:
        raise RunError(
            *(
                Mistake(f"cannot read {location.shown}: {m.message}", location.scalar.place, m.hint)
                for m in error.mistakes
            )
        ) from None
    stored = concept.only(f for f in concept.features if f != location.numbered)
    _check_columns(stored, location, types)
    as_text = bool(location.paths) and _is_csv(location)
    if as_text:
        raw = _text_source(session, stored, location, relation)
    else:
        _check_types(session, stored, location, types)
        casts = {f.name: _cast(session, f, location, types) for f in stored.features.values()}
        raw = RawSource(relation, casts, session)
    _check_rows(session, stored, location, raw, may_be_empty)
    numbers = dict.fromkeys(set(concept.features) - set(stored.features), "row_number() OVER ()")
    expressions = {**raw.expressions, **numbers}
    return RawSource(relation, {n: expressions[n] for n in concept.features}, session)


def relation_of(location: SourceLocation, session: Session) -> str:
    """Writes what to select from."""
    if location.table is None:
        return files_query(location.paths, location.delimiter)
    return f"{session.quoted(location.table.db)}.{session.quoted(location.table.name)}"


def _is_csv(location: SourceLocation) -> bool:
    return ".parquet" not in [s.lower() for s in location.paths[0].suffixes]


def _check_columns(concept: Concept, location: SourceLocation, types: Mapping[str, str]) -> None:
    mistakes = []
    known = {name.casefold() for name in types}
    for feature in concept.features:
        name = location.column(feature)
        if name.casefold() not in known:
            mistakes.append(
                Mistake(
                    f"{location.shown} has no column {name!r} for {concept.name}.{feature}",
                    location.scalar.place,
                    f"{suggestion(name, types, 'columns')} "
                    + _column_advice(concept, location, feature),
                )
            )
    if len(mistakes) > MOST_MISTAKES:
        more = Mistake(
            f"{location.shown} lacks {len(mistakes) - MOST_MISTAKES} more columns of "
            f"{concept.name}",
            location.scalar.place,
            "is it the right file, and its `delimiter` the right one?",
        )
        mistakes = [*mistakes[:MOST_MISTAKES], more]
    if mistakes:
        raise RunError(*mistakes)


def _column_advice(concept: Concept, location: SourceLocation, feature: str) -> str:
    advice = f"a column of another name: `columns: {{{feature}: …}}`"
    if feature == concept.key and location.paths:
        advice += f"; no such column at all: `number_rows: {feature}`"
    return f"({advice})"


def _check_types(
    session: Session, concept: Concept, location: SourceLocation, types: Mapping[str, str]
) -> None:
    mistakes = []
    for feature in concept.features.values():
        name = _column(feature, location, types)
        sql_type = types[name]
        if session.family(sql_type) not in FITTING[feature.type]:
            mistakes.append(
                Mistake(
                    f"column {name!r} of {location.shown} is {sql_type}, which does not fit "
                    f"{concept.name}.{feature.name}: {feature.type}",
                    location.scalar.place,
                    f"{feature.type} takes columns that hold {' or '.join(FITTING[feature.type])}; "
                    "change the feature's type, or the column",
                )
            )
    if mistakes:
        raise RunError(*mistakes)


def _text_source(
    session: Session, concept: Concept, location: SourceLocation, relation: str
) -> RawSource:
    """Reads CSV text by the declared types; a value that does not fit is named with its row."""
    expressions: dict[str, str] = {}
    checks: list[str] = []
    for feature in concept.features.values():
        raw = _raw(session, feature, location)
        if feature.type in CASTS:
            cast = f"TRY_CAST({raw} AS {CASTS[feature.type]})"
            checks.append(f"count(*) FILTER (WHERE {raw} IS NOT NULL AND {cast} IS NULL)")
            expressions[feature.name] = cast
        elif feature.type == "key":
            # a key is a whole number only if writing the number gives the text back: 007 stays text
            whole = f"TRY_CAST({raw} AS BIGINT)"
            checks.append(
                f"count(*) FILTER (WHERE {raw} IS NOT NULL AND "
                f"coalesce(CAST({whole} AS VARCHAR), '') <> {raw})"
            )
            expressions[feature.name] = whole
        else:
            expressions[feature.name] = raw
    counts: list[int] = []
    if checks:
        counts = list(_rows(session, f"SELECT {', '.join(checks)} FROM {relation}", location)[0])
    mistakes = []
    for feature in concept.features.values():
        if feature.type not in (*CASTS, "key"):
            continue
        bad = counts.pop(0)
        if bad and feature.type == "key":
            expressions[feature.name] = _raw(session, feature, location)
        elif bad:
            mistakes.append(_bad_value(session, feature, location, relation, bad))
    if mistakes:
        raise RunError(*mistakes)
    return RawSource(relation, expressions, session)


def _bad_value(
    session: Session, feature: Feature, location: SourceLocation, relation: str, bad: int
) -> Mistake:
    raw = _raw(session, feature, location)
    found = _rows(
        session,
        f"SELECT row_number, value FROM (SELECT row_number() OVER () AS row_number, {raw} AS value "
        f"FROM {relation}) WHERE value IS NOT NULL AND "
        f"TRY_CAST(value AS {CASTS[feature.type]}) IS NULL ORDER BY row_number LIMIT 1",
        location,
    )[0]
    return Mistake(
        f"{bad} values in column {location.column(feature.name)!r} of {location.shown} do not fit "
        f"{location.concept}.{feature.name}: {feature.type}; "
        f"the first is {found[1]!r} in data row {found[0]}",
        location.scalar.place,
        "mend the file, or declare the feature as nominal",
    )


def _check_rows(
    session: Session, concept: Concept, location: SourceLocation, raw: RawSource, may_be_empty: bool
) -> None:
    key = raw.expressions[concept.key] if concept.key else None
    counted = f"count(*), count({key}), count(DISTINCT {key})" if key else "count(*)"
    counts = _rows(session, f"SELECT {counted} FROM {raw.relation}", location)[0]
    if counts[0] == 0 and not may_be_empty:
        raise RunError(
            Mistake(
                f"{location.shown} has no rows, so nothing can be learned for {concept.name}",
                location.scalar.place,
            )
        )
    if key is None:
        return
    if counts[1] < counts[0]:
        raise RunError(
            Mistake(
                f"the key {concept.key!r} of {concept.name} is missing in "
                f"{counts[0] - counts[1]} rows of {location.shown}",
                location.scalar.place,
                "a key identifies each row: mend the data, or declare no key",
            )
        )
    if counts[2] < counts[1]:
        twice = _rows(
            session,
            f"SELECT {key} AS value, count(*) AS times FROM {raw.relation} GROUP BY 1 "
            "HAVING count(*) > 1 ORDER BY 2 DESC, 1 LIMIT 1",
            location,
        )[0]
        raise RunError(
            Mistake(
                f"the key {concept.key!r} of {concept.name} is not unique in {location.shown}: "
                f"{twice[0]!r} occurs {twice[1]} times",
                location.scalar.place,
                "a key identifies each row: mend the data, or declare another key",
            )
        )


def _rows(session: Session, sql: str, location: SourceLocation) -> list[tuple[Any, ...]]:
    try:
        return session.rows(sql)
    except EngineError as error:
        raise RunError(
            *(
                Mistake(f"cannot read {location.shown}: {m.message}", location.scalar.place, m.hint)
                for m in error.mistakes
            )
        ) from None


def _raw(session: Session, feature: Feature, location: SourceLocation) -> str:
    return f"nullif(trim({session.quoted(location.column(feature.name))}), '')"


def _column(feature: Feature, location: SourceLocation, types: Mapping[str, str]) -> str:
    """Finds the column by its exact name, or else in any case, as people write it."""
    name = location.column(feature.name)
    if name in types:
        return name
    return next(column for column in types if column.casefold() == name.casefold())


def _cast(
    session: Session, feature: Feature, location: SourceLocation, types: Mapping[str, str]
) -> str:
    name = _column(feature, location, types)
    if feature.type == "key":
        return session.quoted(name)
    return session.typed(name, types[name], FAMILIES[feature.type])
