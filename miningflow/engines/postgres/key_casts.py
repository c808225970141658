"""Keys as PostgreSQL reads them: NULL where a value does not fit."""

from __future__ import annotations

from typing import assert_never

from miningflow.engines.engine import TypeFamily
from miningflow.engines.key_types import (
    DATE,
    EXACT_DOUBLES,
    TIMESTAMP,
    WHOLE_NUMBER,
    KeyType,
    key_type_of,
)

# Texts of one collation can be compared, wherever they come from; `citext` knows no case.
_TEXT = 'CAST({0} AS text) COLLATE "C"'
_BIGINT = "-9223372036854775808 AND 9223372036854775807"


def key_cast(
    tree: str, sql_type: str, family: TypeFamily, wanted: KeyType, zoned: bool
) -> str | None:
    """Returns an expression for a key, or None if such a column cannot be read like that."""
    found = key_type_of(family, sql_type)
    time = f"({tree} AT TIME ZONE 'UTC')" if zoned else f"CAST({tree} AS timestamp)"
    match wanted:
        case "integer":
            return _integer(tree, sql_type, family)
        case "text" if found == "timestamp":
            return _TEXT.format(time)
        case "text":
            return _TEXT.format(tree) if found else None
        case "date" if found == "timestamp":
            return f"CASE WHEN CAST({time} AS date) = {time} THEN CAST({time} AS date) END"
        case "date" if found == "text":
            return _matching(tree, DATE, "date")
        case "date":
            return tree if found == "date" else None
        case "timestamp" if found == "text":
            return _matching(tree, TIMESTAMP, "timestamp")
        case "timestamp":
            return time if family == "time" else None
        case _:
            assert_never(wanted)


def _integer(tree: str, sql_type: str, family: TypeFamily) -> str | None:
    if family == "number":
        return tree
    if family == "text":
        number = f"CAST(CAST({tree} AS text) AS numeric)"
        fits = f"CASE WHEN {number} BETWEEN {_BIGINT} THEN CAST({number} AS bigint) END"
        return f"CASE WHEN CAST({tree} AS text) ~ '{WHOLE_NUMBER}' THEN {fits} END"
    if family != "fraction":
        return None
    if sql_type.startswith("numeric"):  # its NaN is equal to itself, and infinity to its floor
        exact = f"{tree} = floor({tree}) AND abs({tree}) < 1e38"
        # a CASE has no digits of its own, whatever its branches have
        return f"CAST(CASE WHEN {exact} THEN {tree} END AS numeric(38, 0))"
    exact = f"{tree} = floor({tree}) AND abs({tree}) < {EXACT_DOUBLES}"
    return f"CASE WHEN {exact} THEN CAST({tree} AS bigint) END"


def _matching(tree: str, pattern: str, sql_type: str) -> str:
    written = f"CAST({tree} AS text)"
    return f"CASE WHEN {written} ~ '{pattern}' THEN CAST({written} AS {sql_type}) END"
