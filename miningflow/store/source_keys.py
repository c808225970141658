"""Reads the keys of a source, by their type or as the connection says; never as doubles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from miningflow.engines import Session
from miningflow.engines.key_types import KeyType, key_type
from miningflow.errors import Diagnostic, EngineError, RunError
from miningflow.store.sources import SourceLocation

_HINTS: Mapping[KeyType, str] = {
    "integer": "whole numbers of 64 bits are needed; read the column `as: text`, or mend the data",
    "text": "mend the data",
    "date": "dates such as 2025-03-29 are needed; read the column `as: text`, or mend the data",
    "timestamp": "times such as 2025-03-29 22:00:00, without a time zone, are needed; read the "
    "column `as: text`, or mend the data",
}


@dataclass(frozen=True)
class KeyColumn:
    """The column of a key: the expression that reads it, and its type in the source."""

    feature: str
    tree: str
    sql_type: str


@dataclass(frozen=True)
class ReadKeys:
    """The expressions that read keys, and what does not fit."""

    expressions: Mapping[str, str]
    diagnostics: Sequence[Diagnostic]


def read_keys(
    session: Session,
    keys: Sequence[KeyColumn],
    location: SourceLocation,
    relation: str,
    expected: Mapping[str, KeyType],
) -> ReadKeys:
    """Returns how to read keys, NULL only where the column is, or what does not fit.

    `expected` are the types of keys that meet keys which are read already.
    """
    expressions: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    doubtful: list[tuple[KeyColumn, KeyType]] = []
    for key in keys:
        given = location.read_as.get(key.feature)
        own = key_type(session, key.sql_type)
        wanted = given or (expected.get(key.feature) if location.is_text else own)
        tree = session.key(key.tree, key.sql_type, wanted) if wanted else None
        if wanted is None or tree is None:
            diagnostics.append(_unfit(session, key, location, given))
            continue
        if expected.get(key.feature, wanted) != wanted:
            diagnostics.append(_unlike(key, location, wanted, expected[key.feature]))
            continue
        expressions[key.feature] = tree
        if wanted != own:
            doubtful.append((key, wanted))
    if doubtful and not diagnostics:
        diagnostics = _misfits(session, doubtful, expressions, location, relation)
    return ReadKeys(expressions, diagnostics)


def values_in(count: int, column: str, shown: str) -> str:
    """Counts values of a column."""
    return f"{count:,} {'value' if count == 1 else 'values'} in column {column!r} of {shown}"


def rows_of(session: Session, sql: str, location: SourceLocation) -> list[tuple[Any, ...]]:
    """Runs a query over a source; what the engine says about it is a mistake of the source."""
    try:
        return session.rows(sql)
    except EngineError as error:
        raise RunError(
            *(
                Diagnostic(
                    f"cannot read {location.shown}: {m.message}", location.scalar.place, m.hint
                )
                for m in error.diagnostics
            )
        ) from None


def _unfit(
    session: Session, key: KeyColumn, location: SourceLocation, given: KeyType | None
) -> Diagnostic:
    feature = f"{location.concept}.{key.feature}"
    column = f"column {location.column(key.feature)!r} of {location.shown}"
    if given is not None:
        message = f"{column} is {key.sql_type}, which cannot be read as {given} for {feature}: key"
    else:
        message = f"{column} is {key.sql_type}, which does not fit {feature}: key"
    hint = "a key takes columns that hold whole numbers, text, dates or timestamps"
    if session.family(key.sql_type) == "fraction":
        hint += f"; if all its values are whole: `columns: {{{key.feature}: {{as: integer}}}}`"
    return Diagnostic(message, location.scalar.place, hint)


def _unlike(
    key: KeyColumn, location: SourceLocation, found: KeyType, expected: KeyType
) -> Diagnostic:
    return Diagnostic(
        f"column {location.column(key.feature)!r} of {location.shown} holds keys of type {found} "
        f"({key.sql_type}), but {location.concept}.{key.feature} is {expected} in the rows that "
        "the case ran on",
        location.scalar.place,
        f"convert the column to {expected}, so that these rows find those that they belong to",
    )


def _misfits(
    session: Session,
    doubtful: Sequence[tuple[KeyColumn, KeyType]],
    expressions: Mapping[str, str],
    location: SourceLocation,
    relation: str,
) -> list[Diagnostic]:
    """Returns which columns hold values that are not what they are to be read as."""
    lost = [f"{k.tree} IS NOT NULL AND {expressions[k.feature]} IS NULL" for k, _ in doubtful]
    counted = ", ".join(f"count(CASE WHEN {condition} THEN 1 END)" for condition in lost)
    counts = rows_of(session, f"SELECT {counted} FROM {relation}", location)[0]
    found = []
    for (key, wanted), condition, bad in zip(doubtful, lost, counts, strict=True):
        if not bad:
            continue
        query = f"SELECT min({key.tree}) FROM {relation} WHERE {condition}"
        example = rows_of(session, query, location)[0][0]
        found.append(
            Diagnostic(
                f"{values_in(bad, location.column(key.feature), location.shown)} "
                f"cannot be read as {wanted} for {location.concept}.{key.feature}, "
                f"such as {str(example)!r}",
                location.scalar.place,
                _HINTS[wanted],
            )
        )
    return found
