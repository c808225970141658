"""Foreseen deselection: what a selection may drop and a later step cannot do without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import networkx as nx

from miningflow.declare.concept import Concept, Relation
from miningflow.declare.operator import Notes
from miningflow.declare.parameters import Parameter
from miningflow.declare.selection import FeatureSelection
from miningflow.errors import Mistake, listed
from miningflow.resolve.bound import BoundStep, concepts_in
from miningflow.resolve.deselection import Deselection, Presence, reduce


@dataclass
class Foresight:
    """Follows every feature that may be dropped through the steps, in their order."""

    graph: nx.DiGraph[str]
    droppable: dict[str, dict[str, str]] = field(default_factory=dict)
    """Concept → feature that may be missing there → the selecting step."""
    selections: dict[str, tuple[frozenset[str], int]] = field(default_factory=dict)
    """Selecting step → the superset it drops from, and how many of it always remain."""

    def warnings(self, step: BoundStep) -> list[Mistake]:
        """Warns of what may go wrong in a step, and notes what its output may lack."""
        found: list[Mistake] = []
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
        operator = reduce(step, presences, [], lenient=True)
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
        """Gives a concept as if everything that may be dropped were dropped."""
        concept = _concept_named(step, name)
        lost = self.droppable.get(name, {})
        kept = [f for f in concept.features if f not in lost]
        return Presence(concept.only(kept), {f: Deselection(s, "") for f, s in lost.items()})

    def _warn(self, step: BoundStep, parameter: Parameter) -> list[Mistake]:
        value = getattr(step.operator, parameter.name)
        if value is None or parameter.kind not in _FEATURE_KINDS:
            return []
        if parameter.kind == "ends":
            ends = value.items()
            return [w for c, n in ends for w in self._warn_each(step, parameter, [n], c)]
        if parameter.kind == "collected":
            gone = {f: self.droppable[o][f] for o, f in value if f in self.droppable.get(o, {})}
            return self._warn_list(step, parameter, [f for _, f in value], gone)
        owner = getattr(step.operator, parameter.of)
        concept = owner.many.name if isinstance(owner, Relation) else owner.name
        lost: Mapping[str, str] = self.droppable.get(concept, {})
        match parameter.kind:
            case "feature":
                names = [value.name] if parameter.obligatory else []
            case "expression" | "condition":
                names = list(value.features)
            case "conditions":
                names = [f.name for f, _, _ in value.items]
            case "aggregates":
                sure = any(not any(x in lost for x in f.features) for _, f in value.items)
                names = [] if sure else list(value.items[0][1].features)
            case "feature_values" | "feature_labels":
                return self._warn_list(step, parameter, list(value), lost)
            case _:
                return self._warn_list(step, parameter, [f.name for f in value], lost)
        return self._warn_each(step, parameter, names, concept)

    def _warn_each(
        self, step: BoundStep, parameter: Parameter, names: list[str], concept: str
    ) -> list[Mistake]:
        lost: Mapping[str, str] = self.droppable.get(concept, {})
        return [
            Mistake(
                f"obligatory parameter '{parameter.name}' (feature '{name}') may be deselected "
                f"in step '{lost[name]}'; then '{step.name}' cannot run",
                step.place(parameter.name),
                f"path: {self._path(lost[name], step)}; remove '{name}' from the attributes of "
                f"'{lost[name]}' to be sure",
                "warning",
            )
            for name in names
            if name in lost
        ]

    def _warn_list(
        self, step: BoundStep, parameter: Parameter, names: list[str], lost: Mapping[str, str]
    ) -> list[Mistake]:
        minimum = int(parameter.minimum or 0)
        sure = sum(1 for name in names if name not in lost)
        selecting = {lost[name] for name in names if name in lost}
        for selection in selecting:
            superset, least = self.selections[selection]
            sure += max(0, least - len(superset - set(names)))
        if not parameter.obligatory or sure >= minimum:
            return []
        origin = sorted(selecting)
        return [
            Mistake(
                f"obligatory parameter '{parameter.name}' needs at least {minimum}, and "
                f"{'step' if len(origin) == 1 else 'steps'} {listed([repr(s) for s in origin])} "
                f"may leave only {sure} of its {len(names)} features",
                step.place(parameter.name),
                f"path: {self._path(origin[0], step)}; add features that no selection may drop",
                "warning",
            )
        ]

    def _path(self, selection: str, step: BoundStep) -> str:
        path: list[str] = nx.shortest_path(self.graph, selection, step.name)
        return " → ".join(path)


_FEATURE_KINDS = (
    "feature",
    "features",
    "expression",
    "condition",
    "conditions",
    "aggregates",
    "ends",
    "collected",
    "feature_values",
    "feature_labels",
)


def _concept_named(step: BoundStep, name: str) -> Concept:
    for parameter in step.operator.parameters():
        for concept in concepts_in(getattr(step.operator, parameter.name)):
            if concept.name == name:
                return concept
    raise KeyError(name)
