"""DuckDB: what the compiler speaks; every other dialect is a translation."""

from __future__ import annotations

from dataclasses import replace

from miningflow.sql.dialects.dialect import Dialect

DUCKDB = Dialect(
    name="duckdb",
    defines_tables=True,
    title="DuckDB",
    printer="duckdb",
    tried="DuckDB 2.0",
    needs="DuckDB 2.0 or newer",
    older="duckdb1.5",
    store="duckdb:///file",
    calls=None,
    kernels="lists",
    functions="macro",
    named_by="lists",
)

# Before 2.0 it adds up over lists in another way.
OLDER_DUCKDB = replace(
    DUCKDB,
    name="duckdb1.5",
    title="DuckDB before 2.0",
    tried="DuckDB 1.5.6",
    needs="DuckDB 1.5",
    older="",
    kernels="older lists",
)
