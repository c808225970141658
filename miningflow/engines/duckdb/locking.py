"""Locks a DuckDB store: a store is data, and may have been prepared by a stranger.

A view in it may read any file of the user, and a macro may take the place of a built-in function.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from miningflow.checked_folder import unguessable_name
from miningflow.engines.file_access import FileAccess
from miningflow.engines.files import text
from miningflow.errors import Diagnostic, EngineError, listed
from miningflow.names import literal_path

# Nothing is fetched or loaded because a statement or a file mentions it.
CLOSED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
}
_CHANGEABLE = ("memory_limit",)


def configuration(path: Path | None) -> dict[str, str]:
    """Returns the settings to open a database with.

    One in memory would write temporary files to `.tmp` where the command runs, which may be a link.
    """
    if path is not None:
        return CLOSED
    return CLOSED | {"temp_directory": str(Path(tempfile.gettempdir(), unguessable_name()))}


def is_locked(connection: duckdb.DuckDBPyConnection) -> bool:
    """Returns whether another connection of this process has locked the database."""
    return bool(_setting(connection, "lock_configuration"))


def lock(connection: duckdb.DuckDBPyConnection, access: FileAccess) -> None:
    """Limits a database to these files and folders, for good."""
    # a name with wildcards is read by a pattern that fits this name only
    files = sorted({form for path in access.files for form in (str(path), literal_path(str(path)))})
    folders = sorted(str(path) for path in access.folders)
    for name, paths in (("allowed_paths", files), ("allowed_directories", folders)):
        if paths:
            connection.execute(f"SET {name} = {_texts(paths)}")
    connection.execute("SET enable_external_access = false")
    connection.execute(f"SET allowed_configs = {_texts(_CHANGEABLE)}")
    connection.execute("SET lock_configuration = true")


def refuse_other_access(connection: duckdb.DuckDBPyConnection, access: FileAccess) -> None:
    """Refuses to join a locked database that may not reach what is needed."""
    files, folders = (
        {Path(path) for path in _setting(connection, name)}
        for name in ("allowed_paths", "allowed_directories")
    )
    if access.files <= files and access.folders <= folders:
        return
    raise EngineError(
        Diagnostic(
            "this process uses the store for something else, which reads other files",
            None,
            "wait until that has ended, or use another process",
        )
    )


def refuse_shadowing(connection: duckdb.DuckDBPyConnection) -> None:
    """Refuses macros that would be called instead of built-in functions.

    The questions themselves call no function that a macro could replace.
    """
    macros = {name for name, schema in _functions(connection, "NOT internal") if schema == "main"}
    if not macros:
        return
    shadowing = sorted(macros & {name for name, _ in _functions(connection, "internal")})
    if shadowing:
        raise EngineError(
            Diagnostic(
                f"macros of the store take the place of built-in functions: {listed(shadowing)}",
                None,
                f'rename them, or drop them: DROP MACRO main."{shadowing[0]}"',
            )
        )


def _functions(connection: duckdb.DuckDBPyConnection, which: str) -> list[tuple[str, str]]:
    asked = "SELECT function_name, schema_name FROM system.main.duckdb_functions()"
    found: list[tuple[str, str]] = connection.execute(f"{asked} WHERE {which}").fetchall()
    return found


def _setting(connection: duckdb.DuckDBPyConnection, name: str) -> Any:
    return connection.execute(f"SELECT system.main.current_setting('{name}')").fetchall()[0][0]


def _texts(values: Sequence[str]) -> str:
    return "[" + ", ".join(text(value) for value in values) + "]"
