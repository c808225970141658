"""PostgreSQL as a kind of store: a database of a server."""

from __future__ import annotations

import re
from pathlib import Path

from miningflow.engines.engine import Engine
from miningflow.engines.file_access import FileAccess
from miningflow.engines.postgres.address import address_of
from miningflow.engines.store_kind import Location, StoreKind
from miningflow.errors import Diagnostic, EngineError


def _open(url: str, folder: Path, wait: float, read_only: bool, access: FileAccess) -> Engine:
    """Opens a database; its driver is an extra."""
    address = address_of(url, read_only)
    try:
        from miningflow.engines.postgres.engine import PostgresEngine
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "psycopg" and "libpq" not in str(error):
            raise
        raise EngineError(
            Diagnostic(
                "a PostgreSQL store needs the driver psycopg, which is not installed",
                None,
                "pip install 'miningflow[postgres]'",
            )
        ) from None
    return PostgresEngine(address)


def _location(url: str, folder: Path) -> Location:
    return "server"


def _lineage_names(url: str, folder: Path) -> tuple[str, str]:
    """Names the server and the database as OpenLineage does for PostgreSQL."""
    found = address_of(url).parameters
    host = str(found.get("host") or "localhost")
    server = "localhost" if host.startswith("/") else host  # a folder holds a socket
    database = found.get("dbname") or found.get("user") or "postgres"
    return f"postgres://{server}:{found.get('port') or 5432}", f"{database}."


def _shown(url: str) -> str:
    return address_of(url).shown


POSTGRES = StoreKind(
    addresses=re.compile(r"(postgresql|postgres|postgresql\+psycopg)://"),
    examples="postgresql://user@host/database",
    dialect="postgres",
    default_schema="public",
    open=_open,
    location=_location,
    lineage_names=_lineage_names,
    shown=_shown,
)
