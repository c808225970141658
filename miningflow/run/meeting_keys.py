"""Keys that meet must be of one type: an engine would cast one of them, and `1` would be `001`."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from miningflow.compile import Piece
from miningflow.declare.concept import Relation
from miningflow.engines import Session
from miningflow.engines.key_types import KeyType, key_type
from miningflow.errors import Diagnostic, Place, RunError
from miningflow.resolve import BoundCase, BoundStep
from miningflow.run.built_objects import BuiltObjects
from miningflow.sql.dialect import render
from miningflow.sql.meetings import Origin, meetings, origins
from miningflow.store.sources import SourceLocation

# What cannot be read as the other.
_UNRELATED = ({"integer", "date"}, {"integer", "timestamp"})


@dataclass(frozen=True)
class _Key:
    """A key that meets another: where it comes from, and its type."""

    origin: Origin
    type: KeyType


class MeetingKeys:
    """Compares the types of keys that meet, in relations and in the steps of a run."""

    def __init__(
        self,
        bound: BoundCase,
        locations: Mapping[str, SourceLocation],
        objects: BuiltObjects,
        dialect: str,
    ) -> None:
        self._bound = bound
        self._locations = locations
        self._objects = objects
        self._dialect = dialect
        self._types: dict[str, dict[str, KeyType | None]] = {}
        self._lock = threading.Lock()

    def check_relations(self, source: str, session: Session) -> None:
        """Refuses relations of a source whose other end is built, and has keys of another type."""
        diagnostics = []
        for relation in self._bound.relations.values():
            for pair in _ends(relation):
                built = all(name in self._objects for name, _ in pair)
                if built and source in {name for name, _ in pair}:
                    keys = [self._key(origin, origin, session) for origin in sorted(set(pair))]
                    place = self._bound.case.relations[relation.name].name.place
                    what = f"relation {relation.name!r}"
                    diagnostics += self._unlike([key for key in keys if key], what, place)
        if diagnostics:
            raise RunError(*diagnostics)

    def check_step(
        self, step: BoundStep, piece: Piece, pieces: Mapping[str, Piece], session: Session
    ) -> None:
        """Refuses a step that compares keys of different types, or puts them under each other."""
        for meeting in meetings(piece.block):
            found = sorted(o for o in meeting if self._is_key(o, pieces))
            if len(found) < 2:
                continue
            each = [self._key(o, first_origin(o, pieces), session) for o in found]
            what = f"step {step.written_name!r}"
            diagnostics = self._unlike([key for key in each if key], what, step.place())
            if diagnostics:
                raise RunError(*diagnostics)

    def _is_key(self, origin: Origin, pieces: Mapping[str, Piece]) -> bool:
        name, column = origin
        features = pieces[name].presence.concept.features if name in pieces else {}
        return column in features and features[column].type == "key"

    def _key(self, origin: Origin, first: Origin, session: Session) -> _Key | None:
        name, column = origin
        with self._lock:
            types = self._types.get(name)
        if types is None:
            table = render(self._objects.naming(name), self._dialect)
            found = session.columns(f"SELECT * FROM {table}")
            types = {c.casefold(): key_type(session, kind) for c, kind in found.items()}
            with self._lock:
                self._types[name] = types
        kind = types.get(column.casefold())
        return _Key(first, kind) if kind is not None else None

    def _unlike(self, keys: list[_Key], what: str, place: Place) -> list[Diagnostic]:
        """Returns a diagnostic if keys are not of one type."""
        one = keys[0] if keys else None
        other = next((key for key in keys if one and key.type != one.type), None)
        if one is None or other is None:
            return []
        advice = "mend the data, so that both are of one type"
        if {one.type, other.type} not in _UNRELATED:
            advice = (
                f"read both as one type in the connection: {self._mending(one, other.type)}, "
                f"or {self._mending(other, one.type)}"
            )
        shown = f"{self._shown(one)}, {self._shown(other)}"
        message = f"{what} brings together keys of different types: {shown}"
        return [Diagnostic(message, place, advice)]

    def _shown(self, key: _Key) -> str:
        name, feature = key.origin
        location = self._locations.get(name)
        if location is None:
            where = f"step {name!r}"
        elif feature == location.numbered:
            where = f"the number of the row in {location.shown}"
        else:
            where = f"column {location.column(feature)!r} of {location.shown}"
        return f"{name}.{feature} is {key.type} ({where})"

    def _mending(self, key: _Key, wanted: KeyType) -> str:
        name, feature = key.origin
        location = self._locations.get(name)
        if location is None or feature == location.numbered:
            return f"make {name}.{feature} {wanted}"
        column = location.column(feature)
        named = f"column: {column}, " if column != feature else ""
        return f"`{name}: {{columns: {{{feature}: {{{named}as: {wanted}}}}}}}`"


def first_origin(origin: Origin, pieces: Mapping[str, Piece]) -> Origin:
    """Follows a column through the steps that pass it on, to where it comes from."""
    name, column = origin
    block = pieces[name].block
    before = sorted(o for o in origins(block, column) if o[0] != name and o[0] in pieces)
    return first_origin(before[0], pieces) if before else origin


def _ends(relation: Relation) -> Iterator[tuple[Origin, Origin]]:
    one, many = (
        (relation.one.name, relation.one_feature),
        (relation.many.name, relation.many_feature),
    )
    if relation.through is None:
        yield many, one
        return
    cross = relation.through
    yield (cross.concept.name, cross.one_feature), one
    yield (cross.concept.name, cross.many_feature), many
