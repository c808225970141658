"""YAML nodes that know their place: scalars, items and fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from miningflow.errors import Place

ScalarKind = Literal["text", "integer", "number", "boolean", "null"]


@dataclass(frozen=True)
class Scalar:
    """A single value, with its text exactly as written."""

    text: str
    kind: ScalarKind
    place: Place

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[Node, ...]
    place: Place


@dataclass(frozen=True)
class Fields:
    """A map from names to nodes, in the order of the file."""

    entries: dict[str, tuple[Scalar, Node]]
    place: Place

    def __iter__(self) -> Iterator[tuple[Scalar, Node]]:
        return iter(self.entries.values())

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def get(self, name: str) -> Node | None:
        """Returns the node of a name, if it is there."""
        entry = self.entries.get(name)
        return entry[1] if entry else None

    def key(self, name: str) -> Scalar:
        """Returns the name itself, with its place."""
        return self.entries[name][0]


Node = Scalar | Items | Fields

KIND_NAMES = {Scalar: "a single value", Items: "a list", Fields: "a map"}


def kind_of(node: Node) -> str:
    """Names what a node is, for messages."""
    return KIND_NAMES[type(node)]
