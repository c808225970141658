"""Casts of DuckDB that give a feature the same values whatever type its column has."""

from __future__ import annotations

from miningflow.engines.engine import Family, TypeFamily

_CASTS: dict[Family, str] = {"numeric": "DOUBLE", "text": "VARCHAR", "time": "TIMESTAMP"}


def column_cast(name: str, sql_type: str, found: TypeFamily, wanted: Family) -> str:
    """Casts a column; a text that is no number is NULL."""
    if wanted == "time" and "TIME ZONE" in sql_type:
        return f"make_timestamp(epoch_us({name}))"  # in UTC, whatever zone the session has
    if wanted == "numeric" and found == "text":
        return f"TRY_CAST(nullif(trim(CAST({name} AS VARCHAR)), '') AS DOUBLE)"
    if wanted == "text" and found == "fraction":
        return _category(name, sql_type)
    return f"CAST({name} AS {_CASTS[wanted]})"


def _category(name: str, sql_type: str) -> str:
    """Writes a number as a category: 1.0 and 1.00 are 1, as the whole number is."""
    if sql_type.startswith("DECIMAL"):
        return f"regexp_replace(CAST({name} AS VARCHAR), '([.]0*|([.][0-9]*[1-9])0+)$', '\\2')"
    whole = f"CAST(CAST({name} AS BIGINT) AS VARCHAR)"
    plain = f"CAST({name} AS VARCHAR)"
    return f"CASE WHEN {name} = trunc({name}) AND abs({name}) < 1e16 THEN {whole} ELSE {plain} END"
