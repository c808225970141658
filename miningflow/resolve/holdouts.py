"""Where held-out rows get lost: past a step that drops the key, learning cannot avoid them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from miningflow.declare.concept import Concept
from miningflow.errors import Diagnostic
from miningflow.resolve.bound import BoundStep


@dataclass
class LostHoldouts:
    """Follows every holdout through the steps, in their order."""

    lost: dict[str, dict[str, str]] = field(default_factory=dict)
    """Concept → source whose held-out rows it may hold unmarked → the concept past which."""

    def start(self, sources: Mapping[str, Concept]) -> None:
        """Notes sources that point to held-out rows only by way of another concept."""
        for _ in sources:  # a chain of relations is at most as long as there are concepts
            for name, concept in sources.items():
                marked = {r.concept for r in concept.holdouts}
                found = self.lost.setdefault(name, {})
                for reach in concept.reaches:
                    if reach.concept == name or reach.concept not in sources:
                        continue
                    beyond = {r.concept for r in sources[reach.concept].holdouts}
                    for held in beyond | set(self.lost.get(reach.concept, ())):
                        if held not in marked:
                            found.setdefault(held, reach.concept)

    def follow(self, step: BoundStep, concepts: Mapping[str, Concept]) -> list[Diagnostic]:
        """Notes what a step loses, and warns if it learns from what was lost before."""
        found: dict[str, str] = {}
        kept = {r.concept for r in step.output.holdouts}
        for name in step.inputs:
            for held, past in self.lost.get(name, {}).items():
                found.setdefault(held, past)
            for reach in concepts[name].holdouts:
                if reach.concept not in kept:
                    found.setdefault(reach.concept, step.name)
        self.lost[step.name] = found
        if step.operator.learns is None or not step.operator.training_features():
            return []
        read = step.learn_on or step.inputs[0]
        return [
            Diagnostic(
                f"step {step.shown_name!r} also learns from held-out rows of {held!r}: "
                f"after {past!r} they can no longer be recognised by key",
                step.place(),
                f"learn before {past!r}, or learn elsewhere with `learn_on`",
                "warning",
            )
            for held, past in self.lost.get(read, {}).items()
        ]
