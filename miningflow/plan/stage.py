"""Stages: the plan as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from miningflow.plan.layout import Builds
from miningflow.plan.recipe import Recipe

Action = Literal["run", "reuse", "skip"]


@dataclass(frozen=True)
class Stage:
    """One source or step: what it is made of, how it is built, whether it runs, and why."""

    name: str
    kind: Literal["source", "step"]
    operator: str
    builds: Builds
    learns: bool
    inputs: tuple[str, ...]
    recipe: Recipe
    fingerprint: str
    action: Action
    reason: str

    def as_json(self) -> dict[str, Any]:
        """Gives the stage as plain data for programs."""
        return {
            "name": self.name,
            "kind": self.kind,
            "operator": self.operator,
            "builds": self.builds,
            "learns": self.learns,
            "inputs": list(self.inputs),
            "fingerprint": self.fingerprint,
            "action": self.action,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Plan:
    """The stages of a case, in an order in which they can run."""

    case: str
    stages: tuple[Stage, ...]

    @property
    def running(self) -> tuple[Stage, ...]:
        """Gives the stages that have work to do."""
        return tuple(s for s in self.stages if s.action == "run")

    def stage(self, name: str) -> Stage:
        """Finds a stage by name."""
        return next(s for s in self.stages if s.name == name)
