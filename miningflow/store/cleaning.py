"""Cleaning: drops exactly what a case made, by the trash index."""

from __future__ import annotations

from collections.abc import Mapping

from miningflow.engines.engine import ObjectKind
from miningflow.repository import MadeObject
from miningflow.store.object_names import function_name
from miningflow.store.objects import dropping, functions_of, objects_of, schema_identifier
from miningflow.store.opening import Store
from miningflow.store.ownership import own_objects
from miningflow.store.transaction import changing

KINDS: tuple[ObjectKind, ...] = ("function", "view", "table")
"""In the order in which they can be dropped: functions read views, and views read tables."""


def clean_case(case: str, store: Store) -> list[MadeObject]:
    """Drops all objects of a case and forgets it; returns what was dropped.

    A list that MiningFlow did not write is no obstacle: what the case did not make stays.
    """
    made = own_objects(store, case, store.repository.readable_objects(case))
    schemas = {o.schema for o in made}
    objects = {schema: objects_of(store, schema, made) for schema in schemas}
    functions = {s: dict.fromkeys(functions_of(store, s), "function") for s in schemas}
    dropped: list[MadeObject] = []
    with changing(store) as (execute, connection):
        for kind in KINDS:
            there = functions if kind == "function" else objects
            mine = [o for o in made if o.kind == kind and _is_there(o, there)]
            for statement in dropping(store, kind, [(o.schema, _name(o)) for o in mine]):
                execute(statement)
            for entry in mine:
                del there[entry.schema][_name(entry)]
            dropped += mine
        for entry in made:
            if entry.kind == "schema" and not objects[entry.schema] | functions[entry.schema]:
                execute(f"DROP SCHEMA IF EXISTS {schema_identifier(store, entry.schema)}")
                dropped.append(entry)
        store.repository.forget_case(case, connection)
    return dropped


def _is_there(entry: MadeObject, there: Mapping[str, Mapping[str, str]]) -> bool:
    return there[entry.schema].get(_name(entry)) == entry.kind


def _name(entry: MadeObject) -> str:
    return function_name(entry.name) if entry.kind == "function" else entry.name
