"""Conditions and expressions over the features of a concept, in SQL or feature by feature."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, overload

from miningflow.declare.concept import Feature
from miningflow.declare.kinds.binding import Binding, Unusable
from miningflow.declare.kinds.composed import items
from miningflow.declare.kinds.features import FeatureName, owner_name
from miningflow.declare.kinds.kind import Kind, Part, Schema
from miningflow.declare.kinds.written import NAME, SCALAR
from miningflow.declare.parameters import NOT_GIVEN, declared
from miningflow.errors import Diagnostic
from miningflow.nodes import Fields, Node, Scalar
from miningflow.sql.fragments import (
    Fragment,
    FragmentError,
    parse_aggregate,
    parse_condition,
    parse_expression,
)

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")

Parse = Callable[[str, Mapping[str, str]], Fragment]


@dataclass(frozen=True)
class Conditions:
    """Conditions of the form feature, operator, value; all must hold."""

    items: tuple[tuple[Feature, str, str], ...]


@dataclass(frozen=True)
class Aggregates:
    """Named aggregates: output feature → aggregate fragment over the many side."""

    items: tuple[tuple[str, Fragment], ...]


def parsed(node: Node, binding: Binding, of: str, parse: Parse) -> Fragment:
    """Parses a fragment over the features of a concept parameter."""
    scalar = binding.scalar(node, "a SQL expression")
    types = {f.name: f.type for f in binding.owner(of).features.values()}
    try:
        return parse(scalar.text, types)
    except FragmentError as error:
        place = scalar.place
        found_at = place.text.find(scalar.text, place.column - 1)
        if error.offset and found_at >= 0:
            place = replace(place, column=found_at + 1 + error.offset)
        binding.scope.diagnostics.append(Diagnostic(error.message, place, error.hint))
        raise Unusable from None


@dataclass(frozen=True)
class Expression(Kind[Fragment]):
    """A SQL expression; it needs every feature it names."""

    of: str = "input"
    """The concept or relation parameter whose features are meant."""

    word: ClassVar[str] = "expression"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a SQL expression"

    def schema(self) -> Schema:
        """Returns the schema of a text or number."""
        return SCALAR

    def bind(self, node: Node, binding: Binding) -> Fragment:
        """Parses the expression."""
        return parsed(node, binding, self.of, parse_expression)

    def plain(self, value: Fragment) -> str:
        """Returns its text."""
        return value.text

    def parts(self, value: Fragment, values: Mapping[str, Any]) -> tuple[Part, ...]:
        """Returns the features that it names."""
        owner = owner_name(values, self.of)
        return (tuple((owner, name) for name in value.features),)

    def needs_each(self, obligatory: bool) -> bool:
        """Returns True: without a feature it would mean something else."""
        return True


@dataclass(frozen=True)
class Condition(Expression):
    """A SQL condition; it needs every feature it names."""

    word: ClassVar[str] = "condition"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a SQL condition"

    def bind(self, node: Node, binding: Binding) -> Fragment:
        """Parses the condition."""
        return parsed(node, binding, self.of, parse_condition)


@dataclass(frozen=True)
class Aggregate(Expression):
    """An aggregate such as sum(amount)."""

    word: ClassVar[str] = "aggregate"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "an aggregate"

    def schema(self) -> Schema:
        """Returns the schema of a text."""
        return NAME

    def bind(self, node: Node, binding: Binding) -> Fragment:
        """Parses the aggregate."""
        return parsed(node, binding, self.of, parse_aggregate)


@dataclass(frozen=True)
class ConditionList(Kind[Conditions]):
    """Conditions feature by feature; each feature is needed."""

    of: str = "input"
    """The concept or relation parameter whose features are meant."""

    word: ClassVar[str] = "conditions"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        return "a list of {feature, operator, value}"

    def schema(self) -> Schema:
        """Returns the schema of a list of small maps."""
        condition = {
            "type": "object",
            "properties": {
                "feature": NAME,
                "operator": {"enum": list(COMPARISONS)},
                "value": SCALAR,
            },
            "required": ["feature", "operator", "value"],
            "additionalProperties": False,
        }
        return {"type": "array", "items": condition}

    def bind(self, node: Node, binding: Binding) -> Conditions:
        """Reads the conditions one by one."""
        return Conditions(
            tuple(binding.each(items(node), lambda item: self._condition(item, binding)))
        )

    def _condition(self, item: Node, binding: Binding) -> tuple[Feature, str, str]:
        names = ("feature", "operator", "value")
        if not isinstance(item, Fields) or set(item.entries) != set(names):
            binding.wrong("takes a list of {feature: …, operator: …, value: …}", item)
        name, comparison, value = (binding.scalar(item.entries[n][1], n) for n in names)
        feature = FeatureName(of=self.of).found(name, binding)
        if comparison.text not in COMPARISONS:
            binding.scope.wrong(
                f"there is no comparison {comparison.text!r}",
                comparison.place,
                f"there are {', '.join(COMPARISONS)}",
            )
        _check_order(feature, comparison, binding)
        binding.check_value(feature, value)
        return feature, comparison.text, value.text

    def plain(self, value: Conditions) -> list[list[str]]:
        """Returns the conditions as lists."""
        return [[f.name, comparison, literal] for f, comparison, literal in value.items]

    def parts(self, value: Conditions, values: Mapping[str, Any]) -> tuple[Part, ...]:
        """Returns the feature of each condition."""
        owner = owner_name(values, self.of)
        return tuple(((owner, f.name),) for f, _, _ in value.items)

    def needs_each(self, obligatory: bool) -> bool:
        """Returns True: with fewer conditions, other rows would be meant."""
        return True


def _check_order(feature: Feature, comparison: Scalar, binding: Binding) -> None:
    if feature.type == "key" and comparison.text not in ("=", "<>"):
        binding.scope.wrong(
            f"{feature.name!r} is a key: keys are equal or not, they have no order",
            comparison.place,
        )


@dataclass(frozen=True)
class AggregateMap(Kind[Aggregates]):
    """A map from new features to aggregates: rule 4, aggregate by aggregate."""

    item: Aggregate
    minimum: int = 1

    word: ClassVar[str] = "aggregates"
    parts_are: ClassVar[str] = "aggregates"

    def takes(self) -> str:
        """Returns in words what a case writes."""
        least = f", at least {self.minimum}" if self.minimum else ""
        return f"a map of new features to aggregates{least}"

    def schema(self) -> Schema:
        """Returns the schema of a map of texts."""
        return {"type": "object", "additionalProperties": self.item.schema(), "minProperties": 1}

    def bind(self, node: Node, binding: Binding) -> Aggregates:
        """Parses the aggregates one by one."""
        if not isinstance(node, Fields) or len(node.entries) < self.minimum:
            binding.wrong("takes a map such as {total: sum(amount), how_many: count()}", node)
        names = [binding.name(key, "the name of a new feature") for key, _ in node]
        found = [self.item.bind(value, binding) for _, value in node]
        return Aggregates(tuple(zip(names, found, strict=True)))

    def plain(self, value: Aggregates) -> dict[str, str]:
        """Returns the aggregates as texts."""
        return {name: fragment.text for name, fragment in value.items}

    def parts(self, value: Aggregates, values: Mapping[str, Any]) -> tuple[Part, ...]:
        """Returns the features that each aggregate names."""
        return tuple(p for _, f in value.items for p in self.item.parts(f, values))

    @property
    def fewest(self) -> int:
        """Returns the minimum."""
        return self.minimum

    def keep(self, value: Aggregates, kept: Sequence[bool]) -> Aggregates:
        """Returns some of the aggregates."""
        return Aggregates(tuple(x for x, stays in zip(value.items, kept, strict=True) if stays))


@overload
def expression(text: str, of: str = ...) -> Fragment: ...
@overload
def expression(text: str, of: str = ..., *, default: None) -> Fragment | None: ...
def expression(text: str, of: str = "input", default: Any = NOT_GIVEN) -> Any:
    """Declares a SQL expression over the features of a concept parameter."""
    return declared(Expression(of), text, default)


@overload
def condition(text: str, of: str = ...) -> Fragment: ...
@overload
def condition(text: str, of: str = ..., *, default: None) -> Fragment | None: ...
def condition(text: str, of: str = "input", default: Any = NOT_GIVEN) -> Any:
    """Declares a SQL condition over the features of a concept parameter."""
    return declared(Condition(of), text, default)


@overload
def conditions(text: str, of: str = ...) -> Conditions: ...
@overload
def conditions(text: str, of: str = ..., *, default: None) -> Conditions | None: ...
def conditions(text: str, of: str = "input", default: Any = NOT_GIVEN) -> Any:
    """Declares a list of {feature, operator, value}."""
    return declared(ConditionList(of), text, default)


def aggregates(text: str, of: str, minimum: int = 1) -> Aggregates:
    """Declares a map from new features to aggregates over a concept parameter."""
    found: Aggregates = declared(AggregateMap(Aggregate(of), minimum), text)
    return found
