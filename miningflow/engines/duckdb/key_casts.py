"""Keys as DuckDB reads them: NULL where a value does not fit."""

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

# Beside BIGINT these would be compared in a type that cannot hold both.
_WIDENED = ("UBIGINT", "DECIMAL", "UHUGEINT")


def key_cast(tree: str, sql_type: str, family: TypeFamily, wanted: KeyType) -> str | None:
    """Returns an expression for a key, or None if such a column cannot be read like that."""
    found = key_type_of(family, sql_type)
    match wanted:
        case "integer":
            return _integer(tree, sql_type, family)
        case "text" if found == "timestamp":
            return f"CAST(CAST({tree} AS TIMESTAMP) AS VARCHAR)"
        case "text":
            return f"CAST({tree} AS VARCHAR)" if found else None
        case "date" if found == "timestamp":
            time = f"CAST({tree} AS TIMESTAMP)"
            day = f"CAST({time} AS DATE)"
            return f"CASE WHEN CAST({day} AS TIMESTAMP) = {time} THEN {day} END"
        case "date" if found == "text":
            return _matching(tree, DATE, "DATE")
        case "date":
            return tree if found == "date" else None
        case "timestamp" if found == "text":
            return _matching(tree, TIMESTAMP, "TIMESTAMP")
        case "timestamp":
            return f"CAST({tree} AS TIMESTAMP)" if family == "time" else None
        case _:
            assert_never(wanted)


def _integer(tree: str, sql_type: str, family: TypeFamily) -> str | None:
    if family == "number":
        return f"CAST({tree} AS HUGEINT)" if sql_type.startswith(_WIDENED) else tree
    if family == "text":
        return _matching(tree, WHOLE_NUMBER, "BIGINT")
    if family != "fraction":
        return None
    if sql_type.startswith("DECIMAL"):
        return f"CASE WHEN {tree} = floor({tree}) THEN TRY_CAST({tree} AS HUGEINT) END"
    exact = f"{tree} = floor({tree}) AND abs({tree}) < {EXACT_DOUBLES}"
    return f"CASE WHEN {exact} THEN TRY_CAST({tree} AS BIGINT) END"


def _matching(tree: str, pattern: str, sql_type: str) -> str:
    return f"CASE WHEN regexp_matches({tree}, '{pattern}') THEN TRY_CAST({tree} AS {sql_type}) END"
