"""Weights of classes: a word that has them computed, or a map with the weight of each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from miningflow.declare.kinds.binding import Binding
from miningflow.declare.kinds.composed import MapOf
from miningflow.declare.kinds.kind import Kind, Schema
from miningflow.declare.kinds.numbers import Number
from miningflow.declare.kinds.values import WrittenValue
from miningflow.declare.kinds.words import Choice
from miningflow.declare.parameters import declared
from miningflow.nodes import Node, Scalar

BALANCED = "balanced"
LEAST, GREATEST = 1e-9, 1e9


@dataclass(frozen=True)
class WeightByClass(MapOf[str, float, dict[str, float]]):
    """A map from each class to its weight."""

    word: ClassVar[str] = "weight_by_class"

    @property
    def written(self) -> str:
        """Returns in words what a case writes, with an example."""
        return "`balanced`, or a map of all classes to weights, such as {yes: 5, no: 1}"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a map of all classes to weights above 0"

    def schema(self) -> Schema:
        """Returns the schema of a map of numbers."""
        return {
            "type": "object",
            "additionalProperties": self.item.schema(),
            "minProperties": 2,
        }

    def made(
        self,
        found: list[tuple[str, float]],
        entries: list[tuple[Scalar, Node]],
        binding: Binding,
    ) -> dict[str, float]:
        """Returns the map, and refuses one that leaves out all classes but one."""
        if len(found) < 2:
            binding.wrong(
                f"has no weight for a class besides {found[0][0]!r}",
                entries[0][0],
                "give the weight of each class, such as {yes: 5, no: 1}",
            )
        return dict(found)


@dataclass(frozen=True)
class ClassWeights(Kind["str | dict[str, float]"]):
    """`balanced`, or the weight of each class."""

    choice: Choice
    by_class: WeightByClass

    word: ClassVar[str] = "class_weights"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"{self.choice.takes()}, or {self.by_class.takes()}"

    def schema(self) -> Schema:
        """Returns the schema of the word or the map."""
        return {"anyOf": [self.choice.schema(), self.by_class.schema()]}

    def bind(self, node: Node, binding: Binding) -> str | dict[str, float]:
        """Reads the word or the map."""
        if isinstance(node, Scalar) and node.kind != "null":
            return self.choice.bind(node, binding)
        return self.by_class.bind(node, binding)


def class_weights(text: str) -> Any:
    """Declares weights of the classes of `target`; none by default, also in older stores."""
    by_class = WeightByClass(WrittenValue("target"), Number(LEAST, GREATEST))
    return declared(ClassWeights(Choice((BALANCED,)), by_class), text, None, later=True)
