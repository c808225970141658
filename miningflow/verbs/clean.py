"""`clean`: drops exactly what a case made."""

from __future__ import annotations

from miningflow.read import ConnectionText
from miningflow.repository import MadeObject
from miningflow.resolve import BoundCase
from miningflow.store.cleaning import clean_case
from miningflow.store.opening import needed, open_store, store_exists


def clean(
    bound: BoundCase, connection: ConnectionText | None, wait: float = 0.0
) -> list[MadeObject]:
    """Drops exactly what the case made in its store, and returns it."""
    connection = needed(bound.case, connection)
    if not store_exists(connection):
        return []
    with open_store(bound.case, connection, wait) as store:
        return clean_case(bound.name, store)
