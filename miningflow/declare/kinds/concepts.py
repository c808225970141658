"""Concepts and relations: what the rows of a step come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, overload

from miningflow.declare.concept import Concept, Path, Relation
from miningflow.declare.following import (
    Follower,
    FollowError,
    followable,
    seen_from,
    with_rows_of,
)
from miningflow.declare.kinds.binding import Binding, Unusable
from miningflow.declare.kinds.composed import ListOf, items, one_or_many, refuse_repeated
from miningflow.declare.kinds.kind import Kind, Schema
from miningflow.declare.kinds.reduction import Reduction
from miningflow.declare.kinds.written import NAME
from miningflow.declare.parameters import NOT_GIVEN, declared
from miningflow.errors import listed
from miningflow.nodes import Node, Scalar


@dataclass(frozen=True)
class ConceptName(Kind[Concept]):
    """A source concept or the output of a step, by name."""

    word: ClassVar[str] = "concept"
    order: ClassVar[int] = 0

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a concept"

    def schema(self) -> Schema:
        """Returns the schema of a name."""
        return NAME

    def bind(self, node: Node, binding: Binding) -> Concept:
        """Finds the concept."""
        return binding.scope.concept(binding.scalar(node, "the name of a concept"))

    def plain(self, value: Concept) -> str:
        """Returns its name."""
        return value.name

    def concepts(self, value: Concept) -> Iterator[Concept]:
        """Returns the concept."""
        yield value

    def concept_names(self, node: Node) -> Iterator[Scalar]:
        """Returns the name as it is written."""
        if isinstance(node, Scalar):
            yield node

    def reduce(self, value: Concept, reduction: Reduction) -> Concept:
        """Returns the concept without the features that it lost."""
        return reduction.present(value)


@dataclass(frozen=True)
class ConceptList(ListOf[Concept]):
    """Several concepts, each once."""

    word: ClassVar[str] = "concepts"
    order: ClassVar[int] = 0
    items_are: ClassVar[str] = "concepts"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"a list of concepts{self.at_least()}"

    def schema(self) -> Schema:
        """Returns the schema of a list of names."""
        return {"type": "array", "items": NAME}

    def check(self, found: tuple[Concept, ...], nodes: Sequence[Node], binding: Binding) -> None:
        """Refuses a concept that is named twice."""
        refuse_repeated([concept.name for concept in found], nodes, binding)

    def reduce(self, value: tuple[Concept, ...], reduction: Reduction) -> tuple[Concept, ...]:
        """Returns the concepts without the features that they lost."""
        return tuple(reduction.present(concept) for concept in value)


@dataclass(frozen=True)
class RelationName(Kind[Relation]):
    """A relation of the case, by name, as it is seen from the input."""

    many: str = ""
    """The concept parameter that stands in for what the relation leads to."""

    word: ClassVar[str] = "relation"
    order: ClassVar[int] = 1

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a relation"

    def schema(self) -> Schema:
        """Returns the schema of a name."""
        return NAME

    def bind(self, node: Node, binding: Binding) -> Relation:
        """Finds the relation, and turns it so that the input is on its one side."""
        relation = binding.scope.relation(binding.scalar(node, "the name of a relation"))
        concept, stand_in = binding.values.get("input"), binding.values.get(self.many)
        if isinstance(concept, Concept):
            relation = seen_from(relation, concept)
        try:
            return with_rows_of(relation, stand_in) if stand_in is not None else relation
        except FollowError as error:
            binding.scope.wrong(error.message, node.place, error.hint)

    def plain(self, value: Relation) -> list[str]:
        """Returns the relation with its ends."""
        ends = [value.name, value.many.name, value.many_feature, value.one_feature]
        cross = value.through
        if cross is None:
            return ends
        return [*ends, cross.concept.name, cross.one_feature, cross.many_feature]

    def concepts(self, value: Relation) -> Iterator[Concept]:
        """Returns the many side and the cross table; the one side is a separate parameter."""
        yield value.many
        if value.through is not None:
            yield value.through.concept

    def relation_names(self, node: Node) -> Iterator[Scalar]:
        """Returns the name as it is written."""
        if isinstance(node, Scalar):
            yield node

    def reduce(self, value: Relation, reduction: Reduction) -> Relation:
        """Returns the relation between concepts without the features that they lost."""
        cross = value.through
        if cross is not None:
            cross = replace(cross, concept=reduction.present(cross.concept))
        return replace(value, many=reduction.present(value.many), through=cross)


@dataclass(frozen=True)
class RelationPath(Kind[Path]):
    """Relations that are followed one after the other from a concept."""

    many: str = ""
    """The concepts parameter that stands in for what the path leads to."""
    of: str = "input"
    """The concept parameter that the path starts from."""

    word: ClassVar[str] = "path"
    order: ClassVar[int] = 1

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a list of relations, at least 1"

    def schema(self) -> Schema:
        """Returns the schema of one or several names."""
        return one_or_many(NAME)

    def bind(self, node: Node, binding: Binding) -> Path:
        """Follows the relations."""
        start = binding.values.get(self.of)
        if not isinstance(start, Concept):
            raise Unusable
        names = [binding.scalar(n, "the name of a relation") for n in items(node)]
        if not names:
            binding.wrong("takes at least 1 relation", node)
        scope = binding.scope
        follower = Follower(start, binding.values.get(self.many) or ())
        for name in names:
            try:
                follower.follow(scope.relation(name))
            except FollowError as error:
                known = [relation for relation in scope.relations.values() if relation]
                others = followable(follower.here, known)
                hint = f"from {follower.here.name!r} one can follow {listed(others) or 'none'}"
                scope.wrong(error.message, name.place, error.hint or hint)
        try:
            return follower.path()
        except FollowError as error:
            scope.wrong(error.message, node.place, error.hint)

    def plain(self, value: Path) -> list[list[str]]:
        """Returns the joins one after the other."""
        return [[k.relation, k.before, k.concept.name, k.feature] for k in value.links]

    def concepts(self, value: Path) -> Iterator[Concept]:
        """Returns the concepts on the path."""
        return (link.concept for link in value.links)

    def relation_names(self, node: Node) -> Iterator[Scalar]:
        """Returns the names as they are written."""
        return (item for item in items(node) if isinstance(item, Scalar))

    def reduce(self, value: Path, reduction: Reduction) -> Path:
        """Returns the path along concepts without the features that they lost."""
        links = (replace(link, concept=reduction.present(link.concept)) for link in value.links)
        return Path(tuple(links), tuple(reduction.present(c) for c in value.arrivals))


@overload
def concept(text: str) -> Concept: ...
@overload
def concept(text: str, default: None) -> Concept | None: ...
def concept(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a parameter that names a concept: a source or the output of a step."""
    return declared(ConceptName(), text, default)


@overload
def concepts(text: str, minimum: int = ...) -> tuple[Concept, ...]: ...
@overload
def concepts(text: str, minimum: int = ..., *, default: None) -> tuple[Concept, ...] | None: ...
def concepts(text: str, minimum: int = 1, default: Any = NOT_GIVEN) -> Any:
    """Declares a parameter that names several concepts."""
    return declared(ConceptList(ConceptName(), minimum), text, default)


def relation(text: str, many: str = "") -> Relation:
    """Declares a parameter that names a relation of the case."""
    found: Relation = declared(RelationName(many), text)
    return found


def path(text: str, many: str = "") -> Path:
    """Declares a list of relations that are followed one after the other from a concept."""
    found: Path = declared(RelationPath(many), text)
    return found
