"""Features of a concept: one, several by name or pattern, and those that a step makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar, overload

from miningflow.declare.concept import Concept, Feature, Relation
from miningflow.declare.kinds.binding import Binding, Unusable
from miningflow.declare.kinds.composed import items, one_or_many
from miningflow.declare.kinds.kind import Kind, Part, Schema
from miningflow.declare.kinds.written import NAME
from miningflow.declare.parameters import NOT_GIVEN, declared
from miningflow.declare.patterns import PatternError, expand, is_pattern
from miningflow.errors import closest, listed, suggestion
from miningflow.nodes import Node, Scalar

Value = TypeVar("Value")


def owner_name(values: Mapping[str, Any], of: str) -> str:
    """Names the concept that a bound concept or relation parameter means."""
    owner: Concept | Relation = values[of]
    return owner.many.name if isinstance(owner, Relation) else owner.name


@dataclass(frozen=True)
class NamesFeatures(Kind[Value]):
    """What all kinds share whose values name features of one concept."""

    types: tuple[str, ...] = ()
    of: str = "input"
    """The concept or relation parameter whose features are meant."""

    def of_types(self) -> str:
        """Returns which types fit, for the operator reference."""
        return f" ({', '.join(self.types)})" if self.types else ""

    def found(self, name: Scalar, binding: Binding) -> Feature:
        """Finds a feature by name, and refuses one of another type."""
        concept = binding.owner(self.of)
        feature = concept.features.get(name.text)
        if feature is None:
            hint = suggestion(name.text, concept.features, "features")
            message = f"there is no feature {name.text!r} in {concept.name!r}"
            binding.scope.note(message, name.place, hint)
            feature = concept.features.get(closest(name.text, list(concept.features)) or "")
            if feature is None:
                raise Unusable
        if self.types and feature.type not in self.types:
            fitting = [f.name for f in concept.of_type(*self.types)]
            binding.scope.wrong(
                f"feature {feature.name!r} is {feature.type}; {binding.parameter!r} of "
                f"{binding.operator} takes {' or '.join(self.types)}",
                name.place,
                f"fitting features: {listed(fitting)}" if fitting else "",
            )
        return feature

    def expanded(
        self, pattern: Scalar, binding: Binding, apart: set[str] | None = None
    ) -> tuple[Feature, ...]:
        """Finds the features that a pattern stands for."""
        concept = binding.owner(self.of)
        try:
            return expand(pattern.text, concept, self.types, apart or ())
        except PatternError as error:
            binding.scope.wrong(error.message, pattern.place, error.hint)

    def each_by_itself(self, names: Sequence[str], values: Mapping[str, Any]) -> tuple[Part, ...]:
        """Returns the parts of a value whose parts name one feature each."""
        owner = owner_name(values, self.of)
        return tuple(((owner, name),) for name in names)


@dataclass(frozen=True)
class FeatureName(NamesFeatures[Feature]):
    """A single feature: rules 1 and 2."""

    word: ClassVar[str] = "feature"
    order: ClassVar[int] = 2

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return f"a feature{self.of_types()}"

    def schema(self) -> Schema:
        """Returns the schema of a name."""
        return NAME

    def bind(self, node: Node, binding: Binding) -> Feature:
        """Finds the feature."""
        return self.found(binding.scalar(node, "the name of a feature"), binding)

    def plain(self, value: Feature) -> str:
        """Returns its name."""
        return value.name

    def parts(self, value: Feature, values: Mapping[str, Any]) -> tuple[Part, ...]:
        """Returns the feature."""
        return self.each_by_itself([value.name], values)

    def needs_each(self, obligatory: bool) -> bool:
        """Returns whether it must be given."""
        return obligatory


@dataclass(frozen=True)
class FeatureList(NamesFeatures[tuple[Feature, ...]]):
    """Several features, by name or pattern: rules 3 and 4."""

    minimum: int = 1

    word: ClassVar[str] = "features"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        least = f", at least {self.minimum}" if self.minimum else ""
        return f"a list of features or patterns{self.of_types()}{least}"

    def schema(self) -> Schema:
        """Returns the schema of one or several names."""
        return one_or_many(NAME)

    def bind(self, node: Node, binding: Binding) -> tuple[Feature, ...]:
        """Finds the features; a pattern leaves out those that single parameters name."""
        concept = binding.owner(self.of)
        apart = {v.name for v in binding.values.values() if isinstance(v, Feature)}
        found: dict[str, Feature] = {}

        def add(item: Node) -> None:
            name = binding.scalar(item, "the name of a feature")
            if is_pattern(name.text, concept):
                found.update((f.name, f) for f in self.expanded(name, binding, apart))
            elif name.text in found:
                binding.wrong(f"names {name.text!r} twice", name)
            else:
                feature = self.found(name, binding)
                found[feature.name] = feature

        binding.each(items(node), add)
        if len(found) < self.minimum:
            binding.wrong(f"takes at least {self.minimum} features, got {len(found)}", node)
        return tuple(found.values())

    def plain(self, value: tuple[Feature, ...]) -> list[str]:
        """Returns their names."""
        return [feature.name for feature in value]

    def parts(self, value: tuple[Feature, ...], values: Mapping[str, Any]) -> tuple[Part, ...]:
        """Returns the features one by one."""
        return self.each_by_itself([f.name for f in value], values)

    @property
    def fewest(self) -> int:
        """Returns the minimum."""
        return self.minimum

    def keep(self, value: tuple[Feature, ...], kept: Sequence[bool]) -> tuple[Feature, ...]:
        """Returns some of the features."""
        return tuple(f for f, stays in zip(value, kept, strict=True) if stays)


@dataclass(frozen=True)
class NewFeature(Kind[str]):
    """The name of a feature that the operator makes."""

    word: ClassVar[str] = "new_feature"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "the name of a feature to make"

    def schema(self) -> Schema:
        """Returns the schema of a name."""
        return NAME

    def bind(self, node: Node, binding: Binding) -> str:
        """Reads the name, and refuses one that differs from a feature only in case."""
        name = binding.name(node, "the name of a new feature")
        concept = binding.values.get("input")
        if isinstance(concept, Concept) and name not in concept.features:
            clash = [f for f in concept.features if f.casefold() == name.casefold()]
            if clash:
                binding.wrong(
                    f"names {name!r}, which differs from {clash[0]!r} only in case; "
                    "databases do not tell them apart",
                    node,
                )
        return name


@overload
def feature(text: str, types: Sequence[str] = ..., *, of: str = ...) -> Feature: ...
@overload
def feature(
    text: str, types: Sequence[str] = ..., *, default: None, of: str = ..., later: bool = ...
) -> Feature | None: ...
def feature(
    text: str,
    types: Sequence[str] = (),
    default: Any = NOT_GIVEN,
    of: str = "input",
    later: bool = False,
) -> Any:
    """Declares a single feature of a concept; `later` if stores may be older than the parameter."""
    return declared(FeatureName(tuple(types), of), text, default, later)


@overload
def features(
    text: str, types: Sequence[str] = ..., minimum: int = ..., *, of: str = ...
) -> tuple[Feature, ...]: ...
@overload
def features(
    text: str, types: Sequence[str] = ..., minimum: int = ..., *, default: None, of: str = ...
) -> tuple[Feature, ...] | None: ...
def features(
    text: str,
    types: Sequence[str] = (),
    minimum: int = 1,
    default: Any = NOT_GIVEN,
    of: str = "input",
) -> Any:
    """Declares a list of features; the minimum is what must remain after deselection."""
    return declared(FeatureList(tuple(types), of, minimum), text, default)


@overload
def new_feature(text: str, default: str = ...) -> str: ...
@overload
def new_feature(text: str, default: None) -> str | None: ...
def new_feature(text: str, default: Any = NOT_GIVEN) -> Any:
    """Declares the name of a feature that the operator makes."""
    return declared(NewFeature(), text, default)
