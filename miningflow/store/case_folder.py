"""The folder of a case, which a connection that came with it must not leave."""

from __future__ import annotations

from pathlib import Path

from miningflow.engines.store_kind import Location
from miningflow.errors import Diagnostic, RunError
from miningflow.nodes import Scalar
from miningflow.read import ConnectionText
from miningflow.read.case_rights import vouching

# Files that DuckDB and SQLite keep beside a database, and would follow if they were links.
_COMPANIONS = (".wal", ".wal.recovery", ".wal.checkpoint", ".tmp", "-journal", "-wal", "-shm")


def check_inside(connection: ConnectionText, scalar: Scalar, location: Location) -> None:
    """Refuses a path outside of the folder of the case, or a server, unless the user named it.

    A case is shared, and what comes with it is written by others.
    """
    if connection.home is None or location == "memory":
        return
    hint = vouching(connection.place.file)
    if location == "server":
        raise RunError(Diagnostic("a case may not name a server by itself", scalar.place, hint))
    try:
        meant = location.resolve()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(Diagnostic(f"this is no path: {reason}", scalar.place)) from None
    if not meant.is_relative_to(connection.home.resolve()):
        message = f"{scalar.text!r} lies outside the folder of the case"
        raise RunError(Diagnostic(message, scalar.place, hint))


def check_database(connection: ConnectionText, scalar: Scalar, location: Location) -> None:
    """Refuses a database that leaves the folder of the case, also by the files beside it."""
    check_inside(connection, scalar, location)
    if connection.home is None or not isinstance(location, Path):
        return
    linked = [p for p in _beside(location) if p.is_symlink()]
    if linked:
        hint = "remove the link; the database would write to where it leads"
        raise RunError(Diagnostic(f"{linked[0]} is a link", scalar.place, hint))


def _beside(database: Path) -> list[Path]:
    """Lists the files that belong to a database, and what is in its folder of temporary files."""
    meant = database.resolve()
    beside = [meant.with_name(meant.name + ending) for ending in _COMPANIONS]
    temporary = meant.with_name(f"{meant.name}.tmp")
    return [*beside, *(temporary.iterdir() if temporary.is_dir() else ())]
