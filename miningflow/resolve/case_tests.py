"""Binds the tests of a case: what is given must be enough for the step, and fit its concepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

import networkx as nx

from miningflow.declare.concept import Concept
from miningflow.errors import Diagnostic, listed, suggestion
from miningflow.nodes import Fields, Scalar
from miningflow.read.case import Case, TestText
from miningflow.resolve.bound import BoundStep, BoundTest, Row
from miningflow.resolve.case_graph import between, case_graph
from miningflow.resolve.typed_values import typed_value

LEARNED = ("given", "stored")
TOLERANCE = 1e-9


def bind_tests(
    case: Case,
    sources: Mapping[str, Concept],
    steps: Mapping[str, BoundStep],
    diagnostics: list[Diagnostic],
) -> dict[str, BoundTest]:
    """Binds all tests; a test of a step that is itself broken is left alone."""
    known = {**sources, **{name: step.output for name, step in steps.items()}}
    found: dict[str, BoundTest] = {}
    graph = case_graph(sources, steps)
    for text in case.tests.values():
        test = _Binder(case, steps, graph, known, diagnostics).bind(text)
        if test is not None:
            found[text.name.text] = test
    return found


class _Binder:
    """Binds one test."""

    def __init__(
        self,
        case: Case,
        steps: Mapping[str, BoundStep],
        graph: nx.DiGraph[str],
        concepts: Mapping[str, Concept],
        diagnostics: list[Diagnostic],
    ) -> None:
        self.case = case
        self.steps = steps
        self.graph = graph
        self.concepts = concepts
        self.diagnostics = diagnostics

    def bind(self, text: TestText) -> BoundTest | None:
        """Binds a test, or notes what is wrong with it."""
        count = len(self.diagnostics)
        step = self._step(text.step)
        if step is None:
            return None
        given = self._given(text, step)
        expect = self._rows(text.expect, self.concepts[step], keyed=False)
        learned = text.learned.text if text.learned else "given"
        if learned not in LEARNED:
            assert text.learned is not None
            self._wrong(
                f"'learned' cannot be {learned!r}",
                text.learned,
                "given: from the rows of the test; stored: as the last run learned it",
            )
        tolerance = self._tolerance(text.tolerance)
        if len(self.diagnostics) > count:
            return None
        return BoundTest(
            name=text.name.text,
            step=step,
            given=given,
            expect=expect,
            learned=cast(Literal["given", "stored"], learned),
            tolerance=tolerance,
            place=text.name.place,
            about=text.about,
        )

    def _step(self, name: Scalar) -> str | None:
        meant = self.case.chains.get(name.text, name.text)
        if meant in self.case.unreadable:
            return None
        if meant not in self.case.steps:
            known = [*self.case.steps, *self.case.chains]
            self._wrong(
                f"there is no step {name.text!r}", name, suggestion(name.text, known, "steps")
            )
            return None
        return meant if meant in self.steps else None

    def _given(self, text: TestText, step: str) -> dict[str, tuple[Row, ...]]:
        found: dict[str, tuple[Row, ...]] = {}
        meant = {self.case.chains.get(n, n): entry for n, entry in text.given.items()}
        for name, (key, rows) in meant.items():
            if name == step:
                self._wrong(f"{key.text!r} is the step that is tested", key, "give what it reads")
            elif name in self.concepts:
                found[name] = self._rows(rows, self.concepts[name], keyed=True)
            elif name not in {*self.case.steps, *self.case.concepts, *self.case.unreadable}:
                names = [*self.case.concepts, *self.case.steps, *self.case.chains]
                hint = suggestion(key.text, names, "concepts")
                self._wrong(f"there is no concept or step {key.text!r}", key, hint)
        needed = between(self.graph, found, step)
        read = {name for done in needed & set(self.steps) for name in self.steps[done].reads}
        for name, (key, _) in meant.items():
            if name in found and name not in read:
                self._wrong(
                    f"{key.text!r} is given, but {text.step.text!r} does not need it",
                    key,
                    f"it reads {listed(self.steps[step].inputs)}",
                )
        missing = [name for name in needed if name not in self.steps]
        if missing and len(found) == len(meant):
            hint = (
                f"give {' and '.join(repr(n) for n in self.steps[step].inputs)}, or what "
                f"{'it comes' if len(self.steps[step].inputs) == 1 else 'they come'} from; "
                "`[]` gives no rows"
            )
            lacking = listed([repr(n) for n in sorted(missing)])
            self._wrong(f"{text.step.text!r} needs rows of {lacking}", text.step, hint)
        return found

    def _rows(self, rows: tuple[Fields, ...], concept: Concept, keyed: bool) -> tuple[Row, ...]:
        found: list[Row] = []
        seen: set[Any] = set()
        for fields in rows:
            row = self._row(fields, concept)
            found.append(row)
            if not keyed or concept.key is None:
                continue
            value = row.values.get(concept.key)
            if value is None:
                message = f"a row of {concept.name!r} lacks its key {concept.key!r}"
                self.diagnostics.append(Diagnostic(message, fields.place, "a key is never NULL"))
            elif value in seen:
                message = f"the key {concept.key!r} of {concept.name!r} is {value!r} twice"
                self.diagnostics.append(
                    Diagnostic(message, fields.place, "a key identifies each row")
                )
            seen.add(value)
        return tuple(found)

    def _row(self, fields: Fields, concept: Concept) -> Row:
        values: dict[str, Any] = {}
        for name, node in fields:
            feature = concept.features.get(name.text)
            if feature is None:
                hint = suggestion(name.text, concept.features, "features")
                self._wrong(f"there is no feature {name.text!r} in {concept.name!r}", name, hint)
            else:
                values[name.text] = typed_value(feature, node, self.diagnostics)
        return Row(values, fields.place)

    def _tolerance(self, scalar: Scalar | None) -> float:
        try:
            value = TOLERANCE if scalar is None else float(scalar.text)
        except ValueError:
            value = -1.0
        if scalar is not None and not 0 <= value < 1:
            self._wrong("'tolerance' is a number from 0 and below 1", scalar, "such as 1e-6")
        return value

    def _wrong(self, message: str, scalar: Scalar, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(message, scalar.place, hint))
