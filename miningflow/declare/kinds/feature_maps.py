"""Maps whose keys are features: to values that they can have, or to labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, overload

from miningflow.declare.concept import Feature
from miningflow.declare.kinds.binding import Binding
from miningflow.declare.kinds.composed import items, one_or_many, refuse_repeated
from miningflow.declare.kinds.features import NamesFeatures
from miningflow.declare.kinds.kind import Part, Schema
from miningflow.declare.kinds.values import ValueOrNull, map_of_values
from miningflow.declare.kinds.written import NAME
from miningflow.declare.parameters import NOT_GIVEN, declared
from miningflow.declare.patterns import is_pattern
from miningflow.nodes import Fields, Node, Scalar

Given = TypeVar("Given")


@dataclass(frozen=True)
class FeatureMap(NamesFeatures[dict[str, Given]]):
    """A map whose keys are features: rules 3 and 4."""

    minimum: int = 1

    def parts(self, value: dict[str, Given], values: Mapping[str, Any]) -> tuple[Part, ...]:
        """Returns the features one by one."""
        return self.each_by_itself(list(value), values)

    @property
    def fewest(self) -> int:
        """Returns the minimum."""
        return self.minimum

    def keep(self, value: dict[str, Given], kept: Sequence[bool]) -> dict[str, Given]:
        """Returns some of the entries."""
        return dict(x for x, stays in zip(value.items(), kept, strict=True) if stays)


@dataclass(frozen=True)
class FeatureValues(FeatureMap[tuple[str, ...]]):
    """A map from features to values that they can have."""

    maximum: int | None = None

    word: ClassVar[str] = "feature_values"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"a map of features to lists of values{self.of_types()}"

    def schema(self) -> Schema:
        """Returns the schema of a map of lists."""
        return map_of_values()

    def bind(self, node: Node, binding: Binding) -> dict[str, tuple[str, ...]]:
        """Finds the features, and refuses values that they cannot have."""
        found: dict[str, tuple[str, ...]] = {}
        expected = "a map of features to values, such as {region: [north, south]}"

        def add(entry: tuple[Scalar, Node]) -> None:
            key, values = entry
            feature = self.found(key, binding)
            written = [binding.scalar(item, "a value") for item in items(values)]
            for value in written:
                binding.check_value(feature, value)
            refuse_repeated([value.text for value in written], written, binding)
            if not written:
                binding.wrong(f"has no value for {key.text!r}", values)
            found[feature.name] = tuple(value.text for value in written)

        binding.each(binding.entries(node, expected), add)
        if len(found) > (self.maximum or math.inf):
            binding.wrong(f"takes at most {self.maximum} features, got {len(found)}", node)
        return found

    def plain(self, value: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
        """Returns the values as lists."""
        return {name: list(values) for name, values in value.items()}


@dataclass(frozen=True)
class FeatureLabels(FeatureMap[str]):
    """Features with a label each: a map, or a list that labels them by name or pattern."""

    word: ClassVar[str] = "feature_labels"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        least = f", at least {self.minimum}" if self.minimum else ""
        words = "a list of features or patterns, or a map of features to labels"
        return f"{words}{self.of_types()}{least}"

    def schema(self) -> Schema:
        """Returns the schema of names, or of a map to labels."""
        labels = {"type": "object", "additionalProperties": ValueOrNull().schema()}
        return {"anyOf": [*one_or_many(NAME)["anyOf"], labels]}

    def bind(self, node: Node, binding: Binding) -> dict[str, str]:
        """Finds the features, and refuses a label that two of them have."""
        found: dict[str, str] = {}

        def add_entry(entry: tuple[Scalar, Node]) -> None:
            name = self.found(entry[0], binding).name
            found[name] = binding.scalar(entry[1], "a label").text

        def add_item(item: Node) -> None:
            name = binding.scalar(item, "the name of a feature")
            for feature, label in self._labelled(name, binding):
                if feature.name in found:
                    binding.wrong(f"names {feature.name!r} twice", name)
                found[feature.name] = label

        if isinstance(node, Fields):
            binding.each(node, add_entry)
        else:
            binding.each(items(node), add_item)
        twice = [label for label in found.values() if list(found.values()).count(label) > 1]
        if twice:
            binding.wrong(f"gives the label {twice[0]!r} to two features", node)
        if len(found) < self.minimum:
            binding.wrong(f"takes at least {self.minimum} features, got {len(found)}", node)
        return found

    def _labelled(self, name: Scalar, binding: Binding) -> list[tuple[Feature, str]]:
        """Returns the features of a name or pattern, labelled with what its one star matched."""
        if not is_pattern(name.text, binding.owner(self.of)):
            return [(self.found(name, binding), name.text)]
        features = self.expanded(name, binding)
        before, star, after = name.text.partition("*")
        if not star or any(c in before + after for c in "*?[]"):
            return [(feature, feature.name) for feature in features]
        cut = [f.name.removeprefix(before).removesuffix(after) for f in features]
        return list(zip(features, cut, strict=True))


@overload
def feature_values(
    text: str, types: Sequence[str] = ..., maximum: int | None = ...
) -> dict[str, tuple[str, ...]]: ...
@overload
def feature_values(
    text: str, types: Sequence[str] = ..., maximum: int | None = ..., *, default: None
) -> dict[str, tuple[str, ...]] | None: ...
def feature_values(
    text: str,
    types: Sequence[str] = (),
    maximum: int | None = None,
    default: Any = NOT_GIVEN,
) -> Any:
    """Declares a map from features to values that they can have."""
    return declared(FeatureValues(tuple(types), maximum=maximum), text, default)


def feature_labels(text: str, types: Sequence[str] = (), minimum: int = 1) -> dict[str, str]:
    """Declares features with a label each: a map, or a list that labels them by name."""
    found: dict[str, str] = declared(FeatureLabels(tuple(types), minimum=minimum), text)
    return found
