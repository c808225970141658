"""The bound case: every name found, every parameter a value, every output concept derived."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from miningflow.declare.concept import Concept, Path, Relation
from miningflow.declare.operator import Operator
from miningflow.errors import Mistake, Place
from miningflow.read.case import Case


@dataclass(frozen=True)
class BoundStep:
    """A step whose operator holds its parameters; its output concept bears its name."""

    name: str
    operator: Operator
    output: Concept
    inputs: tuple[str, ...]
    learn_on: str | None
    builds: Literal["view", "table"]
    asked_for: bool
    """Whether the step says how to build it, so that it is built even where it could be fused."""
    given: Mapping[str, Any]
    """The parameters as plain data, for the fingerprint."""
    places: Mapping[str, Place]
    """Where each parameter stands; '' is the place of the step."""
    about: str = ""
    loop_over: str | None = None
    """In a `for_each` loop: the feature of this turn; the turn is left out if it is deselected."""
    hidden: bool = False
    """A turn of a loop before the last; nobody can name it."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Gives the parameters as plain data, with what else decides what is learned."""
        return {**self.given, "learn_on": self.learn_on} if self.learn_on else self.given

    def place(self, parameter: str = "") -> Place:
        """Gives the place of a parameter, or of the step."""
        return self.places.get(parameter) or self.places[""]


@dataclass(frozen=True)
class BoundCase:
    """A whole case, bound; steps stand in an order in which they can run."""

    case: Case
    name: str
    sources: Mapping[str, Concept]
    relations: Mapping[str, Relation]
    steps: Mapping[str, BoundStep]
    chains: Mapping[str, str]
    scoring: str | None
    warnings: tuple[Mistake, ...] = ()

    def concept(self, name: str) -> Concept:
        """Gives a source concept or the output concept of a step."""
        return self.sources[name] if name in self.sources else self.steps[name].output


def concepts_in(value: Any) -> Iterator[Concept]:
    """Gives the concepts that the value of a parameter reads; the one side of a relation is not."""
    match value:
        case Concept():
            yield value
        case Relation():
            yield value.many
            if value.through is not None:
                yield value.through.concept
        case Path():
            yield from (link.concept for link in value.links)
        case tuple():
            yield from (item for item in value if isinstance(item, Concept))
