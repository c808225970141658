"""Foreseen deselection: what a selection may drop and a later step cannot do without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import networkx as nx

from miningflow.declare.concept import Concept
from miningflow.declare.kinds.kind import Part
from miningflow.declare.kinds.reduction import FeatureOf
from miningflow.declare.operator import Notes
from miningflow.declare.parameters import Parameter
from miningflow.declare.presence import Deselection, Presence
from miningflow.declare.selection import FeatureSelection
from miningflow.errors import Diagnostic, listed
from miningflow.resolve.bound import BoundStep
from miningflow.resolve.deselection import reduce


@dataclass
class Foresight:
    """Follows every feature that may be dropped through the steps, in their order."""

    graph: nx.DiGraph[str] = field(default_factory=nx.DiGraph)
    droppable: dict[str, dict[str, str]] = field(default_factory=dict)
    """Concept → feature that may be missing there → the selecting step."""
    selections: dict[str, tuple[frozenset[str], int]] = field(default_factory=dict)
    """Selecting step → the superset it drops from, and how many of it always remain."""

    def warnings(self, step: BoundStep) -> list[Diagnostic]:
        """Warns of what may go wrong in a step, and notes what its output may lack."""
        self.graph.add_edges_from((name, step.name) for name in step.reads)
        found: list[Diagnostic] = []
        if any(self.droppable.get(name) for name in step.inputs):
            if step.loop_over is None:
                for parameter in step.operator.parameters():
                    found += self._warn(step, parameter)
            self.droppable[step.name] = self._lost(step)
        if isinstance(step.operator, FeatureSelection):
            names = frozenset(f.name for f in step.operator.candidates())
            self.selections[step.name] = (names, step.operator.least())
            lost = self.droppable.setdefault(step.name, {})
            for name in names:
                lost.setdefault(name, step.name)
        return found

    def _lost(self, step: BoundStep) -> dict[str, str]:
        presences = {name: self._worst(name, step) for name in step.inputs}
        operator = reduce(step, presences, [])
        present = operator.outline(Notes()).features
        lost: dict[str, str] = {}
        for name in step.output.features:
            if name not in present:
                causes = [
                    p.deselected[name].step for p in presences.values() if name in p.deselected
                ]
                causes += [d.step for p in presences.values() for d in p.deselected.values()]
                lost[name] = causes[0]
        return lost

    def _worst(self, name: str, step: BoundStep) -> Presence:
        """Returns a concept as if everything that may be dropped were dropped."""
        concept = _concept_named(step, name)
        lost = self.droppable.get(name, {})
        kept = [f for f in concept.features if f not in lost]
        return Presence(concept.only(kept), {f: Deselection(s, "") for f, s in lost.items()})

    def _warn(self, step: BoundStep, parameter: Parameter) -> list[Diagnostic]:
        values = vars(step.operator)
        if values[parameter.name] is None:
            return []
        parts = parameter.kind.parts(values[parameter.name], values)
        lost = {
            (concept, name): self.droppable[concept][name]
            for part in parts
            for concept, name in part
            if name in self.droppable.get(concept, {})
        }
        if parameter.kind.needs_each(parameter.obligatory):
            return [self._needed(step, parameter, name, lost[c, name]) for c, name in lost]
        if parameter.obligatory:
            return self._too_few(step, parameter, parts, lost)
        return []

    def _needed(
        self, step: BoundStep, parameter: Parameter, name: str, selection: str
    ) -> Diagnostic:
        return Diagnostic(
            f"obligatory parameter '{parameter.name}' (feature '{name}') may be deselected "
            f"in step '{selection}'; then '{step.shown_name}' cannot run",
            step.place(parameter.name),
            f"path: {self._path(selection, step)}; remove '{name}' from the attributes of "
            f"'{selection}' to be sure",
            "warning",
        )

    def _too_few(
        self,
        step: BoundStep,
        parameter: Parameter,
        parts: Sequence[Part],
        lost: Mapping[FeatureOf, str],
    ) -> list[Diagnostic]:
        minimum = parameter.kind.fewest
        sure = sum(1 for part in parts if not any(feature in lost for feature in part))
        # a part that names several features may go with any of them
        alone = {feature for part in parts if len(part) == 1 for feature in part}
        for selection in {lost[feature] for feature in alone if feature in lost}:
            superset, least = self.selections[selection]
            sure += max(0, least - len(superset - {name for _, name in alone}))
        if sure >= minimum:
            return []
        origin = sorted(set(lost.values()))
        return [
            Diagnostic(
                f"obligatory parameter '{parameter.name}' needs at least {minimum}, and "
                f"{'step' if len(origin) == 1 else 'steps'} {listed([repr(s) for s in origin])} "
                f"may leave only {sure} of its {len(parts)} {parameter.kind.parts_are}",
                step.place(parameter.name),
                f"path: {self._path(origin[0], step)}; add {parameter.kind.parts_are} that no "
                "selection may drop",
                "warning",
            )
        ]

    def _path(self, selection: str, step: BoundStep) -> str:
        path: list[str] = nx.shortest_path(self.graph, selection, step.name)
        return " → ".join(path)


def _concept_named(step: BoundStep, name: str) -> Concept:
    for parameter in step.operator.parameters():
        value = getattr(step.operator, parameter.name)
        for concept in parameter.kind.concepts(value) if value is not None else ():
            if concept.name == name:
                return concept
    raise KeyError(name)
