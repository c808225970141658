"""The bound case: every name found, every parameter a value, every output concept derived."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from miningflow.declare.concept import Concept, Path, Relation, Segmentation
from miningflow.declare.operator import Operator
from miningflow.declare.segmentation import PerSegment
from miningflow.errors import Mistake, Place
from miningflow.read.case import Case
from miningflow.resolve.data_tests import BoundDataTest


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
    within: tuple[Segmentation, ...] = ()
    """The segmentations of its inputs: it runs, and learns, once for each of their segments."""
    loop_over: str | None = None
    """In a `for_each` loop: the feature of this turn; the turn is left out if it is deselected."""
    hidden: bool = False
    """A turn of a loop before the last; nobody can name it."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Gives the parameters as plain data, with what else decides what is learned."""
        return {**self.given, "learn_on": self.learn_on} if self.learn_on else self.given

    @property
    def learns(self) -> Any:
        """Gives the type of what it learns, if it learns: one artifact, or one for each segment."""
        learned: Any = self.operator.learns
        return PerSegment[learned] if learned is not None and self.within else learned

    def place(self, parameter: str = "") -> Place:
        """Gives the place of a parameter, or of the step."""
        return self.places.get(parameter) or self.places[""]


@dataclass(frozen=True)
class Row:
    """A row of a test: the features it names, and their values."""

    values: Mapping[str, Any]
    place: Place


@dataclass(frozen=True)
class BoundTest:
    """A test whose names are found and whose values fit."""

    name: str
    step: str
    given: Mapping[str, tuple[Row, ...]]
    expect: tuple[Row, ...]
    learned: Literal["given", "stored"]
    tolerance: float
    place: Place
    about: str = ""


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
    tests: Mapping[str, BoundTest] = field(default_factory=dict)
    data_tests: tuple[BoundDataTest, ...] = ()

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
