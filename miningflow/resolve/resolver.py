"""Resolves a case: binds every step in order, derives its output, collects all mistakes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, replace
from typing import Any

from miningflow.catalog import Catalog
from miningflow.declare.concept import Concept, Feature, Path, Relation
from miningflow.declare.operator import Notes, Operator
from miningflow.declare.parameters import Aggregates, Conditions, Intervals
from miningflow.declare.segmentation import SegmentingOperator
from miningflow.errors import Mistake, ResolveError, closest, in_order, listed, suggestion
from miningflow.read.case import Case, StepText
from miningflow.read.nodes import Node, Scalar
from miningflow.resolve.binding import Binder
from miningflow.resolve.bound import BoundCase, BoundStep, concepts_in
from miningflow.resolve.data_tests import bind_data_tests
from miningflow.resolve.exports import clashing_exports
from miningflow.resolve.foresee import Foresight
from miningflow.resolve.graph import in_running_order
from miningflow.resolve.holdouts import LostHoldouts
from miningflow.resolve.loops import turns
from miningflow.resolve.segmenting import SegmentMistake, check_learn_on, run_in, segmented
from miningflow.resolve.sources import bind_relations, bind_sources
from miningflow.resolve.step_nodes import Scope, Unusable
from miningflow.resolve.tests import bind_tests
from miningflow.sql.fragments import Fragment

BUILDS = ("view", "table")


def resolve_case(case: Case, catalog: Catalog, lazy: bool = False) -> BoundCase:
    """Binds a case; raises one error with all its mistakes.

    With `lazy`, every segmentation keeps its first segment only.
    """
    mistakes: list[Mistake] = []
    sources = bind_sources(case, mistakes)
    relations = bind_relations(case, sources, mistakes)
    concepts: dict[str, Concept | None] = {name: sources.get(name) for name in case.concepts}
    concepts.update((name, None) for name in case.steps)
    scope = Scope(concepts, relations, case.chains, mistakes)
    order, graph = in_running_order(case, catalog, mistakes)
    resolver = _Resolver(case, catalog, scope, concepts, Foresight(graph), lazy)
    resolver.holdouts.start(sources)
    for name in order:
        resolver.resolve(case.steps[name])
    _check_scoring(case, catalog, mistakes)
    tests = bind_tests(case, sources, resolver.steps, mistakes)
    known = {name: concept for name, concept in concepts.items() if concept is not None}
    data_tests = bind_data_tests(case, known, relations, mistakes)
    mistakes += clashing_exports(resolver.steps.values())
    if mistakes:
        raise ResolveError(*mistakes, *resolver.warnings)
    return BoundCase(
        case=case,
        name=case.name.text,
        sources=sources,
        relations={name: r for name, r in relations.items() if r is not None},
        steps=resolver.steps,
        chains=case.chains,
        scoring=_scoring(case, resolver.steps),
        warnings=tuple(in_order(resolver.warnings)),
        tests=tests,
        data_tests=data_tests,
    )


def _check_scoring(case: Case, catalog: Catalog, mistakes: list[Mistake]) -> None:
    """Notes a `scoring` that names no step, or one that predicts nothing."""
    if case.scoring is None:
        return
    step = case.steps.get(case.chains.get(case.scoring.text, case.scoring.text))
    if step is None:
        hint = suggestion(case.scoring.text, [*case.steps, *case.chains], "steps")
        message = f"there is no step {case.scoring.text!r}"
        mistakes.append(Mistake(message, case.scoring.place, hint))
        return
    operators = {name: catalog.get(s.operator.text) for name, s in case.steps.items()}
    operator = operators[step.name.text]
    if operator is not None and not operator.scores:
        models = [name for name, found in operators.items() if found and found.scores]
        hint = f"these do: {listed(models)}" if models else "no step of the case does"
        message = f"{case.scoring.text!r} is not a step that predicts"
        mistakes.append(Mistake(message, case.scoring.place, hint))


def _scoring(case: Case, steps: Mapping[str, BoundStep]) -> str | None:
    """Gives the step that `score` means: the one the case names, or the last model."""
    if case.scoring:
        return case.chains.get(case.scoring.text, case.scoring.text)
    models = [name for name in case.steps if name in steps and steps[name].operator.scores]
    return models[-1] if models else None


class _Resolver:
    """Resolves steps one after the other."""

    def __init__(
        self,
        case: Case,
        catalog: Catalog,
        scope: Scope,
        concepts: dict[str, Concept | None],
        foresight: Foresight,
        lazy: bool,
    ) -> None:
        self.case = case
        self.catalog = catalog
        self.scope = scope
        self.concepts = concepts
        self.foresight = foresight
        self.lazy = lazy
        self.holdouts = LostHoldouts()
        self.steps: dict[str, BoundStep] = {}
        self.warnings: list[Mistake] = []

    def resolve(self, step: StepText) -> None:
        """Binds a step, or all turns of its loop; notes mistakes and goes on."""
        operator = self.catalog.get(step.operator.text)
        if operator is None:
            hint = suggestion(step.operator.text, self.catalog, "operators")
            self.scope.mistakes.append(
                Mistake(f"there is no operator {step.operator.text!r}", step.operator.place, hint)
            )
            return
        try:
            if step.for_each is None:
                self._finish(step, self._bind(step, operator))
            else:
                self._loop(step, operator)
        except Unusable:
            return

    def _loop(self, step: StepText, operator: type[Operator]) -> None:
        entry = step.parameters.get("input")
        node = entry[1] if entry else step.implied_input
        if not isinstance(node, Scalar):
            self.scope.wrong("a step with 'for_each' needs an 'input'", step.name.place)
        found = turns(step, operator, self.scope.concept(node), self.scope)
        source = node
        for i, turn in enumerate(found):
            last = i == len(found) - 1
            name = step.name.text if last else f"{step.name.text}[{turn.label}]"
            parameters = {**turn.parameters, "input": (source, source)}
            inner = replace(
                step,
                name=Scalar(name, "text", step.name.place),
                parameters=parameters,
                implied_input=None,
                for_each=None,
                materialize=step.materialize if last else None,
            )
            bound = self._bind(inner, operator)
            self.foresight.graph.add_edges_from([(source.text, name)])
            loop_over = turn.feature or None
            self._finish(inner, replace(bound, loop_over=loop_over, hidden=not last))
            source = Scalar(name, "text", node.place)

    def _finish(self, step: StepText, bound: BoundStep) -> None:
        self.steps[bound.name] = bound
        self.concepts[bound.name] = bound.output
        self.warnings += self.foresight.warnings(bound)
        known = {name: self._concept(name) for name in bound.inputs}
        self.warnings += self.holdouts.follow(bound, known)

    def _bind(self, step: StepText, operator: type[Operator]) -> BoundStep:
        given: dict[str, tuple[Scalar, Node]] = dict(step.parameters)
        if step.implied_input is not None and _takes_input(operator):
            given["input"] = (step.implied_input, step.implied_input)
        values = self._values(step, operator, given)
        if self.lazy and issubclass(operator, SegmentingOperator):
            values["only_first"] = True
        learn_on = self._learn_on(step, operator, values)
        instance = operator(**values)
        notes = Notes()
        output = instance.outline(notes)
        places = {name: node.place for name, (_, node) in given.items()}
        places[""] = step.name.place
        for parameter, message, hint in notes.mistakes:
            place = places.get(parameter) or places[""]
            self.scope.mistakes.append(Mistake(message, place, hint))
        if notes.mistakes:
            raise Unusable
        try:
            within = run_in([self._concept(name) for name in _inputs(values)])
            output = segmented(step.name.text, instance, output, within)
            if learn_on is not None:
                check_learn_on(self._concept(learn_on), within)
        except SegmentMistake as mistake:
            self.scope.wrong(mistake.message, step.name.place, mistake.hint)
        return BoundStep(
            name=step.name.text,
            operator=instance,
            output=replace(output, name=step.name.text),
            within=within,
            inputs=_inputs(values),
            learn_on=learn_on,
            builds=self._builds(step, operator),
            asked_for=step.materialize is not None,
            given={name: plain(value) for name, value in values.items()},
            places=places,
            about=step.about,
        )

    def _values(
        self, step: StepText, operator: type[Operator], given: dict[str, tuple[Scalar, Node]]
    ) -> dict[str, Any]:
        parameters = {p.name: p for p in operator.parameters()}
        broken = False
        misspelt: set[str | None] = set()
        for name, (key, _) in given.items():
            if name not in parameters:
                misspelt.add(closest(name, list(parameters)))
                hint = suggestion(name, parameters, "parameters")
                self.scope.mistakes.append(
                    Mistake(f"{operator.__name__} has no parameter {name!r}", key.place, hint)
                )
                broken = True
        binder = Binder(self.scope, operator.__name__)
        for parameter in sorted(parameters.values(), key=lambda p: _BINDING_ORDER.get(p.kind, 3)):
            if parameter.name in given:
                try:
                    binder.bind(parameter, given[parameter.name][1])
                except Unusable:
                    broken = True
            elif parameter.obligatory and parameter.name not in misspelt:
                self.scope.mistakes.append(
                    Mistake(
                        f"{operator.__name__} needs {parameter.name!r}: {parameter.text}",
                        step.name.place,
                    )
                )
                broken = True
        if broken:
            raise Unusable
        return {p.name: binder.values.get(p.name, p.default) for p in parameters.values()}

    def _learn_on(
        self, step: StepText, operator: type[Operator], values: Mapping[str, Any]
    ) -> str | None:
        if step.learn_on is None:
            return None
        if operator.learns is None:
            self.scope.wrong(
                f"{operator.__name__} learns nothing, so 'learn_on' has no meaning here",
                step.learn_on.place,
            )
        concept = self.scope.concept(step.learn_on)
        before = self._concept(_inputs(values)[0]).features
        for name in operator(**values).training_features():
            if name not in concept.features:
                self.scope.wrong(
                    f"{concept.name!r} has no feature {name!r}, which the step learns from",
                    step.learn_on.place,
                    suggestion(name, concept.features, "features"),
                )
            elif name in before and concept.features[name].type != before[name].type:
                self.scope.wrong(
                    f"feature {name!r} is {concept.features[name].type} in {concept.name!r} "
                    f"and {before[name].type} here",
                    step.learn_on.place,
                    "what is learned from one does not fit the other",
                )
        return concept.name

    def _builds(self, step: StepText, operator: type[Operator]) -> Any:
        if step.materialize is None:
            return operator.builds
        if step.materialize.text not in BUILDS:
            hint = suggestion(step.materialize.text, BUILDS, "choices")
            self.scope.wrong(
                f"'materialize' cannot be {step.materialize.text!r}", step.materialize.place, hint
            )
        return step.materialize.text

    def _concept(self, name: str) -> Concept:
        found = self.concepts[name]
        assert found is not None
        return found


def _takes_input(operator: type[Operator]) -> bool:
    """Says whether a step of a chain goes on from the one before; a join names its concepts."""
    return any(p.name == "input" for p in operator.parameters())


_BINDING_ORDER = {"concept": 0, "concepts": 0, "relation": 1, "path": 1, "feature": 2}


def _inputs(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Names the concepts that the parameters hold, in order, each once."""
    return tuple(dict.fromkeys(c.name for v in values.values() for c in concepts_in(v)))


def plain(value: Any) -> Any:
    """Gives a bound value as plain data that is the same for the same meaning."""
    match value:
        case Concept() | Feature():
            return value.name
        case Relation():
            ends = [value.name, value.many.name, value.many_feature, value.one_feature]
            cross = value.through
            if cross is None:
                return ends
            return [*ends, cross.concept.name, cross.one_feature, cross.many_feature]
        case Path():
            return [[k.relation, k.before, k.concept.name, k.feature] for k in value.links]
        case Fragment():
            return value.text
        case Aggregates():
            return {name: fragment.text for name, fragment in value.items}
        case Conditions():
            return [[f.name, comparison, literal] for f, comparison, literal in value.items]
        case Intervals():
            return [list(astuple(interval)) for interval in value.items]
        case tuple() | list():
            return [plain(item) for item in value]
        case dict():
            return {k if isinstance(k, str) else ".".join(k): plain(v) for k, v in value.items()}
        case _:
            json.dumps(value)
            return value
