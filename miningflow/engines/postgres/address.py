"""The address of a PostgreSQL store: what a URL says to the driver, and what may be shown of it."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from typing import Any

from miningflow.errors import Diagnostic, EngineError, suggestion

# Settings of libpq; others, such as a password file or a service, reach outside the URL.
_CONNECTION = (
    "host",
    "port",
    "sslmode",
    "sslrootcert",
    "connect_timeout",
    "application_name",
    "target_session_attrs",
    "keepalives_idle",
)
# Settings of the server.
_SERVER = (
    "statement_timeout",
    "lock_timeout",
    "work_mem",
    "temp_buffers",
    "max_parallel_workers_per_gather",
    "jit",
    "search_path",
)
# Texts are read and written in one way, whatever the server's or the role's settings are. Model SQL
# has thousands of nodes, which cost more to compile than to run. A server stops working for a
# process that is gone. Whatever the role or the database says, functions are those of PostgreSQL:
# one of the same name in `public`, where others may write, is not called.
_ALWAYS = {
    "TimeZone": "UTC",
    "DateStyle": "ISO",
    "extra_float_digits": "1",
    "client_connection_check_interval": "5s",
    "jit": "off",
    "search_path": "pg_catalog",
}


@dataclass(frozen=True)
class Address:
    """Where a server is, and how to talk to it."""

    shown: str
    """The URL without its password."""
    parameters: dict[str, Any]
    """What the driver connects with."""


def address_of(url: str, read_only: bool = False) -> Address:
    """Reads a URL such as `postgresql://user:${PGPASSWORD}@host/database?sslmode=require`."""
    import sqlalchemy as sa

    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        # the reason would show the URL, and with it a password
        raise EngineError(
            Diagnostic(
                "this is not the address of a PostgreSQL server",
                None,
                "use postgresql://user@host:5432/database",
            )
        ) from None
    given = {name: v if isinstance(v, str) else v[-1] for name, v in parsed.query.items()}
    for name in given:
        if name not in (*_CONNECTION, *_SERVER):
            hint = suggestion(name, [*_CONNECTION, *_SERVER], "settings")
            raise EngineError(Diagnostic(f"unknown store setting {name!r}", None, hint))
    server = _ALWAYS | {name: v for name, v in given.items() if name in _SERVER}
    if read_only:
        server["default_transaction_read_only"] = "on"
    parts = {
        "host": parsed.host,
        "port": parsed.port,
        "user": parsed.username,
        "password": parsed.password or None,
        "dbname": parsed.database,
        "application_name": f"miningflow {os.getpid()} on {socket.gethostname()}",
        "connect_timeout": "10",
        "keepalives_idle": "60",
        "client_encoding": "utf8",
    }
    parts |= {name: value for name, value in given.items() if name in _CONNECTION}
    parts["options"] = " ".join(f"-c {name}={_escaped(v)}" for name, v in server.items())
    shown = parsed._replace(password=None).render_as_string(hide_password=False)
    return Address(shown, {name: value for name, value in parts.items() if value is not None})


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace(" ", "\\ ")
