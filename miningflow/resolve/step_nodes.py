"""The nodes of a step: what names mean to it, and how a wrong value is told."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn

from miningflow.declare.concept import Concept, Feature, Relation
from miningflow.declare.parameters import Parameter
from miningflow.errors import Mistake, Place, listed, suggestion
from miningflow.read.names import NAMES_HINT, can_be_name
from miningflow.read.nodes import Items, Node, Scalar, kind_of


class Unusable(Exception):
    """A value cannot be bound; the mistake is already noted, or lies in another step."""


@dataclass
class Scope:
    """What names mean to a step; a concept that is None is broken, and its mistake is known."""

    concepts: Mapping[str, Concept | None]
    relations: Mapping[str, Relation | None]
    chains: Mapping[str, str]
    mistakes: list[Mistake] = field(default_factory=list)

    def concept(self, name: Scalar) -> Concept:
        """Finds a concept by name."""
        meant = self.chains.get(name.text, name.text)
        if meant not in self.concepts:
            known = [*self.concepts, *self.chains]
            self.wrong(
                f"there is no concept or step {name.text!r}",
                name.place,
                suggestion(name.text, [n for n in known if "[" not in n], "concepts"),
            )
        found = self.concepts[meant]
        if found is None:
            raise Unusable
        return found

    def wrong(self, message: str, place: Place, hint: str = "") -> NoReturn:
        """Notes a mistake and gives the value up."""
        self.mistakes.append(Mistake(message, place, hint))
        raise Unusable


class StepNodes:
    """Asks nodes for what a parameter needs; notes what is wrong, and gives the value up."""

    parameter: Parameter

    def __init__(self, scope: Scope, operator: str) -> None:
        self.scope = scope
        self.operator = operator
        self.values: dict[str, Any] = {}

    def _one_feature(self, name: Scalar) -> Feature:
        concept = self._of()
        found = concept.features.get(name.text)
        if found is None:
            self.scope.wrong(
                f"there is no feature {name.text!r} in {concept.name!r}",
                name.place,
                suggestion(name.text, concept.features, "features"),
            )
        types = self.parameter.types
        if types and found.type not in types:
            fitting = [f.name for f in concept.of_type(*types)]
            self.scope.wrong(
                f"feature {found.name!r} is {found.type}; {self.parameter.name!r} of "
                f"{self.operator} takes {' or '.join(types)}",
                name.place,
                f"fitting features: {listed(fitting)}" if fitting else "",
            )
        return found

    def _value_of(self, feature: Feature, value: Scalar) -> None:
        """Refuses a value that a feature of this type cannot have."""
        if feature.type == "numeric":
            self._float(value)
        elif feature.type == "time":
            hint = "write it as 2025-12-31 or 2025-12-31 23:59:00"
            try:
                moment = datetime.fromisoformat(value.text)
            except ValueError:
                self.scope.wrong(f"{value.text!r} is not a time", value.place, hint)
            if moment.tzinfo is not None:
                self.scope.wrong(f"{value.text!r} has a time zone", value.place, hint)

    def _of(self) -> Concept:
        """Gives the concept whose features this parameter means."""
        owner = self.values.get(self.parameter.of)
        if isinstance(owner, Relation):
            return owner.many
        if not isinstance(owner, Concept):
            raise Unusable
        return owner

    def _items(self, node: Node) -> tuple[Node, ...]:
        return node.items if isinstance(node, Items) else (node,)

    def _scalar(self, node: Node, what: str) -> Scalar:
        if not isinstance(node, Scalar) or node.kind == "null":
            given = "empty" if isinstance(node, Scalar) else kind_of(node)
            self._wrong(f"takes {what}, and is {given}", node)
        return node

    def _nameable(self, name: Scalar) -> None:
        if not can_be_name(name.text):
            self.scope.wrong(f"{name.text[:40]!r} cannot be a name", name.place, NAMES_HINT)

    def _float(self, scalar: Scalar) -> float:
        try:
            value = float(scalar.text.replace("_", ""))
        except ValueError:
            self._wrong(f"takes a number, and is {scalar.text[:40]!r}", scalar)
        if not math.isfinite(value):
            self._wrong("takes a finite number", scalar)
        return value

    def _within(self, value: float, node: Node) -> None:
        low, high = self.parameter.minimum, self.parameter.maximum
        if low is not None and value < low:
            self._wrong(f"must be at least {low:g}, and is {value:g}", node)
        if high is not None and value > high:
            self._wrong(f"must be at most {high:g}, and is {value:g}", node)

    def _wrong(self, message: str, node: Node, hint: str = "") -> NoReturn:
        self.scope.wrong(f"{self.parameter.name!r} of {self.operator} {message}", node.place, hint)
