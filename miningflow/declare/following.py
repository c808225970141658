"""Relations as steps follow them: seen from a concept, with others standing in, as a path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from miningflow.declare.concept import Concept, Cross, Link, Path, Relation


class FollowError(ValueError):
    """A relation cannot be followed; the message says why, the hint what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def seen_from(relation: Relation, concept: Concept) -> Relation:
    """Returns an n:m relation so that the rows of a concept belong to its one side."""
    if relation.through is None or concept.reach(relation.one.name) is not None:
        return relation
    return relation.turned() if concept.reach(relation.many.name) is not None else relation


def with_rows_of(relation: Relation, concept: Concept) -> Relation:
    """Lets a concept stand in for the many side of a relation, or for its cross table."""
    if relation.through is None:
        pointer = _pointer(concept, relation, relation.one, relation.many_feature)
        pointer = pointer or concept.reach(relation.one.name)
        if pointer is None:
            raise _points_no_longer(relation, concept, relation.one)
        return replace(relation, many=concept, many_feature=pointer)
    if is_cross(concept, relation):
        return replace(relation, through=_cross(relation, concept))
    key = concept.itself(relation.many.name)
    if key is None:
        raise FollowError(
            f"{concept.name!r} can stand in neither for {relation.many.name!r} nor for "
            f"{relation.through.concept.name!r}: it is made from neither, or has lost its keys"
        )
    return replace(relation, many=concept, many_feature=key)


def is_cross(concept: Concept, relation: Relation) -> bool:
    """Returns whether rows of a concept point to both sides of an n:m relation."""
    return sum(reach.relation == relation.name for reach in concept.reaches) > 1


def followable(concept: Concept, relations: Iterable[Relation]) -> list[str]:
    """Names the relations that can be followed from a concept."""
    found: list[str] = []
    for relation in relations:
        with suppress(FollowError):
            Follower(concept, ()).follow(relation)
            found.append(relation.name)
    return found


class Follower:
    """Follows relations one after the other, from concept to concept."""

    def __init__(self, start: Concept, stand_ins: Sequence[Concept]) -> None:
        self.here = start
        self.stand_ins = stand_ins
        self.used: set[str] = set()
        self.links: list[Link] = []
        self.arrivals: list[Concept] = []

    def follow(self, relation: Relation) -> None:
        """Goes on along a relation, in the direction in which it can be followed from here."""
        added = list(self._cross(relation) if relation.through else self._direct(relation))
        self.links += added
        self.here = added[-1].concept
        self.arrivals.append(self.here)

    def path(self) -> Path:
        """Returns the path that was followed."""
        idle = [c.name for c in self.stand_ins if c.name not in self.used]
        if idle:
            met = ", ".join(dict.fromkeys(repr(link.concept.name) for link in self.links))
            raise FollowError(
                f"{idle[0]!r} stands in for no concept on the path, which leads to {met}",
                "it must be made from one of these, and still have its key",
            )
        return Path(tuple(self.links), tuple(self.arrivals))

    def _direct(self, relation: Relation) -> Iterator[Link]:
        pointer = self.here.pointer(relation.name, relation.one.name)
        if pointer is not None:
            one = self._rows(relation.one)
            yield Link(relation.name, pointer, one, _key(one, relation.one), False)
            return
        key = self._identified(relation)
        many = self._rows(relation.many)
        found = _pointer(many, relation, relation.one, relation.many_feature)
        if found is None:
            raise _points_no_longer(relation, many, relation.one)
        yield Link(relation.name, key, many, found, True)

    def _cross(self, relation: Relation) -> Iterator[Link]:
        if is_cross(self.here, relation):
            raise FollowError(
                f"{self.here.name!r} is the cross table of {relation.name!r}, and points to both "
                "its sides",
                "declare a separate relation to the side that you want, without 'through'",
            )
        seen = seen_from(relation, self.here)
        key = self._identified(seen)
        assert seen.through is not None
        cross = _cross(seen, self._rows(seen.through.concept))
        many = self._rows(seen.many)
        yield Link(seen.name, key, cross.concept, cross.one_feature, True)
        yield Link(seen.name, cross.many_feature, many, _key(many, seen.many), False)

    def _identified(self, relation: Relation) -> str:
        one = relation.one.name
        key = self.here.itself(one) or self.here.reach(one)
        if key is None:
            raise FollowError(
                f"{relation.name!r} cannot be followed from {self.here.name!r}, "
                f"which has no feature that points to {one!r}"
            )
        return key

    def _rows(self, concept: Concept) -> Concept:
        """Returns what stands in for a source concept, or the concept."""
        for other in self.stand_ins:
            if other.itself(concept.name) is not None:
                self.used.add(other.name)
                return other
        return concept


def _cross(relation: Relation, concept: Concept) -> Cross:
    assert relation.through is not None
    usual = relation.through
    to_one = _pointer(concept, relation, relation.one, usual.one_feature)
    to_many = _pointer(concept, relation, relation.many, usual.many_feature)
    if to_one is None or to_many is None:
        lost = relation.one if to_one is None else relation.many
        raise _points_no_longer(relation, concept, lost)
    return Cross(concept, to_one, to_many)


def _pointer(concept: Concept, relation: Relation, to: Concept, usual: str) -> str | None:
    """Finds the feature that points along a relation; of two, the one with its usual name."""
    found = [
        reach.feature
        for reach in concept.reaches
        if (reach.relation, reach.concept) == (relation.name, to.name)
    ]
    return usual if usual in found else next(iter(found), None)


def _key(concept: Concept, source: Concept) -> str:
    key = concept.itself(source.name)
    if key is None or key != concept.key:
        raise FollowError(
            f"{concept.name!r} cannot stand in for {source.name!r}: it has lost its key"
        )
    return key


def _points_no_longer(relation: Relation, concept: Concept, to: Concept) -> FollowError:
    return FollowError(
        f"{relation.name!r} cannot be followed from {concept.name!r}, "
        f"which no longer points to {to.name!r}"
    )
