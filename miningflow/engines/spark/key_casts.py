"""Keys as Spark reads them: NULL where a value does not fit."""

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


def key_cast(tree: str, sql_type: str, family: TypeFamily, wanted: KeyType) -> str | None:
    """Returns an expression for a key, or None if such a column cannot be read like that."""
    found = key_type_of(family, sql_type)
    if sql_type.startswith("char"):  # which Spark fills up with blanks
        tree = f"rtrim({tree})"
    match wanted:
        case "integer":
            return _integer(tree, sql_type, family)
        case "text" if found == "timestamp":
            return f"CAST(CAST({tree} AS TIMESTAMP_NTZ) AS STRING)"
        case "text":
            return f"CAST({tree} AS STRING)" if found else None
        case "date" if found == "timestamp":
            time = f"CAST({tree} AS TIMESTAMP_NTZ)"
            day = f"CAST({time} AS DATE)"
            return f"CASE WHEN CAST({day} AS TIMESTAMP_NTZ) = {time} THEN {day} END"
        case "date" if found == "text":
            return _matching(tree, DATE, "DATE")
        case "date":
            return tree if found == "date" else None
        case "timestamp" if found == "text":
            return _matching(tree, TIMESTAMP, "TIMESTAMP_NTZ")
        case "timestamp":
            return f"CAST({tree} AS TIMESTAMP_NTZ)" if family == "time" else None
        case _:
            assert_never(wanted)


def _integer(tree: str, sql_type: str, family: TypeFamily) -> str | None:
    if family == "number":
        return tree
    if family == "text":
        return _matching(tree, WHOLE_NUMBER, "BIGINT")
    if family != "fraction":
        return None
    if sql_type.startswith("decimal"):
        return f"CASE WHEN {tree} = floor({tree}) THEN try_cast({tree} AS DECIMAL(38, 0)) END"
    exact = f"{tree} = floor({tree}) AND abs({tree}) < {EXACT_DOUBLES}"
    return f"CASE WHEN {exact} THEN try_cast({tree} AS BIGINT) END"


def _matching(tree: str, pattern: str, sql_type: str) -> str:
    return f"CASE WHEN {tree} RLIKE '{pattern}' THEN try_cast({tree} AS {sql_type}) END"
