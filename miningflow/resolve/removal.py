"""Follows the removal of features through a case, by the four rules of deselection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from miningflow.declare.concept import Relation
from miningflow.declare.operator import Notes, Operator
from miningflow.declare.parameters import Parameter
from miningflow.declare.presence import Deselection, Presence
from miningflow.errors import Diagnostic, Place, listed
from miningflow.read.case import ConnectionText
from miningflow.resolve.bound import BoundCase, BoundStep, BoundTest
from miningflow.resolve.case_graph import between
from miningflow.resolve.deselection import (
    derive,
    pass_through,
    reduce_parameter,
)
from miningflow.resolve.effects import Effect, Impact, Kind


@dataclass
class Removal:
    """Follows the removal of features through a case, step by step."""

    bound: BoundCase
    removed: Mapping[str, set[str]]
    connection: ConnectionText | None
    presences: dict[str, Presence] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    """Step that cannot run → the first step before it that cannot, perhaps itself."""
    effects: list[Effect] = field(default_factory=list)

    def impact(self) -> Impact:
        """Returns all that the removal does, in the order in which steps run."""
        for name, concept in self.bound.sources.items():
            self.presences[name] = self._without(name, Presence.whole(concept))
            self._source(name)
        self._relations()
        for step in self.bound.steps.values():
            self._step(step)
        self._tests()
        lost = {
            name: tuple(self.presences[name].deselected)
            for name, step in self.bound.steps.items()
            if name not in self.broken and not step.hidden and self.presences[name].deselected
        }
        named = [f"{c}.{f}" for c, features in self.removed.items() for f in sorted(features)]
        return Impact(tuple(named), tuple(dict.fromkeys(self.effects)), lost)

    def _without(self, name: str, presence: Presence) -> Presence:
        """Takes the removed features out of a concept."""
        gone = self.removed.get(name, set())
        if not gone:
            return presence
        kept = [f for f in presence.concept.features if f not in gone]
        causes = {f: Deselection(name, "removed") for f in gone}
        return Presence(presence.concept.only(kept), {**presence.deselected, **causes})

    def _source(self, name: str) -> None:
        """Notes what the declaration and the connection of a source say of the features."""
        text = self.bound.case.concepts[name]
        source = self.connection.sources.get(name) if self.connection else None
        for feature in sorted(self.removed.get(name, ())):
            if text.key is not None and text.key.text == feature:
                held = "; held-out rows are chosen by it" if text.holdout else ""
                said = f"{feature} is its key{held}"
                self._add("breaks", f"concept {name}", said, text.key.place, "key")
            if source is not None and feature in source.columns:
                said = f"columns maps {feature}"
                self._add("loses", f"source of {name}", said, source.columns[feature].place)
            if source and source.number_rows and source.number_rows.text == feature:
                said = f"number_rows makes {feature}"
                self._add("breaks", f"source of {name}", said, source.number_rows.place)

    def _relations(self) -> None:
        for name, text in self.bound.case.relations.items():
            for end in (text.start, text.end, *(text.through or ())):
                concept, _, feature = end.text.rpartition(".")
                if feature in self.removed.get(concept, ()):
                    self._add("breaks", f"relation {name}", f"it uses {end.text}", end.place)

    def _step(self, step: BoundStep) -> None:
        before = next((self.broken[name] for name in step.reads if name in self.broken), None)
        if before is not None:
            self._break(step, f"cannot run, because {before!r} cannot", "", before)
            self.presences[step.name] = Presence.whole(step.output)
            return
        inputs = {name: self.presences[name] for name in step.reads}
        presence = Presence.whole(step.output)
        if any(p.deselected for p in inputs.values()):
            presence = self._reduced(step, inputs)
        self.presences[step.name] = self._without(step.name, presence)

    def _reduced(self, step: BoundStep, inputs: Mapping[str, Presence]) -> Presence:
        """Applies the rules to a step; one that breaks makes nothing."""
        if step.loop_over is not None and step.loop_over in inputs[step.inputs[0]].deselected:
            turn = f"the turn for {step.loop_over} is left out"
            self._add("loses", step.written_name, turn, step.place())
            return pass_through(step, inputs)
        values: dict[str, Any] = {}
        for parameter in step.operator.parameters():
            diagnostics: list[Diagnostic] = []
            value = reduce_parameter(step, parameter, inputs, diagnostics)
            values[parameter.name] = value
            self._parameter(step, parameter, value, inputs, bool(diagnostics))
        self._learning(step, inputs)
        operator = replace(step.operator, **values)
        if step.name not in self.broken:
            self._outline(step, operator)
        if step.name in self.broken:
            return Presence.whole(step.output)
        return derive(step, operator, {}, inputs)

    def _parameter(
        self,
        step: BoundStep,
        parameter: Parameter,
        left: Any,
        inputs: Mapping[str, Presence],
        refused: bool,
    ) -> None:
        value = getattr(step.operator, parameter.name)
        if isinstance(left, Relation):
            one = next((p for n, p in inputs.items() if n != left.many.name), None)
            if left.many_feature not in left.many.features or (
                one is not None and left.one_feature in one.deselected
            ):
                self._break(step, f"relation {left.name} uses it", parameter.name)
            return
        kind = parameter.kind
        before = kind.parts(value, vars(step.operator)) if value is not None else ()
        lost = {name for c, name in chain(*before) if c in inputs and name in inputs[c].deselected}
        if not lost:
            return
        gone = ", ".join(dict.fromkeys(name for _, name in chain(*before) if name in lost))
        if refused and kind.needs_each(parameter.obligatory):
            self._break(step, f"{parameter.name} needs {gone}", parameter.name)
        elif refused:
            least = f"needs at least {kind.fewest}, and too few are left without {gone}"
            self._break(step, f"{parameter.name} {least}", parameter.name)
        elif left == parameter.default:
            said = f"{parameter.name} counts as not given without {gone}"
            self._add("loses", step.name, said, step.place(parameter.name), parameter.name)
        else:
            after = len(kind.parts(left, vars(step.operator)))
            said = f"{parameter.name} loses {gone}: {after} of {len(before)} are left"
            self._add("shrinks", step.name, said, step.place(parameter.name), parameter.name)

    def _learning(self, step: BoundStep, inputs: Mapping[str, Presence]) -> None:
        if step.learn_on is not None:
            gone = set(step.operator.training_features()) & set(inputs[step.learn_on].deselected)
            if gone:
                self._break(step, f"it learns from {listed(sorted(gone))} of {step.learn_on}", "")

    def _outline(self, step: BoundStep, operator: Operator) -> None:
        """Asks the operator itself, which may need a key."""
        before, after = Notes(), Notes()
        step.operator.outline(before)
        operator.outline(after)
        for parameter, message, _ in after.diagnostics:
            if (parameter, message) not in [(p, m) for p, m, _ in before.diagnostics]:
                self._break(step, message, parameter)

    def _tests(self) -> None:
        for test in self.bound.data_tests:
            gone = [f for f in test.features if f in self.presences[test.concept].deselected]
            name = f"data test of {test.concept}"
            if test.concept in self.broken:
                cause = self.broken[test.concept]
                self._add("breaks", name, test.said, test.place, through=cause)
            elif gone:
                said = f"{test.said}: left out without {listed(gone)}"
                self._add("loses", name, said, test.place)
        for unit in self.bound.tests.values():
            self._test(unit)

    def _test(self, test: BoundTest) -> None:
        """Notes a test that names what is gone, or runs a step that breaks by itself."""
        name = f"test {test.name}"
        needed = between(self.bound.graph, test.given, test.step)
        cause = next((s for s in self.bound.steps if s in needed and self.broken.get(s) == s), None)
        if cause is not None:
            self._add("breaks", name, f"it runs {cause}", test.place, through=cause)
        rows = [(concept, row) for concept, given in test.given.items() for row in given]
        named: set[tuple[str, str]] = set()
        for concept, row in [*rows, *((test.step, row) for row in test.expect)]:
            gone = {(concept, f) for f in row.values if f in self.presences[concept].deselected}
            for _, feature in sorted(gone - named):
                self._add("breaks", name, f"a row names {concept}.{feature}", row.place)
            named |= gone

    def _break(self, step: BoundStep, said: str, parameter: str, through: str = "") -> None:
        self.broken.setdefault(step.name, through or step.name)
        self._add("breaks", step.written_name, said, step.place(parameter), parameter, through)

    def _add(
        self,
        kind: Kind,
        where: str,
        said: str,
        place: Place,
        parameter: str = "",
        through: str = "",
    ) -> None:
        self.effects.append(Effect(kind, where, said, place, parameter, through))
