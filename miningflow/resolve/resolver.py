"""Resolves a case: binds every step in order, derives its output, collects all errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from miningflow.catalog import Catalog, meant, operator_hint
from miningflow.declare.concept import Concept
from miningflow.declare.kinds.binding import Binding, Scope, Unusable
from miningflow.declare.operator import Notes, Operator
from miningflow.declare.segmentation import SegmentingOperator
from miningflow.errors import (
    Diagnostic,
    ReadError,
    ResolveError,
    closest,
    in_order,
    listed,
    suggestion,
)
from miningflow.nodes import Node, Scalar
from miningflow.read.case import Case, StepText
from miningflow.resolve.bound import BoundCase, BoundStep
from miningflow.resolve.case_tests import bind_tests
from miningflow.resolve.data_tests import bind_data_tests
from miningflow.resolve.exports import clashing_exports
from miningflow.resolve.foreseen_deselection import Foresight
from miningflow.resolve.holdouts import LostHoldouts
from miningflow.resolve.leaks import find_leaks
from miningflow.resolve.loop_notes import LoopNotes
from miningflow.resolve.loops import turns
from miningflow.resolve.running_order import in_running_order
from miningflow.resolve.segmenting import SegmentError, check_learn_on, run_in, segmented
from miningflow.resolve.sources import bind_relations, bind_sources

BUILDS = ("view", "table")


def resolve_case(case: Case, catalog: Catalog, lazy: bool = False) -> BoundCase:
    """Binds a case; raises one error with all that is wrong, mistakes of form included.

    With `lazy`, every segmentation keeps its first segment only.
    """
    diagnostics: list[Diagnostic] = []
    sources = bind_sources(case, diagnostics)
    relations = bind_relations(case, sources, diagnostics)
    concepts: dict[str, Concept | None] = {name: sources.get(name) for name in case.concepts}
    concepts.update((name, None) for name in (*case.steps, *case.unreadable))
    scope = Scope(concepts, relations, case.chains, diagnostics)
    order = in_running_order(case, catalog, diagnostics)
    resolver = _Resolver(case, catalog, scope, concepts, Foresight(), lazy)
    resolver.holdouts.start(sources)
    for name in order:
        resolver.resolve(case.steps[name])
    _check_scoring(case, catalog, diagnostics)
    tests = bind_tests(case, sources, resolver.steps, diagnostics)
    known = {name: concept for name, concept in concepts.items() if concept is not None}
    data_tests = bind_data_tests(case, known, relations, diagnostics)
    diagnostics += clashing_exports(resolver.steps.values())
    if case.mistakes:
        raise ReadError(*case.mistakes, *diagnostics, *resolver.warnings)
    if diagnostics:
        raise ResolveError(*diagnostics, *resolver.warnings)
    leaks = [leak.diagnostic() for leak in find_leaks(sources, resolver.steps.values())]
    return BoundCase(
        case=case,
        name=case.name.text,
        sources=sources,
        relations={name: r for name, r in relations.items() if r is not None},
        steps=resolver.steps,
        chains=case.chains,
        scoring=_scoring(case, resolver.steps),
        warnings=tuple(in_order([*resolver.warnings, *leaks])),
        tests=tests,
        data_tests=data_tests,
    )


def _check_scoring(case: Case, catalog: Catalog, diagnostics: list[Diagnostic]) -> None:
    """Notes a `scoring` that names no step, or one that predicts nothing."""
    if case.scoring is None:
        return
    step = case.steps.get(case.chains.get(case.scoring.text, case.scoring.text))
    if step is None and case.scoring.text in case.unreadable:
        return
    if step is None:
        hint = suggestion(case.scoring.text, [*case.steps, *case.chains], "steps")
        message = f"there is no step {case.scoring.text!r}"
        diagnostics.append(Diagnostic(message, case.scoring.place, hint))
        return
    operators = {name: catalog.find(s.operator.text) for name, s in case.steps.items()}
    operator = operators[step.name.text]
    if operator is not None and not operator.scores:
        models = [name for name, found in operators.items() if found and found.scores]
        hint = f"these do: {listed(models)}" if models else "no step of the case does"
        message = f"{case.scoring.text!r} is not a step that predicts"
        diagnostics.append(Diagnostic(message, case.scoring.place, hint))


def _scoring(case: Case, steps: Mapping[str, BoundStep]) -> str | None:
    """Returns the step that `score` means: the one the case names, or the last model."""
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
        self.warnings: list[Diagnostic] = []

    def resolve(self, step: StepText) -> None:
        """Binds a step, or all turns of its loop; notes errors and goes on."""
        operator = self.catalog.find(step.operator.text)
        if operator is None:
            hint = operator_hint(step.operator.text, self.catalog)
            message = f"there is no operator {step.operator.text!r}"
            self.scope.note(message, step.operator.place, hint)
            operator = meant(step.operator.text, self.catalog)
            if operator is None:
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
        notes = LoopNotes(self.scope.diagnostics, self.warnings)
        for i, turn in enumerate(found):
            last = i == len(found) - 1
            name = step.name.text if last else f"{step.name.text}[{turn.label}]"
            inner = replace(
                step,
                name=Scalar(name, "text", step.name.place),
                parameters={**turn.parameters, "input": (source, source)},
                implied_input=None,
                for_each=None,
                materialize=step.materialize if last else None,
            )
            with notes.turn(turn):
                bound = self._bind(inner, operator)
                if not last:
                    self.scope.turns.add(name)
                loop = step.name.text
                turned = replace(bound, loop=loop, loop_over=turn.feature or None, turn=turn.shown)
                self._finish(inner, turned)
                source = Scalar(name, "text", node.place)
        notes.put_back()
        if notes.unusable:
            raise Unusable

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
        for parameter, message, hint in notes.diagnostics:
            place = places.get(parameter) or places[""]
            self.scope.diagnostics.append(Diagnostic(message, place, hint))
        if notes.diagnostics:
            raise Unusable
        try:
            within = run_in([self._concept(name) for name in _inputs(operator, values)])
            output = segmented(step.name.text, instance, output, within)
            if learn_on is not None:
                check_learn_on(self._concept(learn_on), within)
        except SegmentError as error:
            self.scope.wrong(error.message, step.name.place, error.hint)
        return BoundStep(
            name=step.name.text,
            operator=instance,
            output=replace(output, name=step.name.text),
            within=within,
            inputs=_inputs(operator, values),
            learn_on=learn_on,
            builds=self._builds(step, operator),
            asked_for=step.materialize is not None,
            given={
                p.name: p.plain(values[p.name])
                for p in operator.parameters()
                if not (p.later and values[p.name] == p.default)
            },
            places=places,
            about=step.about,
        )

    def _values(
        self, step: StepText, operator: type[Operator], given: dict[str, tuple[Scalar, Node]]
    ) -> dict[str, Any]:
        parameters = {p.name: p for p in operator.parameters()}
        broken = False
        for name, (key, node) in list(given.items()):
            if name not in parameters:
                hint = suggestion(name, parameters, "parameters")
                self.scope.note(f"{operator.__name__} has no parameter {name!r}", key.place, hint)
                meant = closest(name, list(parameters))
                if meant is None:
                    broken = True
                else:
                    given.setdefault(meant, (key, node))
        values: dict[str, Any] = {}
        for parameter in sorted(parameters.values(), key=lambda p: p.kind.order):
            if parameter.name in given:
                binding = Binding(self.scope, operator.__name__, parameter.name, values)
                try:
                    values[parameter.name] = parameter.kind.bind(given[parameter.name][1], binding)
                except Unusable:
                    broken = True
            elif parameter.obligatory:
                message = f"{operator.__name__} needs {parameter.name!r}: {parameter.text}"
                self.scope.note(message, step.name.place)
                broken = True
        if broken:
            raise Unusable
        return {p.name: values.get(p.name, p.default) for p in parameters.values()}

    def _learn_on(
        self, step: StepText, operator: type[Operator], values: Mapping[str, Any]
    ) -> str | None:
        if step.learn_on is None:
            return None
        if operator.learns is None:
            message = f"{operator.__name__} does not learn, so it takes no 'learn_on'"
            self.scope.note(message, step.learn_on.place)
            return None
        noted = len(self.scope.diagnostics)
        concept = self.scope.concept(step.learn_on)
        if len(self.scope.diagnostics) > noted:
            return None
        before = self._concept(_inputs(operator, values)[0]).features
        for name in operator(**values).training_features():
            if name not in concept.features:
                self.scope.note(
                    f"{concept.name!r} has no feature {name!r}, which the step learns from",
                    step.learn_on.place,
                    suggestion(name, concept.features, "features"),
                )
            elif name in before and concept.features[name].type != before[name].type:
                self.scope.note(
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
            message = f"'materialize' cannot be {step.materialize.text!r}"
            self.scope.note(message, step.materialize.place, hint)
            return operator.builds
        return step.materialize.text

    def _concept(self, name: str) -> Concept:
        found = self.concepts[name]
        assert found is not None
        return found


def _takes_input(operator: type[Operator]) -> bool:
    """Returns whether a step of a chain goes on from the one before; a join names its concepts."""
    return any(p.name == "input" for p in operator.parameters())


def _inputs(operator: type[Operator], values: Mapping[str, Any]) -> tuple[str, ...]:
    """Names the concepts that the parameters read, in order, each once."""
    read = (
        concept.name
        for parameter in operator.parameters()
        if values[parameter.name] is not None
        for concept in parameter.kind.concepts(values[parameter.name])
    )
    return tuple(dict.fromkeys(read))
