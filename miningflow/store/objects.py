"""What a case made in its store, by the names of the case; an engine may store other names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from miningflow.engines.engine import ObjectKind
from miningflow.repository import MadeObject
from miningflow.sql.dialect import identifier
from miningflow.sql.stored import stored_name
from miningflow.store.opening import Store


def objects_of(store: Store, schema: str, made: Iterable[MadeObject]) -> dict[str, str]:
    """Returns the tables and views of a schema: name → 'table' or 'view'.

    What the case made comes under its own name, everything else under the name it is stored by.
    """
    dialect = store.engine.dialect
    found = store.engine.objects(stored_name(schema, dialect))
    named = {stored_name(o.name, dialect): o.name for o in made if o.schema == schema}
    return {named.get(name, name): kind for name, kind in found.items()}


def functions_of(store: Store, schema: str) -> set[str]:
    """Returns the functions of a schema, by the names they are stored by."""
    return set(store.engine.functions(stored_name(schema, store.engine.dialect)))


def has_schema(store: Store, schema: str) -> bool:
    """Returns whether there is a schema."""
    engine = store.engine
    name, there = stored_name(schema, engine.dialect), engine.schemas()
    if engine.ignores_case:
        return name.casefold() in {each.casefold() for each in there}
    return name in there


def schema_identifier(store: Store, schema: str) -> str:
    """Writes the name of a schema that the case makes."""
    dialect = store.engine.dialect
    return identifier(stored_name(schema, dialect), dialect)


def dropping(store: Store, kind: ObjectKind, objects: Sequence[tuple[str, str]]) -> list[str]:
    """Returns the statements that drop what the case made, of one kind."""
    dialect = store.engine.dialect
    stored = [
        (stored_name(schema, dialect), stored_name(name, dialect)) for schema, name in objects
    ]
    return store.engine.dropping(kind, stored)
