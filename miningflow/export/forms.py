"""The forms that a case can be exported to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from miningflow.errors import CompileError, Diagnostic
from miningflow.export.dbt import dbt_files
from miningflow.export.frozen import Files, Form, FrozenCase
from miningflow.export.script import script_files
from miningflow.export.sqlmesh import sqlmesh_files
from miningflow.sql.dialects.duckdb import OLDER_DUCKDB

WRITERS: Mapping[str, Callable[[FrozenCase], Files]] = {
    "script": script_files,
    "dbt": dbt_files,
    "sqlmesh": sqlmesh_files,
}
# A project also has settings, quoting and tests that depend on the engine; these were tried.
TRIED: Mapping[str, Collection[str]] = {
    "dbt": ("duckdb", OLDER_DUCKDB.name, "postgres"),
    "sqlmesh": ("duckdb", OLDER_DUCKDB.name),
}


def usual_dialect(form: Form, store: str) -> str:
    """Returns the default dialect of a form: SQLMesh 0.236 brings DuckDB 1.5."""
    return OLDER_DUCKDB.name if form == "sqlmesh" and store == "duckdb" else store


def check_form(form: Form, dialect: str) -> None:
    """Refuses a project of another tool for an engine that nobody tried it on."""
    if dialect not in TRIED.get(form, (dialect,)):
        hint = f"there are {', '.join(TRIED[form])}; --to script takes any dialect"
        raise CompileError(Diagnostic(f"there is no {form} project for {dialect!r}", None, hint))


def exported_files(frozen: FrozenCase) -> Files:
    """Writes the files of a frozen case in the given form."""
    return WRITERS[frozen.request.form](frozen)
