"""Intervals with labels, written as '[0, 18)'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, ClassVar

from miningflow.declare.intervals import (
    Interval,
    IntervalError,
    Intervals,
    overlap,
    parse_interval,
)
from miningflow.declare.kinds.binding import Binding
from miningflow.declare.kinds.composed import ListOf, MapOf, items, one_or_many
from miningflow.declare.kinds.kind import Kind, Schema
from miningflow.declare.kinds.values import WrittenValue
from miningflow.declare.kinds.written import NAME
from miningflow.declare.parameters import declared
from miningflow.nodes import Node, Scalar


def _example(types: Sequence[str]) -> str:
    if tuple(types) == ("numeric",):
        return "{young: '[0, 18)', old: '[65, )'}"
    return "{early: '[2025-01-01, 2025-07-01)'}"


@dataclass(frozen=True)
class IntervalText(Kind[Interval]):
    """An interval of numbers or times."""

    types: tuple[str, ...]

    word: ClassVar[str] = "interval_text"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "an interval such as '[0, 18)'"

    def schema(self) -> Schema:
        """Returns the schema of a text."""
        return NAME

    def bind(self, node: Node, binding: Binding) -> Interval:
        """Reads the interval."""
        written = binding.scalar(node, "an interval in quotes")
        try:
            return parse_interval("", written.text, self.types)
        except IntervalError as error:
            hint = f"write a map such as {_example(self.types)}"
            binding.scope.wrong(str(error), node.place, hint)


@dataclass(frozen=True)
class IntervalList(ListOf[Interval]):
    """One or several intervals."""

    word: ClassVar[str] = "interval_texts"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a list of intervals"

    def schema(self) -> Schema:
        """Returns the schema of one or several texts."""
        return one_or_many(self.item.schema())


@dataclass(frozen=True)
class LabelledIntervals(MapOf[str, tuple[Interval, ...], Intervals]):
    """A map from labels to intervals that do not overlap."""

    types: tuple[str, ...]

    word: ClassVar[str] = "intervals"

    @property
    def written(self) -> str:
        """Returns in words what a case writes, with an example."""
        return f"a map of labels to intervals, such as {_example(self.types)}"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"a map of labels to intervals such as '[0, 18)' ({', '.join(self.types)})"

    def schema(self) -> Schema:
        """Returns the schema of a map of texts."""
        return {
            "type": "object",
            "additionalProperties": self.item.schema(),
            "minProperties": 1,
        }

    def made(
        self,
        found: list[tuple[str, tuple[Interval, ...]]],
        entries: list[tuple[Scalar, Node]],
        binding: Binding,
    ) -> Intervals:
        """Returns the intervals with their labels, and refuses those that overlap."""
        made: list[Interval] = []
        for (label, intervals), (_, node) in zip(found, entries, strict=True):
            for interval, item in zip(intervals, items(node), strict=True):
                for other in made:
                    if overlap(interval, other):
                        binding.wrong(
                            f"has two intervals that overlap: those of {other.label!r} and "
                            f"{label!r}",
                            item,
                            "a round bracket leaves the end out: '[0, 18)' and '[18, 65)' touch",
                        )
                made.append(replace(interval, label=label))
        return Intervals(tuple(made))

    def plain(self, value: Intervals) -> list[list[Any]]:
        """Returns the intervals as lists."""
        return [list(astuple(interval)) for interval in value.items]


def intervals(text: str, types: Sequence[str]) -> Intervals:
    """Declares a map from labels to intervals of numbers or times, such as '[0, 18)'."""
    fitting = tuple(types)
    kind = LabelledIntervals(WrittenValue(), IntervalList(IntervalText(fitting)), fitting)
    found: Intervals = declared(kind, text)
    return found
