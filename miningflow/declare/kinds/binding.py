"""Binding of one parameter: what names mean to its step, and how a wrong value is reported."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn, TypeVar

from miningflow.declare.concept import Concept, Feature, Relation
from miningflow.errors import Diagnostic, Place, closest, suggestion
from miningflow.names import NAMES_HINT, can_be_name
from miningflow.nodes import Fields, Node, Scalar, kind_of

Part = TypeVar("Part")
Bound = TypeVar("Bound")


class Unusable(Exception):
    """A value cannot be bound; the reason is already noted, here or in another step."""


@dataclass
class Scope:
    """What names mean to a step; None stands for a concept or relation known to be broken."""

    concepts: Mapping[str, Concept | None]
    relations: Mapping[str, Relation | None]
    chains: Mapping[str, str]
    diagnostics: list[Diagnostic] = field(default_factory=list)
    turns: set[str] = field(default_factory=set)
    """Turns of loops before the last, which no case can name."""

    def concept(self, name: Scalar) -> Concept:
        """Finds a concept by name."""
        meant = self.chains.get(name.text, name.text)
        if meant not in self.concepts:
            known = [n for n in [*self.concepts, *self.chains] if n not in self.turns]
            hint = suggestion(name.text, known, "concepts")
            self.note(f"there is no concept or step {name.text!r}", name.place, hint)
            near = closest(name.text, known) or ""
            meant = self.chains.get(near, near)
        found = self.concepts.get(meant)
        if found is None:
            raise Unusable
        return found

    def relation(self, name: Scalar) -> Relation:
        """Finds a relation by name."""
        meant = name.text
        if meant not in self.relations:
            hint = suggestion(name.text, self.relations, "relations")
            self.note(f"there is no relation {name.text!r}", name.place, hint)
            meant = closest(name.text, list(self.relations)) or ""
        found = self.relations.get(meant)
        if found is None:
            raise Unusable
        return found

    def note(self, message: str, place: Place, hint: str = "") -> None:
        """Notes an error; whoever notes it may go on with what was probably meant."""
        self.diagnostics.append(Diagnostic(message, place, hint))

    def wrong(self, message: str, place: Place, hint: str = "") -> NoReturn:
        """Notes an error and abandons the value."""
        self.note(message, place, hint)
        raise Unusable


@dataclass(frozen=True)
class Binding:
    """One parameter of a step, while its value is bound."""

    scope: Scope
    operator: str
    parameter: str
    values: Mapping[str, Any]
    """The parameters of the step that are bound already."""

    def wrong(self, message: str, node: Node, hint: str = "") -> NoReturn:
        """Notes what is wrong with the parameter and abandons the value."""
        self.scope.wrong(f"{self.parameter!r} of {self.operator} {message}", node.place, hint)

    def each(self, parts: Iterable[Part], bind: Callable[[Part], Bound]) -> list[Bound]:
        """Binds all parts of a value, so that a wrong one does not hide the others."""
        found: list[Bound] = []
        broken = False
        for part in parts:
            try:
                found.append(bind(part))
            except Unusable:
                broken = True
        if broken:
            raise Unusable
        return found

    def scalar(self, node: Node, what: str) -> Scalar:
        """Returns a single value; `what` says which one is expected."""
        if not isinstance(node, Scalar) or node.kind == "null":
            given = "nothing" if isinstance(node, Scalar) else kind_of(node)
            self.wrong(f"takes {what}, got {given}", node)
        return node

    def entries(self, node: Node, what: str) -> list[tuple[Scalar, Node]]:
        """Returns the entries of a map that is not empty."""
        if not isinstance(node, Fields) or not node.entries:
            self.wrong(f"takes {what}", node)
        return list(node)

    def name(self, node: Node, what: str) -> str:
        """Returns a text that can be a name."""
        scalar = self.scalar(node, what)
        if not can_be_name(scalar.text):
            self.scope.wrong(f"{scalar.text[:40]!r} cannot be a name", scalar.place, NAMES_HINT)
        return scalar.text

    def number(self, scalar: Scalar) -> float:
        """Returns a finite number."""
        try:
            value = float(scalar.text.replace("_", ""))
        except ValueError:
            self.wrong(f"takes a number, got {scalar.text[:40]!r}", scalar)
        if not math.isfinite(value):
            self.wrong("takes a finite number", scalar)
        return value

    def check_value(self, feature: Feature, value: Scalar) -> None:
        """Refuses a value that a feature of this type cannot have."""
        if feature.type == "numeric":
            self.number(value)
        elif feature.type == "time":
            hint = "write it as 2025-12-31 or 2025-12-31 23:59:00"
            try:
                moment = datetime.fromisoformat(value.text)
            except ValueError:
                self.scope.wrong(f"{value.text!r} is not a time", value.place, hint)
            if moment.tzinfo is not None:
                self.scope.wrong(f"{value.text!r} has a time zone", value.place, hint)

    def owner(self, of: str) -> Concept:
        """Returns the concept that a concept or relation parameter means."""
        found = self.values.get(of)
        if isinstance(found, Relation):
            return found.many
        if not isinstance(found, Concept):
            raise Unusable
        return found
