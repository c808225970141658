"""Changing the store and the repository together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

from miningflow.errors import EngineError
from miningflow.repository import MadeObject
from miningflow.store.objects import has_schema, schema_identifier
from miningflow.store.opening import Store

Execute: TypeAlias = Callable[[str], Any]


@contextmanager
def changing(store: Store) -> Iterator[tuple[Execute, Any]]:
    """Returns a way to run SQL, and a repository connection: one transaction for both.

    A repository elsewhere has a separate transaction, which ends last: what it says of the store
    is then too old, never too new, and the next run puts it right. That also holds for an engine
    that changes one thing after the other, as long as new things are shown before old ones go.
    """
    import sqlalchemy as sa

    try:
        with store.repository.transaction() as connection:
            if store.repository.in_store:
                # as it is written: a driver may take % for a parameter
                as_written = {"no_parameters": True}
                yield partial(connection.exec_driver_sql, execution_options=as_written), connection
                return
            with store.engine.together() as execute:
                yield execute, connection
    except sa.exc.DBAPIError as error:
        raise EngineError(store.engine.refusal(error.orig or error)) from error


def make_schema(
    store: Store, case: str, schema: str, run: int, execute: Execute, connection: Any = None
) -> None:
    """Makes a schema; one that was there before is not the case's own, and `clean` leaves it."""
    if not has_schema(store, schema):
        entry = MadeObject(schema, "", "schema", run)
        store.repository.record_object(case, entry, connection)
        execute(f"CREATE SCHEMA IF NOT EXISTS {schema_identifier(store, schema)}")
