"""Leftovers: what earlier runs began to build and never finished."""

from __future__ import annotations

from miningflow.compile import Names
from miningflow.store.cleaning import KINDS
from miningflow.store.object_names import is_part_of
from miningflow.store.objects import dropping
from miningflow.store.opening import Store
from miningflow.store.snapshot import Snapshot


def drop_leftovers(store: Store, snapshot: Snapshot) -> Snapshot:
    """Drops leftovers with their entries in the trash index; returns the store without them."""
    kept = {record.object_name for record in snapshot.builds}
    schema = Names(snapshot.case).built_schema
    left = [
        made
        for made in snapshot.objects
        if made.schema == schema and made.kind != "schema" and not is_part_of(made.name, kept)
    ]
    if not left:
        return snapshot
    with store.engine.session() as session:
        for kind in KINDS:
            mine = [o for o in left if o.kind == kind == snapshot.built.get(o.name)]
            for statement in dropping(store, kind, [(o.schema, o.name) for o in mine]):
                session.execute(statement)
    with store.repository.transaction() as connection:
        for made in left:
            store.repository.forget_object(snapshot.case, made, connection)
    return snapshot.without(left)
