"""Cleaning: drops exactly what a case made, by the trash index."""

from __future__ import annotations

from miningflow.repository import MadeObject
from miningflow.run.store import Store
from miningflow.sql.literals import quoted


def clean_case(case: str, store: Store) -> list[MadeObject]:
    """Drops all objects of a case and forgets it; gives what was dropped."""
    made = store.repository.objects(case)
    there = {schema: store.engine.objects(schema) for schema in {o.schema for o in made}}
    dropped: list[MadeObject] = []
    with store.engine.session() as session:
        session.execute("BEGIN")
        for entry in sorted(made, key=lambda o: (o.kind == "schema", o.kind != "view")):
            schema = quoted(entry.schema)
            if entry.kind == "schema":
                others = set(there[entry.schema]) - {
                    o.name for o in made if o.schema == entry.schema
                }
                if not others:
                    session.execute(f"DROP SCHEMA IF EXISTS {schema}")
                    dropped.append(entry)
            elif entry.name in there[entry.schema]:
                kind = there[entry.schema][entry.name]
                session.execute(f"DROP {kind.upper()} {schema}.{quoted(entry.name)}")
                dropped.append(entry)
        session.execute("COMMIT")
    with store.repository.transaction() as connection:
        store.repository.forget_case(case, connection)
    return dropped
