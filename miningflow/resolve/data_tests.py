"""Binds the data tests of a case: what the rows of a concept must be like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from miningflow.declare.concept import Concept, Relation
from miningflow.errors import Diagnostic, Place, listed, suggestion
from miningflow.nodes import Fields, Items, Node, Scalar
from miningflow.read.case import Case, DataTestText
from miningflow.resolve.typed_values import typed_value
from miningflow.sql.fragments import Fragment, FragmentError, parse_condition

SEVERITIES = ("error", "warn")


@dataclass(frozen=True)
class Unique:
    """No two rows are equal in all these features; rows with a NULL in one do not count."""

    features: tuple[str, ...]


@dataclass(frozen=True)
class NotNull:
    """The feature is known in every row."""

    feature: str


@dataclass(frozen=True)
class Accepted:
    """The feature has one of these values, or NULL."""

    feature: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Within:
    """The feature lies between two values, ends included, or is NULL."""

    feature: str
    low: Any = None
    high: Any = None


@dataclass(frozen=True)
class Related:
    """The feature points to a row of another concept, or is NULL."""

    feature: str
    to: str
    key: str


@dataclass(frozen=True)
class Holds:
    """The condition is true or NULL in every row, as with a CHECK constraint."""

    condition: Fragment


Rule = Unique | NotNull | Accepted | Within | Related | Holds


@dataclass(frozen=True)
class BoundDataTest:
    """A rule for the rows of a concept."""

    concept: str
    rule: Rule
    said: str
    """The rule in words."""
    severity: Literal["error", "warn"]
    place: Place
    about: str = ""

    @property
    def features(self) -> tuple[str, ...]:
        """Names the features of the concept that the rule reads."""
        match self.rule:
            case Unique(features):
                return features
            case Holds(condition):
                return condition.features
            case rule:
                return (rule.feature,)


def bind_data_tests(
    case: Case,
    concepts: Mapping[str, Concept],
    relations: Mapping[str, Relation | None],
    diagnostics: list[Diagnostic],
) -> tuple[BoundDataTest, ...]:
    """Binds all data tests; those of a concept that is itself broken are left alone."""
    binder = _Binder(case, concepts, relations, diagnostics)
    return tuple(test for text in case.data_tests for test in binder.bind(text))


class _Binder:
    """Binds data tests one by one."""

    def __init__(
        self,
        case: Case,
        concepts: Mapping[str, Concept],
        relations: Mapping[str, Relation | None],
        diagnostics: list[Diagnostic],
    ) -> None:
        self.case = case
        self.concepts = concepts
        self.relations = relations
        self.diagnostics = diagnostics

    def bind(self, text: DataTestText) -> list[BoundDataTest]:
        """Returns the rules that a test stands for, or notes what is wrong."""
        concept = self._concept(text.concept)
        severity = text.severity.text if text.severity else "error"
        if severity not in SEVERITIES:
            assert text.severity is not None
            hint = suggestion(severity, SEVERITIES, "choices")
            self._wrong(f"'severity' cannot be {severity!r}", text.severity.place, hint)
        if concept is None:
            return []
        count = len(self.diagnostics)
        rules = getattr(self, f"_{text.kind.text}")(concept, text.wanted)
        if len(self.diagnostics) > count:
            return []
        return [
            BoundDataTest(
                concept=concept.name,
                rule=rule,
                said=_said(rule),
                severity=cast(Literal["error", "warn"], severity),
                place=text.kind.place,
                about=text.about,
            )
            for rule in rules
        ]

    def _concept(self, name: Scalar) -> Concept | None:
        meant = self.case.chains.get(name.text, name.text)
        known = [*self.case.concepts, *self.case.steps]
        if meant not in known and meant not in self.case.unreadable:
            hint = suggestion(name.text, [*known, *self.case.chains], "concepts")
            self._wrong(f"there is no concept or step {name.text!r}", name.place, hint)
        return self.concepts.get(meant)

    def _unique(self, concept: Concept, node: Node) -> list[Rule]:
        names = self._features(concept, node)
        return [Unique(names)] if names else []

    def _not_null(self, concept: Concept, node: Node) -> list[Rule]:
        return [NotNull(name) for name in self._features(concept, node)]

    def _accepted_values(self, concept: Concept, node: Node) -> list[Rule]:
        rules: list[Rule] = []
        for name, values in self._map(node, "{region: [north, south]}"):
            if self._known(concept, name):
                feature = concept.features[name.text]
                items = values.items if isinstance(values, Items) else (values,)
                read = tuple(typed_value(feature, item, self.diagnostics) for item in items)
                if not items or any(isinstance(i, Scalar) and i.kind == "null" for i in items):
                    hint = "NULL is always accepted; `not_null` refuses it"
                    self._wrong("accepted values are a list without null", values.place, hint)
                rules.append(Accepted(feature.name, read))
        return rules

    def _range(self, concept: Concept, node: Node) -> list[Rule]:
        rules: list[Rule] = []
        example = "{age: {min: 0, max: 120}}"
        for name, ends in self._map(node, example):
            if not self._known(concept, name, ("numeric", "time")):
                continue
            limits = dict(ends.entries) if isinstance(ends, Fields) else {}
            if not limits or not set(limits) <= {"min", "max"}:
                self._wrong("a range has 'min', 'max' or both", ends.place, f"write {example}")
                continue
            feature = concept.features[name.text]
            read = {k: typed_value(feature, v, self.diagnostics) for k, (_, v) in limits.items()}
            low, high = read.get("min"), read.get("max")
            if low is not None and high is not None and low > high:
                self._wrong(f"'min' {low} is above 'max' {high}", ends.place)
            rules.append(Within(feature.name, low, high))
        return rules

    def _relation(self, concept: Concept, node: Node) -> list[Rule]:
        if not isinstance(node, Scalar) or node.text not in self.relations:
            shown = node.text if isinstance(node, Scalar) else "this"
            hint = suggestion(shown, self.relations, "relations")
            self._wrong(f"there is no relation {shown!r}", node.place, hint)
            return []
        relation = self.relations[node.text]
        if relation is None:
            return []
        ends = [(relation.one.name, relation.one_feature)]
        start = f"{relation.many.name}.{relation.many_feature}"
        if relation.through is not None:
            ends.append((relation.many.name, relation.many_feature))
            start = relation.through.concept.name
        found: list[Rule] = [
            Related(feature, one, key)
            for one, key in ends
            if concept.name != one and (feature := concept.reach(one)) is not None
        ]
        if not found:
            sides = " or ".join(repr(one) for one, _ in ends)
            self._wrong(
                f"rows of {concept.name!r} do not point to {sides}",
                node.place,
                f"{node.text!r} leads from {start}",
            )
        return found

    def _expression(self, concept: Concept, node: Node) -> list[Rule]:
        if not isinstance(node, Scalar):
            self._wrong("'expression' takes a SQL condition", node.place, "such as 'age >= 18'")
            return []
        types = {f.name: f.type for f in concept.features.values()}
        try:
            return [Holds(parse_condition(node.text, types))]
        except FragmentError as diagnostic:
            place = node.place
            found_at = place.text.find(node.text, place.column - 1)
            if diagnostic.offset and found_at >= 0:
                place = replace(place, column=found_at + 1 + diagnostic.offset)
            self._wrong(diagnostic.message, place, diagnostic.hint)
            return []

    def _features(self, concept: Concept, node: Node) -> tuple[str, ...]:
        items = node.items if isinstance(node, Items) else (node,)
        names = [item for item in items if isinstance(item, Scalar) and item.kind != "null"]
        if len(names) < len(items) or not items:
            self._wrong("expected a feature or a list of features", node.place)
        return tuple(name.text for name in names if self._known(concept, name))

    def _known(self, concept: Concept, name: Scalar, types: tuple[str, ...] = ()) -> bool:
        feature = concept.features.get(name.text)
        if feature is None:
            hint = suggestion(name.text, concept.features, "features")
            self._wrong(f"there is no feature {name.text!r} in {concept.name!r}", name.place, hint)
            return False
        if types and feature.type not in types:
            message = (
                f"feature {name.text!r} is {feature.type}; only {' and '.join(types)} features"
            )
            self._wrong(f"{message} can have a range", name.place)
            return False
        return True

    def _map(self, node: Node, example: str) -> list[tuple[Scalar, Node]]:
        if not isinstance(node, Fields) or not node.entries:
            self._wrong("expected a map of features", node.place, f"such as {example}")
            return []
        return list(node)

    def _wrong(self, message: str, place: Place, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(message, place, hint))


def _said(rule: Rule) -> str:
    match rule:
        case Unique(features):
            return f"{', '.join(features)} is unique"
        case NotNull(feature):
            return f"{feature} is not null"
        case Accepted(feature, values):
            return f"{feature} is one of {listed([_shown(v) for v in values], 6)}"
        case Within(feature, low, high):
            ends = [
                *([f"at least {_shown(low)}"] if low is not None else []),
                *([f"at most {_shown(high)}"] if high is not None else []),
            ]
            return f"{feature} is {' and '.join(ends)}"
        case Related(feature, to, _):
            return f"{feature} is in {to}"
        case Holds(condition):
            return " ".join(condition.text.split())


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
