"""A snapshot of a store: what it holds of a case at one moment, read once and passed on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from miningflow.compile import Names
from miningflow.repository import MadeObject, RunRecord, StepRecord
from miningflow.store.objects import objects_of
from miningflow.store.opening import Store
from miningflow.store.ownership import own_objects


@dataclass(frozen=True)
class Snapshot:
    """What a store holds of a case; true as long as the lock of the case is held."""

    case: str
    builds: tuple[StepRecord, ...] = ()
    """All builds that the repository knows, oldest first."""
    objects: tuple[MadeObject, ...] = ()
    """The trash index, as far as the store confirms it: all that the case made and that is left."""
    there: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Schema of the case → name → 'table' or 'view': what really is in the store."""
    newest_run: RunRecord | None = None

    @property
    def public(self) -> Mapping[str, str]:
        """Returns what is in the schema that people read."""
        return self.there.get(Names(self.case).schema, {})

    @property
    def built(self) -> Mapping[str, str]:
        """Returns what is in the schema that runs build in."""
        return self.there.get(Names(self.case).built_schema, {})

    def without(self, dropped: Iterable[MadeObject]) -> Snapshot:
        """Returns the snapshot after these objects were dropped and taken out of the index.

        An object of another kind than the index says is not the case's, and stays in the store.
        """
        gone = set(dropped)
        marks = {(o.schema, o.name, o.kind) for o in gone}
        there = {
            schema: {n: kind for n, kind in names.items() if (schema, n, kind) not in marks}
            for schema, names in self.there.items()
        }
        objects = tuple(o for o in self.objects if o not in gone)
        return replace(self, objects=objects, there=there)

    def with_built(self, builds: Iterable[StepRecord], made: Iterable[MadeObject]) -> Snapshot:
        """Returns the snapshot after a run built these, which it knows without reading."""
        new = tuple(made)
        there = {schema: dict(names) for schema, names in self.there.items()}
        for entry in new:
            there[entry.schema][entry.name] = entry.kind
        return replace(
            self, builds=(*self.builds, *builds), objects=(*self.objects, *new), there=there
        )


def take_snapshot(case: str, store: Store | None) -> Snapshot:
    """Reads what a store holds of a case; nothing if there is no store yet."""
    if store is None:
        return Snapshot(case)
    names, repository = Names(case), store.repository
    made = own_objects(store, case, repository.objects(case))
    there = {
        schema: objects_of(store, schema, made) for schema in (names.schema, names.built_schema)
    }
    newest = next(iter(repository.runs(case, most=1)), None)
    return Snapshot(case, tuple(repository.builds(case)), tuple(made), there, newest)


def with_public_objects(snapshot: Snapshot, store: Store) -> Snapshot:
    """Reads again what is in the schema that people read, who may have made objects there."""
    schema = Names(snapshot.case).schema
    found = objects_of(store, schema, snapshot.objects)
    return replace(snapshot, there={**snapshot.there, schema: found})
