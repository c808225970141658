"""A repository in an SQLite file, which holds nothing else."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

import sqlalchemy as sa

from miningflow.engines.store_kind import Location
from miningflow.errors import Diagnostic, EngineError
from miningflow.repository.tables import tables

_ADDRESS = re.compile(r"sqlite://(/(?P<name>[^?]*))?")


def sqlite_location(address: str, folder: Path) -> Location:
    """Reads the path of `sqlite:///folder/file.db`; `sqlite://` is in memory."""
    found = _ADDRESS.fullmatch(address)
    name = (found["name"] or "") if found else "?"
    if name in ("", ":memory:"):
        return "memory"
    if found is None or (":" in name and not Path(name).is_absolute()):
        raise EngineError(
            Diagnostic(
                "this is not the address of a repository",
                None,
                "use sqlite:///file.db, duckdb:///file.duckdb or postgresql://user@host/database",
            )
        )
    return (folder / name).absolute()


def open_sqlite(location: Location, stack: ExitStack) -> sa.Engine:
    """Opens an SQLite database; refuses one that somebody else made."""
    name = str(location) if isinstance(location, Path) else ":memory:"
    engine = sa.create_engine(sa.URL.create("sqlite", database=name))
    stack.callback(engine.dispose)
    if isinstance(location, Path) and location.exists():
        _refuse_foreign(engine, location)
    return engine


def _refuse_foreign(engine: sa.Engine, path: Path) -> None:
    """Refuses a database with tables of another program, such as a browser."""
    ours = tables(None)
    with engine.connect() as connection:
        there = set(sa.inspect(connection).get_table_names())
    needed = {ours.about.name, ours.runs.name, ours.builds.name}
    if not needed <= there and not there <= set(ours.metadata.tables):
        raise EngineError(
            Diagnostic(
                f"{path.name} is a database that MiningFlow did not make",
                None,
                "name another file for the repository; nothing was changed",
            )
        )
