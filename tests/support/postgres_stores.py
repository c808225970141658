"""Databases of a real PostgreSQL as stores, and what tests look up in them past MiningFlow."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg import sql

_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Database:
    """A separate database, by its address."""

    url: str

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Runs a statement in the plain driver, and returns its rows if it has any."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def objects(self, case: str = "example") -> set[tuple[str, str]]:
        """Returns schema and name of all that stands in the schemas of a case."""
        found = self.query(
            "SELECT table_schema, table_name FROM information_schema.tables "
            f"WHERE table_schema IN ('{case}_results', '{case}_built')"
        )
        return {(schema, name) for schema, name in found}

    def results(self, case: str = "example") -> dict[str, list[tuple[Any, ...]]]:
        """Reads all public views, rows in order."""
        names = sorted(n for schema, n in self.objects(case) if schema == f"{case}_results")
        return {
            name: sorted(self.query(f'SELECT * FROM {case}_results."{name}"'), key=repr)
            for name in names
        }

    def leftovers(self, case: str = "example") -> set[str]:
        """Names built objects that no build refers to, or that the trash index does not know."""
        built = {name for schema, name in self.objects(case) if schema == f"{case}_built"}
        used = self.query("SELECT object_name FROM miningflow.builds WHERE object_name <> ''")
        owners = {name for (name,) in used}
        listed = self.query(
            "SELECT object_name FROM miningflow.objects WHERE kind <> 'schema' "
            f"AND schema_name = '{case}_built'"
        )
        unknown = {name for name in built if name.partition(": ")[0] not in owners}
        return unknown | (built ^ {name for (name,) in listed}) | (owners - built)


@contextmanager
def database(address: str) -> Iterator[Database]:
    """Makes a database on a server, and drops it with whatever still runs in it."""
    name = f"miningflow_test_{os.getpid()}_{next(_NUMBERS)}"
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            url = sa.make_url(address).set(database=name)
            yield Database(url.render_as_string(hide_password=False))
        finally:
            dropped = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            server.execute(dropped)
