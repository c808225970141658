"""The bound case: every name found, every parameter a value, every output concept derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import networkx as nx

from miningflow.declare.concept import Concept, Relation, Segmentation
from miningflow.declare.operator import Operator
from miningflow.declare.segmentation import PerSegment
from miningflow.errors import Diagnostic, Place
from miningflow.read.case import Case
from miningflow.resolve.case_graph import case_graph
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
    """Whether the case says how to build the step, so that it is never fused."""
    given: Mapping[str, Any]
    """The parameters as plain data, for the fingerprint."""
    places: Mapping[str, Place]
    """Where each parameter stands; '' is the place of the step."""
    about: str = ""
    within: tuple[Segmentation, ...] = ()
    """The segmentations of its inputs: it runs, and learns, once for each of their segments."""
    loop: str | None = None
    """The step of the file that this is a turn of; the last turn has its name."""
    loop_over: str | None = None
    """The feature of this turn of a loop; the turn is left out if the feature is deselected."""
    turn: str = ""
    """What tells this turn of a loop from the others: the feature it is about, or what it makes."""

    @property
    def hidden(self) -> bool:
        """Returns whether this is a turn of a loop before the last, which no case can name."""
        return self.loop is not None and self.loop != self.name

    @property
    def written_name(self) -> str:
        """Returns the name of the step in the file: a turn of a loop goes by its loop."""
        return self.loop or self.name

    @property
    def shown_name(self) -> str:
        """Returns the name that people see: a turn of a loop is `step[feature]`, the last too."""
        return f"{self.loop}[{self.turn}]" if self.loop else self.name

    @property
    def reads(self) -> tuple[str, ...]:
        """Names the concepts that the step reads, each once, to apply or to learn."""
        return tuple(dict.fromkeys([*self.inputs, *([self.learn_on] if self.learn_on else [])]))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Returns the parameters as plain data, with what else decides on the result."""
        decides: dict[str, Any] = {"learn_on": self.learn_on} if self.learn_on else {}
        if self.operator.draws and _hashes_numbers(getattr(self.operator, "input", None)):
            # before, they were hashed as the engine writes them
            decides["numbers_hashed_as"] = "whole numbers"
        return {**self.given, **decides} if decides else self.given

    @property
    def learns(self) -> Any:
        """Returns the type of what the step learns, if any: one artifact, or one per segment."""
        learned: Any = self.operator.learns
        return PerSegment[learned] if learned is not None and self.within else learned

    def place(self, parameter: str = "") -> Place:
        """Returns the place of a parameter, or of the step."""
        return self.places.get(parameter) or self.places[""]


def _hashes_numbers(concept: Any) -> bool:
    """Returns whether doubles are part of what rows of a concept are hashed by."""
    if not isinstance(concept, Concept):
        return False
    hashed = concept.features.values() if concept.key is None else [concept.features[concept.key]]
    return any(feature.type == "numeric" for feature in hashed)


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
    warnings: tuple[Diagnostic, ...] = ()
    tests: Mapping[str, BoundTest] = field(default_factory=dict)
    data_tests: tuple[BoundDataTest, ...] = ()

    @cached_property
    def graph(self) -> nx.DiGraph[str]:
        """Returns the graph of sources and steps, with an edge to each step that reads a concept.

        Turns of a loop are steps, and what a step learns on is read as well.
        """
        return case_graph(self.sources, self.steps)

    def ancestors(self, name: str) -> set[str]:
        """Returns the sources and steps that a step is made from, without itself."""
        return nx.ancestors(self.graph, name)

    def descendants(self, name: str) -> set[str]:
        """Returns the steps that are made from a source or step, without itself."""
        return nx.descendants(self.graph, name)

    def concept(self, name: str) -> Concept:
        """Returns a source concept or the output concept of a step."""
        return self.sources[name] if name in self.sources else self.steps[name].output
