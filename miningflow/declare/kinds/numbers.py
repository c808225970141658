"""Numbers: single ones, pairs, and lists that increase or add up to 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

from miningflow.declare.kinds.binding import Binding
from miningflow.declare.kinds.composed import ListOf, items
from miningflow.declare.kinds.kind import Kind, Schema
from miningflow.declare.parameters import NOT_GIVEN, declared
from miningflow.nodes import Node


def _limits(low: float | None, high: float | None) -> Schema:
    found = {"minimum": low, "maximum": high}
    return {name: limit for name, limit in found.items() if limit is not None}


def _from_to(low: float | None, high: float | None) -> str:
    start = f"from {low:g}" if low is not None else ""
    end = f"to {high:g}" if high is not None else ""
    return f" {start} {end}".rstrip()


def _check_limits(
    value: float, low: float | None, high: float | None, node: Node, binding: Binding
) -> None:
    if low is not None and value < low:
        binding.wrong(f"must be at least {low:g}, got {value:g}", node)
    if high is not None and value > high:
        binding.wrong(f"must be at most {high:g}, got {value:g}", node)


@dataclass(frozen=True)
class Integer(Kind[int]):
    """A whole number."""

    minimum: int | None = None
    maximum: int | None = None

    word: ClassVar[str] = "integer"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"a whole number{_from_to(self.minimum, self.maximum)}"

    def schema(self) -> Schema:
        """Returns the schema of a whole number."""
        return {"type": "integer", **_limits(self.minimum, self.maximum)}

    def bind(self, node: Node, binding: Binding) -> int:
        """Reads the number."""
        scalar = binding.scalar(node, "a whole number")
        try:
            value = int(scalar.text.replace("_", ""))
        except ValueError:
            binding.wrong(f"takes a whole number, got {scalar.text[:40]!r}", node)
        if not -(2**63) <= value < 2**63:
            binding.wrong("takes a whole number of 64 bits at most", node)
        _check_limits(value, self.minimum, self.maximum, node, binding)
        return value


@dataclass(frozen=True)
class Number(Kind[float]):
    """A finite number."""

    minimum: float | None = None
    maximum: float | None = None

    word: ClassVar[str] = "number"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"a number{_from_to(self.minimum, self.maximum)}"

    def schema(self) -> Schema:
        """Returns the schema of a number."""
        return {"type": "number", **_limits(self.minimum, self.maximum)}

    def bind(self, node: Node, binding: Binding) -> float:
        """Reads the number."""
        value = binding.number(binding.scalar(node, "a number"))
        _check_limits(value, self.minimum, self.maximum, node, binding)
        return value


@dataclass(frozen=True)
class LowAndHigh(Kind[tuple[float, float]]):
    """A pair [low, high]."""

    word: ClassVar[str] = "interval"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "[low, high]"

    def schema(self) -> Schema:
        """Returns the schema of two numbers."""
        return {"type": "array", "items": Number().schema(), "minItems": 2, "maxItems": 2}

    def bind(self, node: Node, binding: Binding) -> tuple[float, float]:
        """Reads the two numbers."""
        ends = [Number().bind(item, binding) for item in items(node)]
        if len(ends) != 2 or not ends[0] < ends[1]:
            binding.wrong("takes [low, high] with low < high", node)
        return ends[0], ends[1]

    def plain(self, value: tuple[float, float]) -> list[float]:
        """Returns the two numbers."""
        return list(value)


@dataclass(frozen=True)
class Cuts(ListOf[float]):
    """Numbers, each greater than the one before."""

    word: ClassVar[str] = "cuts"
    items_are: ClassVar[str] = "numbers"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"a list of increasing numbers{self.at_least()}"

    def schema(self) -> Schema:
        """Returns the schema of a list of numbers."""
        return {"type": "array", "items": self.item.schema(), "minItems": 1}

    def check(self, found: tuple[float, ...], nodes: Sequence[Node], binding: Binding) -> None:
        """Refuses a number that is not greater than the one before."""
        for before, after, node in zip(found, found[1:], nodes[1:], strict=False):
            if not before < after:
                binding.wrong(f"takes increasing numbers, got {after:g} after {before:g}", node)


@dataclass(frozen=True)
class Weights(ListOf[float]):
    """Numbers that add up to 1."""

    word: ClassVar[str] = "weights"
    items_are: ClassVar[str] = "numbers"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"a list of numbers that add up to 1{self.at_least()}"

    def schema(self) -> Schema:
        """Returns the schema of a list of numbers."""
        return {"type": "array", "items": self.item.schema(), "minItems": 1}

    def bind(self, node: Node, binding: Binding) -> tuple[float, ...]:
        """Reads the numbers, and refuses any other sum."""
        found = super().bind(node, binding)
        total = math.fsum(found)
        if abs(total - 1) > 1e-9:
            binding.wrong(
                f"takes numbers that add up to 1, got a sum of {total:.10g}",
                node,
                f"divide each by {total:.10g}" if total > 0 else "",
            )
        return found


@overload
def integer(
    text: str,
    default: int = ...,
    minimum: int | None = ...,
    maximum: int | None = ...,
    later: bool = ...,
) -> int: ...
@overload
def integer(
    text: str,
    default: None,
    minimum: int | None = ...,
    maximum: int | None = ...,
    later: bool = ...,
) -> int | None: ...
def integer(
    text: str,
    default: Any = NOT_GIVEN,
    minimum: int | None = None,
    maximum: int | None = None,
    later: bool = False,
) -> Any:
    """Declares a whole number; `later` if stores may be older than the parameter."""
    return declared(Integer(minimum, maximum), text, default, later)


@overload
def number(
    text: str, default: float = ..., minimum: float | None = ..., maximum: float | None = ...
) -> float: ...
@overload
def number(
    text: str, default: None, minimum: float | None = ..., maximum: float | None = ...
) -> float | None: ...
def number(
    text: str, default: Any = NOT_GIVEN, minimum: float | None = None, maximum: float | None = None
) -> Any:
    """Declares a number."""
    return declared(Number(minimum, maximum), text, default)


@overload
def interval(text: str, default: tuple[float, float] = ...) -> tuple[float, float]: ...
@overload
def interval(text: str, default: None) -> tuple[float, float] | None: ...
def interval(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a pair [low, high] with low < high."""
    return declared(LowAndHigh(), text, default)


@overload
def cuts(text: str, minimum: int = ...) -> tuple[float, ...]: ...
@overload
def cuts(text: str, minimum: int = ..., *, default: None) -> tuple[float, ...] | None: ...
def cuts(text: str, minimum: int = 1, default: Any = NOT_GIVEN) -> Any:
    """Declares a list of numbers, each greater than the one before."""
    return declared(Cuts(Number(), minimum), text, default)


def weights(text: str, minimum: int = 1) -> tuple[float, ...]:
    """Declares a list of numbers that add up to 1."""
    found: tuple[float, ...] = declared(Weights(Number(), minimum), text)
    return found
