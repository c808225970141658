"""Casts of PostgreSQL that give a feature the same values whatever type its column has."""

from __future__ import annotations

from miningflow.engines.engine import Family, TypeFamily
from miningflow.engines.postgres.copy import without_size

_NUMBER = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"


def column_cast(name: str, sql_type: str, found: TypeFamily, wanted: Family) -> str:
    """Casts a column; a text that is no number is NULL."""
    if wanted == "time":
        zoned = without_size(sql_type) == "timestamp with time zone"
        return f"{name} AT TIME ZONE 'UTC'" if zoned else f"CAST({name} AS timestamp)"
    if wanted == "text":
        return _category(name, sql_type, found)
    if found == "text":
        plain = f"trim(CAST({name} AS text))"
        return f"CASE WHEN {plain} ~ '{_NUMBER}' THEN CAST({plain} AS double precision) END"
    if found == "truth":
        return f"CAST(CAST({name} AS integer) AS double precision)"
    return f"CAST({name} AS double precision)"


def _category(name: str, sql_type: str, found: TypeFamily) -> str:
    """Writes a value as a category: 1.0 and 1.00 are 1, as the whole number is."""
    if found == "fraction" and without_size(sql_type) == "numeric":
        return f'CAST(trim_scale({name}) AS text) COLLATE "C"'
    if found != "fraction":
        return f'CAST({name} AS text) COLLATE "C"'
    whole = f"CAST(CAST({name} AS bigint) AS text)"
    is_whole = f"{name} = trunc({name}) AND abs({name}) < 1e16"
    return f'(CASE WHEN {is_whole} THEN {whole} ELSE CAST({name} AS text) END) COLLATE "C"'
