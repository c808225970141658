"""The four deselection rules (MiningMart deliverable on feature selection with SVMs, section 2.1).

When a stage binds its parameters, a feature that an earlier selection dropped is
1. single and optional: treated as not given,
2. single and obligatory: an error,
3. in an optional list: taken out; an empty list counts as not given,
4. in an obligatory list: taken out; fewer than the minimum is an error.
A SQL fragment needs every feature it names (rule 2 for each): leaving a part of a condition out
would silently change its meaning. A list of aggregates follows rule 4, item by item.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from miningflow.declare.concept import Concept, Path, Relation
from miningflow.declare.operator import Notes, Operator
from miningflow.declare.parameters import Aggregates, Conditions, Parameter
from miningflow.errors import Mistake
from miningflow.resolve.bound import BoundStep
from miningflow.sql.fragments import Fragment


@dataclass(frozen=True)
class Deselection:
    """A feature is gone: since which step, and why."""

    step: str
    reason: str


@dataclass(frozen=True)
class Presence:
    """A concept on the relational level: features that have a column, and those that lost it."""

    concept: Concept
    deselected: Mapping[str, Deselection]
    partly: Mapping[str, Mapping[str, Deselection]] = field(default_factory=dict)
    """Features that only some segments lost, which are NULL there: feature → segment → why."""

    @staticmethod
    def whole(concept: Concept) -> Presence:
        """Says that nothing is deselected."""
        return Presence(concept, {})


def reduce(
    step: BoundStep,
    presences: Mapping[str, Presence],
    mistakes: list[Mistake],
    lenient: bool = False,
) -> Operator:
    """Applies the four rules to the parameters of a step and notes what they forbid.

    With `lenient`, forbidden things stay as they are, to foresee what else could happen.
    """
    if not any(presences[name].deselected for name in _concepts_of(step)):
        return step.operator
    reducer = _Reducer(step, presences, mistakes, lenient)
    values = {p.name: reducer.value(p) for p in step.operator.parameters()}
    return replace(step.operator, **values)


def reduce_parameter(
    step: BoundStep,
    parameter: Parameter,
    presences: Mapping[str, Presence],
    mistakes: list[Mistake],
) -> Any:
    """Applies the rules to one parameter of a step, and gives what is left of its value."""
    return _Reducer(step, presences, mistakes, lenient=True).value(parameter)


def derive(
    step: BoundStep,
    operator: Operator,
    dropped: Mapping[str, str],
    presences: Mapping[str, Presence],
) -> Presence:
    """Derives which features of the output are present; `dropped` gives a selection's reasons."""
    concepts = [presences[name] for name in _concepts_of(step)]
    if not dropped and not any(p.deselected for p in concepts):
        return Presence.whole(step.output)
    present = operator.outline(Notes()).features
    kept = [name for name in step.output.features if name in present and name not in dropped]
    deselected: dict[str, Deselection] = {}
    for name in step.output.features:
        if name in dropped:
            deselected[name] = Deselection(step.name, dropped[name])
        elif name not in present:
            deselected[name] = _inherited(name, concepts)
    return Presence(step.output.only(kept), deselected)


def pass_through(step: BoundStep, presences: Mapping[str, Presence]) -> Presence:
    """Derives the output of a turn of a loop that is left out: its input, and nothing made."""
    source = presences[step.inputs[0]]
    deselected = dict(source.deselected)
    for name in step.output.features:
        if name not in source.concept.features and name not in deselected:
            cause = source.deselected[step.loop_over or ""]
            deselected[name] = replace(
                cause, reason=f"made from {step.loop_over!r}, which was deselected"
            )
    kept = [name for name in step.output.features if name in source.concept.features]
    return Presence(replace(source.concept, name=step.name).only(kept), deselected)


def _inherited(name: str, concepts: list[Presence]) -> Deselection:
    for presence in concepts:
        if name in presence.deselected:
            return presence.deselected[name]
    for presence in concepts:
        for feature, cause in presence.deselected.items():
            return replace(cause, reason=f"made from {feature!r}, which was deselected")
    raise AssertionError(f"feature {name!r} vanished without a deselection")


def _concepts_of(step: BoundStep) -> tuple[str, ...]:
    return step.inputs


class _Reducer:
    """Reduces the parameters of one step."""

    def __init__(
        self,
        step: BoundStep,
        presences: Mapping[str, Presence],
        mistakes: list[Mistake],
        lenient: bool,
    ) -> None:
        self.step = step
        self.presences = presences
        self.mistakes = mistakes
        self.lenient = lenient

    def value(self, parameter: Parameter) -> Any:
        """Gives the value of a parameter without deselected features."""
        value = getattr(self.step.operator, parameter.name)
        if value is None:
            return None
        match parameter.kind:
            case "concept":
                return self._concept(value)
            case "concepts":
                return tuple(self._concept(c) for c in value)
            case "relation":
                return self._relation(value)
            case "path":
                return self._path(value)
            case "feature":
                return self._single(parameter, value)
            case "features":
                return self._list(parameter, value)
            case "expression" | "condition":
                self._fragment(parameter, value)
            case "conditions":
                self._needed(parameter, [f.name for f, _, _ in value.items])
            case "aggregates":
                return self._aggregates(parameter, value)
            case "feature_values" | "feature_labels":
                return self._map(parameter, value)
            case "collected":
                return self._collected(parameter, value)
            case "ends":
                for owner, name in value.items():
                    cause = self.presences[owner].deselected.get(name)
                    if cause is not None:
                        self._refuse(parameter, name, cause)
            case "rename":
                return {
                    (owner, name): new
                    for (owner, name), new in value.items()
                    if name not in self.presences[owner].deselected
                }
        return value

    def _concept(self, concept: Concept) -> Concept:
        return self.presences[concept.name].concept

    def _relation(self, relation: Relation) -> Relation:
        cross = relation.through
        if cross is not None:
            cross = replace(cross, concept=self._concept(cross.concept))
        return replace(relation, many=self._concept(relation.many), through=cross)

    def _path(self, path: Path) -> Path:
        links = tuple(replace(link, concept=self._concept(link.concept)) for link in path.links)
        return Path(links, tuple(self._concept(concept) for concept in path.arrivals))

    def _single(self, parameter: Parameter, feature: Any) -> Any:
        cause = self._deselected(parameter).get(feature.name)
        if cause is None:
            return feature
        if not parameter.obligatory:
            return parameter.default
        self._refuse(parameter, feature.name, cause)
        return feature

    def _list(self, parameter: Parameter, features: Any) -> Any:
        deselected = self._deselected(parameter)
        kept = tuple(f for f in features if f.name not in deselected)
        gone = [f.name for f in features if f.name in deselected]
        if not kept and not parameter.obligatory:
            return parameter.default
        minimum = int(parameter.minimum or 0)
        if parameter.obligatory and len(kept) < minimum:
            self._too_few(parameter, {n: deselected[n] for n in gone}, len(kept), minimum)
            return features if self.lenient else kept
        return kept

    def _map(self, parameter: Parameter, value: dict[str, Any]) -> Any:
        deselected = self._deselected(parameter)
        kept = {name: given for name, given in value.items() if name not in deselected}
        if not kept and not parameter.obligatory:
            return parameter.default
        minimum = int(parameter.minimum or 0)
        if len(kept) < minimum:
            gone = {name: deselected[name] for name in value if name in deselected}
            self._too_few(parameter, gone, len(kept), minimum)
            return value
        return kept

    def _collected(self, parameter: Parameter, value: dict[tuple[str, str], str]) -> Any:
        gone = {
            (owner, name): self.presences[owner].deselected[name]
            for owner, name in value
            if name in self.presences[owner].deselected
        }
        kept = {end: new for end, new in value.items() if end not in gone}
        minimum = int(parameter.minimum or 0)
        if len(kept) < minimum:
            named = {name: cause for (_, name), cause in gone.items()}
            self._too_few(parameter, named, len(kept), minimum)
            return value
        return kept

    def _aggregates(self, parameter: Parameter, value: Aggregates) -> Aggregates:
        deselected = self._deselected(parameter)
        kept = tuple(
            (name, f) for name, f in value.items if not any(x in deselected for x in f.features)
        )
        minimum = int(parameter.minimum or 0)
        if len(kept) < minimum:
            used = [x for _, f in value.items for x in f.features]
            gone = {x: deselected[x] for x in used if x in deselected}
            self._too_few(parameter, gone, len(kept), minimum)
            return value
        return Aggregates(kept)

    def _fragment(self, parameter: Parameter, value: Fragment | Conditions) -> None:
        assert isinstance(value, Fragment)
        self._needed(parameter, value.features)

    def _needed(self, parameter: Parameter, names: Any) -> None:
        deselected = self._deselected(parameter)
        for name in names:
            if name in deselected:
                self._refuse(parameter, name, deselected[name])

    def _deselected(self, parameter: Parameter) -> Mapping[str, Deselection]:
        owner = getattr(self.step.operator, parameter.of)
        name = owner.many.name if isinstance(owner, Relation) else owner.name
        return self.presences[name].deselected

    def _refuse(self, parameter: Parameter, feature: str, cause: Deselection) -> None:
        self._mistake(
            parameter,
            f"obligatory parameter '{parameter.name}' (feature '{feature}') "
            f"was deselected in step '{cause.step}'",
            f"because: {cause.reason}; remove '{feature}' from the attributes of '{cause.step}', "
            f"or do not use it in '{self.step.name}'",
        )

    def _too_few(
        self, parameter: Parameter, gone: Mapping[str, Deselection], left: int, minimum: int
    ) -> None:
        dropped = ", ".join(f"'{name}' (in step '{cause.step}')" for name, cause in gone.items())
        self._mistake(
            parameter,
            f"obligatory parameter '{parameter.name}' needs at least {minimum}, "
            f"and {left} are left: deselected were {dropped}",
            f"give '{parameter.name}' more features, or let the selection keep some of these",
        )

    def _mistake(self, parameter: Parameter, message: str, hint: str) -> None:
        self.mistakes.append(Mistake(message, self.step.place(parameter.name), hint))
