"""Values of features, taken exactly as they are written: one, several, and maps of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

from miningflow.declare.concept import Feature
from miningflow.declare.kinds.binding import Binding
from miningflow.declare.kinds.composed import ListOf, MapOf, items, one_or_many, refuse_repeated
from miningflow.declare.kinds.kind import Kind, Schema
from miningflow.declare.kinds.numbers import Integer
from miningflow.declare.kinds.written import SCALAR
from miningflow.declare.parameters import NOT_GIVEN, declared
from miningflow.nodes import Node, Scalar


@dataclass(frozen=True)
class WrittenValue(Kind[str]):
    """A value of a feature, exactly as it is written."""

    fits: str = ""
    """The feature parameter that must be able to have this value."""

    word: ClassVar[str] = "literal"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"a value that `{self.fits}` can have" if self.fits else "a value"

    def schema(self) -> Schema:
        """Returns the schema of a single value."""
        return SCALAR

    def bind(self, node: Node, binding: Binding) -> str:
        """Reads the value, and refuses one that the feature cannot have."""
        value = binding.scalar(node, "a value")
        fits = binding.values.get(self.fits)
        for feature in fits if isinstance(fits, tuple) else (fits,):
            if isinstance(feature, Feature):
                binding.check_value(feature, value)
        return value.text


@dataclass(frozen=True)
class ValueOrNull(Kind[str | None]):
    """A value, or null."""

    word: ClassVar[str] = "literal_or_null"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a value or null"

    def schema(self) -> Schema:
        """Returns the schema of a single value or null."""
        return {"type": [*SCALAR["type"], "null"]}

    def bind(self, node: Node, binding: Binding) -> str | None:
        """Reads the value."""
        if isinstance(node, Scalar) and node.kind == "null":
            return None
        return binding.scalar(node, "a value").text


@dataclass(frozen=True)
class ValueList(ListOf[str]):
    """Several values, each once."""

    word: ClassVar[str] = "literals"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"a list of values{self.at_least()}"

    def schema(self) -> Schema:
        """Returns the schema of a list of values."""
        return {"type": "array", "items": self.item.schema()}

    def check(self, found: tuple[str, ...], nodes: Sequence[Node], binding: Binding) -> None:
        """Refuses a value that is named twice."""
        refuse_repeated(found, nodes, binding)


@dataclass(frozen=True)
class ValueMap(MapOf[str, str | None, dict[str, str | None]]):
    """A map from values to values."""

    word: ClassVar[str] = "literal_map"

    @property
    def written(self) -> str:
        """Returns in words what a case writes, with an example."""
        return "a map of values, such as {old: new}"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a map of values"

    def schema(self) -> Schema:
        """Returns the schema of a map of values."""
        return {"type": "object", "additionalProperties": self.item.schema()}

    def made(
        self,
        found: list[tuple[str, str | None]],
        entries: list[tuple[Scalar, Node]],
        binding: Binding,
    ) -> dict[str, str | None]:
        """Returns the map."""
        return dict(found)


@dataclass(frozen=True)
class Counts(MapOf[str, int, dict[str, int]]):
    """A map from values to whole numbers."""

    word: ClassVar[str] = "counts"

    @property
    def written(self) -> str:
        """Returns in words what a case writes, with an example."""
        return "a map of values to whole numbers, such as {yes: 100}"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a map of values to whole numbers"

    def schema(self) -> Schema:
        """Returns the schema of a map of numbers."""
        return {
            "type": "object",
            "additionalProperties": self.item.schema(),
            "minProperties": 1,
        }

    def made(
        self, found: list[tuple[str, int]], entries: list[tuple[Scalar, Node]], binding: Binding
    ) -> dict[str, int]:
        """Returns the map."""
        return dict(found)


@dataclass(frozen=True)
class ValueGroups(MapOf[str, tuple[str, ...], dict[str, tuple[str, ...]]]):
    """A map from labels to values, each value in one group."""

    word: ClassVar[str] = "value_groups"

    @property
    def written(self) -> str:
        """Returns in words what a case writes, with an example."""
        return "a map of labels to values, such as {coast: [north, west]}"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a map of labels to lists of values"

    def schema(self) -> Schema:
        """Returns the schema of a map of lists."""
        return map_of_values()

    def made(
        self,
        found: list[tuple[str, tuple[str, ...]]],
        entries: list[tuple[Scalar, Node]],
        binding: Binding,
    ) -> dict[str, tuple[str, ...]]:
        """Returns the groups, and refuses a value that is in two of them."""
        owner: dict[str, str] = {}
        for (label, values), (_, node) in zip(found, entries, strict=True):
            if not values:
                binding.wrong(f"has no value for {label!r}", node)
            for value, item in zip(values, items(node), strict=True):
                if value in owner:
                    both = f"for {owner[value]!r} and {label!r}"
                    binding.wrong(f"names {value!r} twice: {both}", item)
                owner[value] = label
        return dict(found)

    def plain(self, value: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
        """Returns the groups as lists."""
        return {label: list(values) for label, values in value.items()}


def map_of_values() -> Schema:
    """Returns the schema of a map to one or several values."""
    return {
        "type": "object",
        "additionalProperties": one_or_many(SCALAR),
        "minProperties": 1,
    }


@overload
def literal(text: str, default: str = ..., fits: str = ...) -> str: ...
@overload
def literal(text: str, default: None, fits: str = ...) -> str | None: ...
def literal(text: str, default: Any = NOT_GIVEN, fits: str = "") -> Any:
    """Declares a value of a feature, taken exactly as it is written in the file."""
    return declared(WrittenValue(fits), text, default)


@overload
def literals(text: str, minimum: int = ...) -> tuple[str, ...]: ...
@overload
def literals(text: str, minimum: int = ..., *, default: None) -> tuple[str, ...] | None: ...
def literals(text: str, minimum: int = 1, default: Any = NOT_GIVEN) -> Any:
    """Declares a list of values of a feature, taken exactly as they are written."""
    return declared(ValueList(WrittenValue(), minimum), text, default)


@overload
def literal_map(text: str) -> dict[str, str | None]: ...
@overload
def literal_map(text: str, default: None) -> dict[str, str | None] | None: ...
def literal_map(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a map from values to values, taken exactly as they are written."""
    return declared(ValueMap(WrittenValue(), ValueOrNull()), text, default)


@overload
def counts(text: str) -> dict[str, int]: ...
@overload
def counts(text: str, default: None) -> dict[str, int] | None: ...
def counts(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares a map from values, taken exactly as they are written, to whole numbers from 1."""
    return declared(Counts(WrittenValue(), Integer(minimum=1)), text, default)


def value_groups(text: str) -> dict[str, tuple[str, ...]]:
    """Declares a map from labels to lists of values, each value in one of them."""
    kind = ValueGroups(WrittenValue(), ValueList(WrittenValue()))
    found: dict[str, tuple[str, ...]] = declared(kind, text)
    return found
