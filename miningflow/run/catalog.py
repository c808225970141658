"""What a case made in its store, by the names of the case: an engine may store others."""

from __future__ import annotations

from collections.abc import Sequence

from miningflow.engines.engine import ObjectKind
from miningflow.run.store import Store
from miningflow.sql.dialect import identifier
from miningflow.sql.stored import stored_name


def objects_of(case: str, store: Store, schema: str) -> dict[str, str]:
    """Tells the tables and views of a schema: name → 'table' or 'view'.

    What the case did not make comes under the name by which it is stored.
    """
    dialect = store.engine.dialect
    found = store.engine.objects(stored_name(schema, dialect))
    named = {stored: name for name, stored in _renamed(case, store, schema).items()}
    return {named.get(name, name): kind for name, kind in found.items()}


def functions_of(store: Store, schema: str) -> set[str]:
    """Names the functions of a schema, as they are stored."""
    return set(store.engine.functions(stored_name(schema, store.engine.dialect)))


def has_schema(store: Store, schema: str) -> bool:
    """Says whether there is a schema."""
    return stored_name(schema, store.engine.dialect) in store.engine.schemas()


def schema_identifier(store: Store, schema: str) -> str:
    """Writes the name of a schema that the case makes."""
    dialect = store.engine.dialect
    return identifier(stored_name(schema, dialect), dialect)


def dropping(store: Store, kind: ObjectKind, objects: Sequence[tuple[str, str]]) -> list[str]:
    """Gives the statements that drop what the case made, of one kind."""
    dialect = store.engine.dialect
    stored = [
        (stored_name(schema, dialect), stored_name(name, dialect)) for schema, name in objects
    ]
    return store.engine.dropping(kind, stored)


def _renamed(case: str, store: Store, schema: str) -> dict[str, str]:
    """Gives the names in a schema that an engine does not store as they are: name → stored."""
    dialect = store.engine.dialect
    if stored_name(" ", dialect) == " ":
        return {}
    made = [o.name for o in store.repository.objects(case) if o.schema == schema]
    return {name: stored_name(name, dialect) for name in made}
