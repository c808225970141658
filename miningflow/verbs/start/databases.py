"""Databases that a user named: their tables, and what a case may say of their address."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from miningflow.engines.engine import Engine, Session
from miningflow.engines.opening import open_engine, store_kind
from miningflow.errors import Diagnostic, RunError, suggestion
from miningflow.inspect.column_words import concept_name
from miningflow.inspect.given_sources import GivenSource
from miningflow.inspect.looking import Inspected, inspect_table

PASSWORD = "${PGPASSWORD}"
_SCHEMA = re.compile(r"^(postgres\w*(?:\+\w+)?://[^/?]*/[^/?]+)/([^/?]+)(\?.*)?$")
_SECRET = re.compile(r"^(\w+(?:\+\w+)?://[^/@:]*):([^@]*)@")
_OWN = re.compile(r"^miningflow$|_(results|built)$")


@dataclass(frozen=True)
class DatabaseAddress:
    """The address of a database, as it is opened and as a case may write it."""

    url: str
    schema: str
    written: str
    """The address without its password."""
    note: str = ""


def database_address(word: str) -> DatabaseAddress:
    """Reads `postgresql://user@host/database/schema`, or the address of another store."""
    kind = store_kind(word)
    match = _SCHEMA.match(word)
    url, schema = (match[1] + (match[3] or ""), match[2]) if match else (word, kind.default_schema)
    secret = _SECRET.match(url)
    note, written = "", url
    if secret and secret[2] and not secret[2].startswith("${"):
        written = f"{secret[1]}:{PASSWORD}@{url[secret.end() :]}"
        note = "the password is not in the file: put it into the environment variable PGPASSWORD"
    return DatabaseAddress(url, schema, written, note)


@contextmanager
def opened_database(address: DatabaseAddress) -> Iterator[Engine]:
    """Opens a database to read it."""
    engine = open_engine(address.url, Path.cwd(), read_only=True)
    try:
        yield engine
    finally:
        engine.close()


def tables_of(engine: Engine, address: DatabaseAddress, source: GivenSource) -> list[GivenSource]:
    """Returns the tables and views of a schema, which must exist."""
    schemas = list(engine.schemas())
    if address.schema not in schemas:
        hint = suggestion(address.schema, [s for s in schemas if not _OWN.search(s)], "schemas")
        raise RunError(Diagnostic(f"there is no schema {address.schema!r}", None, hint))
    names = sorted(engine.objects(address.schema))
    if not names:
        message = f"there is no table in the schema {address.schema!r}"
        hint = f"schemas: {', '.join(s for s in sorted(schemas) if not _OWN.search(s))}"
        raise RunError(Diagnostic(message, None, hint))
    return [replace(source, name=concept_name(name), shown=name) for name in names]


def inspect_database(
    engine: Engine, session: Session, address: DatabaseAddress, source: GivenSource
) -> list[Inspected]:
    """Looks at every table of a database; one without rows is left out with a note."""
    found: list[Inspected] = []
    empty: list[str] = []
    for number, each in enumerate(tables_of(engine, address, source)):
        table = (address.schema, each.shown)
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
