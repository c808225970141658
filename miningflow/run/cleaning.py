"""Cleaning: drops exactly what a case made, by the trash index."""

from __future__ import annotations

from miningflow.repository import MadeObject
from miningflow.run.changing import changing
from miningflow.run.keeping import function_name
from miningflow.run.store import Store
from miningflow.sql.literals import quoted

_ORDER = ("function", "view", "table", "schema")


def clean_case(case: str, store: Store) -> list[MadeObject]:
    """Drops all objects of a case and forgets it; gives what was dropped."""
    made = store.repository.objects(case)
    schemas = {o.schema for o in made}
    there = {schema: dict(store.engine.objects(schema)) for schema in schemas}
    functions = {schema: set(store.engine.functions(schema)) for schema in schemas}
    dropped: list[MadeObject] = []
    with changing(store) as (execute, connection):
        for entry in sorted(made, key=lambda o: _ORDER.index(o.kind)):
            schema, left = quoted(entry.schema), there[entry.schema]
            if entry.kind == "function":
                if function_name(entry.name) in functions[entry.schema]:
                    execute(store.engine.drop_function(entry.schema, function_name(entry.name)))
                    functions[entry.schema].discard(function_name(entry.name))
                    dropped.append(entry)
            elif entry.kind == "schema":
                if not left and not functions[entry.schema]:
                    execute(f"DROP SCHEMA IF EXISTS {schema}")
                    dropped.append(entry)
            elif left.get(entry.name) == entry.kind:
                execute(f"DROP {entry.kind.upper()} {schema}.{quoted(entry.name)}")
                del left[entry.name]
                dropped.append(entry)
        store.repository.forget_case(case, connection)
    return dropped
