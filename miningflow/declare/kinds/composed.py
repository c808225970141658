"""Composed kinds: lists and maps of other kinds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from miningflow.declare.concept import Concept
from miningflow.declare.kinds.binding import Binding
from miningflow.declare.kinds.kind import Kind, Schema, Value
from miningflow.nodes import Items, Node, Scalar

Item = TypeVar("Item")
Key = TypeVar("Key")


def items(node: Node) -> tuple[Node, ...]:
    """Returns the items of a list; a single value is a list of one."""
    return node.items if isinstance(node, Items) else (node,)


def one_or_many(schema: Schema) -> Schema:
    """Returns the schema of one value or a list of them."""
    return {"anyOf": [schema, {"type": "array", "items": schema, "minItems": 1}]}


@dataclass(frozen=True)
class ListOf(Kind[tuple[Item, ...]], Generic[Item]):
    """A list of values of one kind; a single value is a list of one."""

    item: Kind[Item]
    minimum: int = 0

    items_are: ClassVar[str] = "values"
    """What messages call the items."""

    def bind(self, node: Node, binding: Binding) -> tuple[Item, ...]:
        """Binds each item, then checks them together."""
        nodes = items(node)
        found = tuple(binding.each(nodes, lambda item: self.item.bind(item, binding)))
        self.check(found, nodes, binding)
        self.count(len(found), node, binding)
        return found

    def check(self, found: tuple[Item, ...], nodes: Sequence[Node], binding: Binding) -> None:
        """Refuses items that do not go together."""

    def count(self, found: int, node: Node, binding: Binding) -> None:
        """Refuses a list that is too short."""
        if found < self.minimum:
            binding.wrong(f"takes at least {self.minimum} {self.items_are}, got {found}", node)

    def plain(self, value: tuple[Item, ...]) -> list[Any]:
        """Returns the items as plain data."""
        return [self.item.plain(item) for item in value]

    def concepts(self, value: tuple[Item, ...]) -> Iterator[Concept]:
        """Returns the concepts of all items."""
        return (concept for item in value for concept in self.item.concepts(item))

    def concept_names(self, node: Node) -> Iterator[Scalar]:
        """Returns the names of concepts in all items."""
        return (name for item in items(node) for name in self.item.concept_names(item))

    def at_least(self) -> str:
        """Returns the minimum in words, for the operator reference."""
        return f", at least {self.minimum}" if self.minimum else ""


@dataclass(frozen=True)
class MapOf(Kind[Value], Generic[Key, Item, Value]):
    """A map from values of one kind to values of another, made into one value."""

    key: Kind[Key]
    item: Kind[Item]

    @property
    @abstractmethod
    def written(self) -> str:
        """Returns in words what a case writes, with an example."""

    def bind(self, node: Node, binding: Binding) -> Value:
        """Binds each entry, then makes one value of them."""
        entries = binding.entries(node, self.written)
        keys = binding.each(entries, lambda entry: self.key.bind(entry[0], binding))
        values = binding.each(entries, lambda entry: self.item.bind(entry[1], binding))
        return self.made(list(zip(keys, values, strict=True)), entries, binding)

    @abstractmethod
    def made(
        self,
        found: list[tuple[Key, Item]],
        entries: list[tuple[Scalar, Node]],
        binding: Binding,
    ) -> Value:
        """Makes a value of the bound entries, or refuses those that do not go together."""


def refuse_repeated(found: Sequence[str], nodes: Sequence[Node], binding: Binding) -> None:
    """Refuses a list that names something twice."""
    for i, name in enumerate(found):
        if name in found[:i]:
            binding.wrong(f"names {name!r} twice", nodes[i])
