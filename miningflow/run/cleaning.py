"""Cleaning: drops exactly what a case made, by the trash index."""

from __future__ import annotations

from miningflow.repository import MadeObject
from miningflow.run.changing import changing
from miningflow.run.store import Store
from miningflow.sql.literals import quoted


def clean_case(case: str, store: Store) -> list[MadeObject]:
    """Drops all objects of a case and forgets it; gives what was dropped."""
    made = store.repository.objects(case)
    there = {schema: dict(store.engine.objects(schema)) for schema in {o.schema for o in made}}
    dropped: list[MadeObject] = []
    with changing(store) as (execute, connection):
        for entry in sorted(made, key=lambda o: (o.kind == "schema", o.kind != "view")):
            schema, left = quoted(entry.schema), there[entry.schema]
            if entry.kind == "schema":
                if not left:
                    execute(f"DROP SCHEMA IF EXISTS {schema}")
                    dropped.append(entry)
            elif left.get(entry.name) == entry.kind:
                execute(f"DROP {entry.kind.upper()} {schema}.{quoted(entry.name)}")
                del left[entry.name]
                dropped.append(entry)
        store.repository.forget_case(case, connection)
    return dropped
