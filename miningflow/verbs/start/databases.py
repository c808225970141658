"""Databases that a user named: their tables, and what a case may say of their address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from miningflow.engines.engine import Engine, Session
from miningflow.engines.opening import open_engine, store_kind
from miningflow.engines.store_kind import StoreKind
from miningflow.errors import Diagnostic, RunError, suggestion
from miningflow.inspect.column_words import concept_name
from miningflow.inspect.given_sources import GivenSource
from miningflow.inspect.looking import Inspected, inspect_table

PASSWORD = "${PGPASSWORD}"
_SCHEMA = re.compile(r"^(postgres\w*(?:\+\w+)?://[^/?]*/[^/?]+)/([^/?]+)(\?.*)?$")
_SECRET = re.compile(r"^(\w+(?:\+\w+)?://[^/@:]*):([^@]*)@")
OWN_SCHEMA = re.compile(r"^miningflow$|_(results|built)$")
"""Schemas that MiningFlow makes."""


@dataclass(frozen=True)
class DatabaseAddress:
    """The address of a database, as it is opened and as a case may write it."""

    url: str
    schema: str | None
    """None: every schema that is not one of MiningFlow's."""
    written: str
    """The address without its password, which means the same in any folder."""
    note: str = ""


def database_address(word: str) -> DatabaseAddress:
    """Reads `postgresql://user@host/database/schema`, or the address of another store."""
    kind = store_kind(word)
    url = word
    schema: str | None = kind.default_schema
    if kind.dialect == "postgres" and (match := _SCHEMA.match(word)):
        url, schema = match[1] + (match[3] or ""), match[2]
    elif kind.dialect == "spark":
        url, schema = _without_schema(word)
    secret = _SECRET.match(url)
    note, written = "", _in_any_folder(kind, url)
    if secret and secret[2] and not secret[2].startswith("${"):
        written = f"{secret[1]}:{PASSWORD}@{url[secret.end() :]}"
        note = "the password is not in the file: put it into the environment variable PGPASSWORD"
    return DatabaseAddress(url, schema, written, note)


def _without_schema(url: str) -> tuple[str, str | None]:
    """Takes `schema=crm` out of the address of a Spark."""
    place, _, query = url.partition("?")
    settings = [each for each in query.split("&") if each]
    named = [each.removeprefix("schema=") for each in settings if each.startswith("schema=")]
    kept = "&".join(each for each in settings if not each.startswith("schema="))
    return f"{place}?{kept}" if kept else place, named[0] if named else None


def _in_any_folder(kind: StoreKind, url: str) -> str:
    """Writes the file or folder of a store with its whole path."""
    location = kind.location(url, Path.cwd())
    place, _, query = url.partition("?")
    if not isinstance(location, Path):
        return url
    if kind.dialect != "spark":
        return f"duckdb:///{location}{url[len(place) :]}"
    settings = [each for each in query.split("&") if each and not each.startswith("warehouse=")]
    return f"{place}?{'&'.join([*settings, f'warehouse={quote(str(location.absolute()))}'])}"


@contextmanager
def opened_database(address: DatabaseAddress) -> Iterator[Engine]:
    """Opens a database to read it."""
    engine = open_engine(address.url, Path.cwd(), read_only=True)
    try:
        yield engine
    finally:
        engine.close()


def tables_of(
    engine: Engine, address: DatabaseAddress, source: GivenSource
) -> list[tuple[GivenSource, tuple[str, str]]]:
    """Returns the tables and views of a schema, which must exist, or of all that are not ours."""
    foreign = [schema for schema in sorted(engine.schemas()) if not OWN_SCHEMA.search(schema)]
    if address.schema is not None and address.schema not in engine.schemas():
        hint = suggestion(address.schema, foreign, "schemas")
        raise RunError(Diagnostic(f"there is no schema {address.schema!r}", None, hint))
    schemas = foreign if address.schema is None else [address.schema]
    found = [(schema, name) for schema in schemas for name in sorted(engine.objects(schema))]
    if not found:
        where = "store" if address.schema is None else f"schema {address.schema!r}"
        hint = f"schemas: {', '.join(foreign)}"
        raise RunError(Diagnostic(f"there is no table in the {where}", None, hint))
    return [
        (replace(source, name=concept_name(name), shown=name), (schema, name))
        for schema, name in found
    ]


def inspect_database(
    engine: Engine, session: Session, address: DatabaseAddress, source: GivenSource
) -> list[Inspected]:
    """Looks at every table of a database; one without rows is left out with a note."""
    found: list[Inspected] = []
    empty: list[str] = []
    for number, (each, table) in enumerate(tables_of(engine, address, source)):
        counted = session.rows(
            f"SELECT count(*) FROM {session.quoted(table[0])}.{session.quoted(table[1])}"
        )
        if not counted[0][0]:
            empty.append(f"the table {each.shown} has no rows, and was left out")
            continue
        found.append(inspect_table(session, engine, each, table, number))
    if not found:
        raise RunError(
            Diagnostic(f"no table of {address.written} has rows", None, "a case needs rows")
        )
    notes = (*found[0].source.notes, *empty, *([address.note] if address.note else []))
    found[0] = replace(found[0], source=replace(found[0].source, notes=notes))
    return found
