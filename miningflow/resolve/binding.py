"""Binding: from the nodes of a step to the declared parameters of its operator."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from miningflow.declare.concept import Concept, Feature
from miningflow.declare.parameters import (
    COMPARISONS,
    Aggregates,
    Conditions,
    Interval,
    Intervals,
    Parameter,
)
from miningflow.errors import Mistake, listed, suggestion
from miningflow.read.nodes import Fields, Node, Scalar
from miningflow.resolve.binding_features import FeatureMapBinder
from miningflow.resolve.binding_relations import RelationBinder
from miningflow.resolve.exports import wrong_export_path
from miningflow.resolve.intervals import IntervalMistake, overlap, parse_interval
from miningflow.resolve.patterns import expand, is_pattern
from miningflow.resolve.step_nodes import Unusable
from miningflow.sql.fragments import (
    Fragment,
    FragmentMistake,
    parse_aggregate,
    parse_condition,
    parse_expression,
)


class Binder(RelationBinder, FeatureMapBinder):
    """Binds the parameters of one step, in an order in which each finds what it refers to."""

    def bind(self, parameter: Parameter, node: Node) -> Any:
        """Binds one parameter; raises Unusable after noting what is wrong."""
        self.parameter = parameter
        bind: Callable[[Node], Any] = getattr(self, f"_{parameter.kind}")
        value = bind(node)
        self.values[parameter.name] = value
        return value

    def _concept(self, node: Node) -> Concept:
        return self.scope.concept(self._scalar(node, "the name of a concept"))

    def _concepts(self, node: Node) -> tuple[Concept, ...]:
        names = [self._scalar(n, "the name of a concept") for n in self._items(node)]
        if len(names) < (self.parameter.minimum or 0):
            self._wrong(f"takes at least {self.parameter.minimum:g} concepts", node)
        found = tuple(self.scope.concept(name) for name in names)
        for i, concept in enumerate(found):
            if concept.name in {c.name for c in found[:i]}:
                self._wrong(f"names {concept.name!r} twice", names[i])
        return found

    def _feature(self, node: Node) -> Feature:
        return self._one_feature(self._scalar(node, "the name of a feature"))

    def _features(self, node: Node) -> tuple[Feature, ...]:
        concept = self._of()
        apart = {v.name for v in self.values.values() if isinstance(v, Feature)}
        found: dict[str, Feature] = {}
        for name in (self._scalar(n, "the name of a feature") for n in self._items(node)):
            if is_pattern(name.text, concept):
                features, problem = expand(name.text, concept, self.parameter.types, apart)
                if problem:
                    self.scope.wrong(problem, name.place, f"it has {listed(concept.features)}")
                found.update((f.name, f) for f in features)
            elif name.text in found:
                self._wrong(f"names {name.text!r} twice", name)
            else:
                found[name.text] = self._one_feature(name)
        minimum = int(self.parameter.minimum or 0)
        if len(found) < minimum:
            self._wrong(f"takes at least {minimum} features, and has {len(found)}", node)
        return tuple(found.values())

    def _new_feature(self, node: Node) -> str:
        name = self._scalar(node, "the name of a new feature")
        concept = self.values.get("input")
        self._nameable(name)
        if isinstance(concept, Concept) and name.text not in concept.features:
            clash = [f for f in concept.features if f.casefold() == name.text.casefold()]
            if clash:
                self._wrong(
                    f"names {name.text!r}, which differs from {clash[0]!r} only in case; "
                    "databases do not tell them apart",
                    node,
                )
        return name.text

    def _integer(self, node: Node) -> int:
        scalar = self._scalar(node, "a whole number")
        try:
            value = int(scalar.text.replace("_", ""))
        except ValueError:
            self._wrong(f"takes a whole number, and is {scalar.text[:40]!r}", node)
        if not -(2**63) <= value < 2**63:
            self._wrong("takes a whole number of 64 bits at most", node)
        self._within(value, node)
        return value

    def _number(self, node: Node) -> float:
        scalar = self._scalar(node, "a number")
        value = self._float(scalar)
        self._within(value, node)
        return value

    def _interval(self, node: Node) -> tuple[float, float]:
        ends = [self._float(self._scalar(n, "a number")) for n in self._items(node)]
        if len(ends) != 2 or not ends[0] < ends[1]:
            self._wrong("takes [low, high] with low < high", node)
        return ends[0], ends[1]

    def _intervals(self, node: Node) -> Intervals:
        example = "{early: '[2025-01-01, 2025-07-01)'}"
        if self.parameter.types == ("numeric",):
            example = "{young: '[0, 18)', old: '[65, )'}"
        if not isinstance(node, Fields) or not node.entries:
            self._wrong(f"takes a map of labels to intervals, such as {example}", node)
        found: list[Interval] = []
        for label, value in node:
            for item in self._items(value):
                written = self._scalar(item, "an interval in quotes")
                try:
                    interval = parse_interval(label.text, written.text, self.parameter.types)
                except IntervalMistake as mistake:
                    self.scope.wrong(str(mistake), item.place, f"write a map such as {example}")
                for other in found:
                    if overlap(interval, other):
                        self._wrong(
                            f"has two intervals that overlap: those of {other.label!r} and "
                            f"{interval.label!r}",
                            item,
                            "a round bracket leaves the end out: '[0, 18)' and '[18, 65)' touch",
                        )
                found.append(interval)
        return Intervals(tuple(found))

    def _cuts(self, node: Node) -> tuple[float, ...]:
        items = self._items(node)
        found = [self._float(self._scalar(item, "a number")) for item in items]
        for before, after, item in zip(found, found[1:], items[1:], strict=False):
            if not before < after:
                self._wrong(f"takes numbers that increase, and {after:g} follows {before:g}", item)
        if len(found) < (self.parameter.minimum or 0):
            self._wrong(f"takes at least {self.parameter.minimum:g} numbers", node)
        return tuple(found)

    def _weights(self, node: Node) -> tuple[float, ...]:
        found = [self._float(self._scalar(item, "a number")) for item in self._items(node)]
        if len(found) < (self.parameter.minimum or 0):
            self._wrong(f"takes at least {self.parameter.minimum:g} numbers", node)
        total = math.fsum(found)
        if abs(total - 1) > 1e-9:
            self._wrong(
                f"takes numbers that add up to 1, and these add up to {total:.10g}",
                node,
                f"divide each by {total:.10g}" if total > 0 else "",
            )
        return tuple(found)

    def _boolean(self, node: Node) -> bool:
        scalar = self._scalar(node, "true or false")
        if scalar.kind != "boolean":
            self._wrong(f"takes true or false, and is {scalar.text!r}", node)
        return scalar.text.lower() in ("true", "yes", "on")

    def _choice(self, node: Node) -> str:
        scalar = self._scalar(node, "a word")
        if scalar.kind == "boolean" and "always" in self.parameter.choices:
            return "always" if scalar.text.lower() in ("true", "yes", "on") else "never"
        if scalar.text not in self.parameter.choices:
            self._wrong(
                f"cannot be {scalar.text!r}",
                node,
                suggestion(scalar.text, self.parameter.choices, "choices"),
            )
        return scalar.text

    def _literal(self, node: Node) -> str:
        value = self._scalar(node, "a value")
        fits = self.values.get(self.parameter.fits)
        for feature in fits if isinstance(fits, tuple) else (fits,):
            if isinstance(feature, Feature):
                self._value_of(feature, value)
        return value.text

    def _literals(self, node: Node) -> tuple[str, ...]:
        found = [self._scalar(item, "a value") for item in self._items(node)]
        for i, value in enumerate(found):
            if value.text in [other.text for other in found[:i]]:
                self._wrong(f"names {value.text!r} twice", value)
        minimum = int(self.parameter.minimum or 0)
        if len(found) < minimum:
            self._wrong(f"takes at least {minimum} values, and has {len(found)}", node)
        return tuple(value.text for value in found)

    def _literal_map(self, node: Node) -> dict[str, str | None]:
        if not isinstance(node, Fields) or not node.entries:
            self._wrong("takes a map of values, such as {old: new}", node)
        found: dict[str, str | None] = {}
        for key, value in node:
            if isinstance(value, Scalar) and value.kind == "null":
                found[key.text] = None
            else:
                found[key.text] = self._scalar(value, "a value").text
        return found

    def _counts(self, node: Node) -> dict[str, int]:
        if not isinstance(node, Fields) or not node.entries:
            self._wrong("takes a map of values to whole numbers, such as {yes: 100}", node)
        found = {key.text: self._integer(value) for key, value in node}
        for key, value in node:
            if found[key.text] < 1:
                self._wrong(f"takes numbers from 1, and {key.text!r} has {found[key.text]}", value)
        return found

    def _value_groups(self, node: Node) -> dict[str, tuple[str, ...]]:
        if not isinstance(node, Fields) or not node.entries:
            self._wrong("takes a map of labels to values, such as {coast: [north, west]}", node)
        owner: dict[str, str] = {}
        for label, values in node:
            if not self._items(values):
                self._wrong(f"has no value for {label.text!r}", values)
            for value in (self._scalar(item, "a value") for item in self._items(values)):
                if value.text in owner:
                    self._wrong(
                        f"names {value.text!r} twice: for {owner[value.text]!r} and {label.text!r}",
                        value,
                    )
                owner[value.text] = label.text
        return {
            label.text: tuple(value for value, group in owner.items() if group == label.text)
            for label, _ in node
        }

    def _expression(self, node: Node) -> Fragment:
        return self._fragment(node, parse_expression)

    def _condition(self, node: Node) -> Fragment:
        return self._fragment(node, parse_condition)

    def _conditions(self, node: Node) -> Conditions:
        found: list[tuple[Feature, str, str]] = []
        for item in self._items(node):
            if not isinstance(item, Fields) or set(item.entries) != {
                "feature",
                "operator",
                "value",
            }:
                self._wrong("takes a list of {feature: …, operator: …, value: …}", item)
            parts = [self._scalar(item.entries[p][1], p) for p in ("feature", "operator", "value")]
            feature = self._one_feature(parts[0])
            if parts[1].text not in COMPARISONS:
                self.scope.wrong(
                    f"there is no comparison {parts[1].text!r}",
                    parts[1].place,
                    f"there are {', '.join(COMPARISONS)}",
                )
            self._comparable(feature, parts[1], parts[2])
            found.append((feature, parts[1].text, parts[2].text))
        return Conditions(tuple(found))

    def _comparable(self, feature: Feature, comparison: Scalar, value: Scalar) -> None:
        if feature.type == "key" and comparison.text not in ("=", "<>"):
            self.scope.wrong(
                f"{feature.name!r} is a key: keys are equal or not, they have no order",
                comparison.place,
            )
        self._value_of(feature, value)

    def _aggregates(self, node: Node) -> Aggregates:
        if not isinstance(node, Fields) or len(node.entries) < (self.parameter.minimum or 0):
            self._wrong("takes a map such as {total: sum(amount), how_many: count()}", node)
        for key, _ in node:
            self._nameable(key)
        items = [(key.text, self._fragment(value, parse_aggregate)) for key, value in node]
        return Aggregates(tuple(items))

    def _export_path(self, node: Node) -> str:
        path = self._scalar(node, "a path")
        problem = wrong_export_path(path.text)
        if problem:
            self._wrong(problem, path, "for example scores.csv, or march/scores.parquet")
        return path.text

    def _fragment(
        self, node: Node, parse: Callable[[str, Mapping[str, str]], Fragment]
    ) -> Fragment:
        scalar = self._scalar(node, "a SQL expression")
        types = {f.name: f.type for f in self._of().features.values()}
        try:
            return parse(scalar.text, types)
        except FragmentMistake as mistake:
            place = scalar.place
            found_at = place.text.find(scalar.text, place.column - 1)
            if mistake.offset and found_at >= 0:
                place = replace(place, column=found_at + 1 + mistake.offset)
            self.scope.mistakes.append(Mistake(mistake.message, place, mistake.hint))
            raise Unusable from None
