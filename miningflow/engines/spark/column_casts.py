"""Casts of Spark that give a feature the same values whatever type its column has."""

from __future__ import annotations

from miningflow.engines.engine import Family, TypeFamily

_CASTS: dict[Family, str] = {"numeric": "DOUBLE", "text": "STRING", "time": "TIMESTAMP_NTZ"}


def column_cast(name: str, sql_type: str, found: TypeFamily, wanted: Family) -> str:
    """Casts a column; a text that is no number is NULL. Sessions have the time zone UTC."""
    if wanted == "numeric" and found == "text":
        return f"try_cast(nullif(trim({name}), '') AS DOUBLE)"
    if wanted == "text" and found == "fraction":
        return _category(name, sql_type)
    return f"CAST({name} AS {_CASTS[wanted]})"


def _category(name: str, sql_type: str) -> str:
    """Writes a number as a category: 1.0 and 1.00 are 1, as the whole number is."""
    plain = f"CAST({name} AS STRING)"
    if sql_type.startswith("decimal"):
        return f"regexp_replace({plain}, '([.]0*|([.][0-9]*[1-9])0+)$', '$2')"
    whole = f"CAST(CAST({name} AS BIGINT) AS STRING)"
    # FLOOR gives a whole number, which fails where the value is beyond all of them
    small = f"CASE WHEN {name} = floor({name}) THEN {whole} ELSE {plain} END"
    return f"CASE WHEN abs({name}) < 1e16 THEN {small} ELSE {plain} END"
