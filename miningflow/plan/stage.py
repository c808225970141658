"""Stages: the plan as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from miningflow.plan.cause import Cause
from miningflow.plan.layout import Builds
from miningflow.plan.recipe import Recipe

if TYPE_CHECKING:
    import pandas as pd

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
    cause: Cause

    @property
    def reason(self) -> str:
        """Returns why the stage runs, or does not, in words."""
        return str(self.cause)

    def as_json(self) -> dict[str, Any]:
        """Returns the stage as plain data for programs."""
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
        """Returns the stages that have work to do."""
        return tuple(s for s in self.stages if s.action == "run")

    def stage(self, name: str) -> Stage:
        """Finds a stage by name."""
        return next(s for s in self.stages if s.name == name)

    def __repr__(self) -> str:
        return (
            f"<Plan of {self.case!r}: {len(self.running)} of {len(self.stages)} stages would run>"
        )

    def _repr_html_(self) -> str:
        from miningflow.plan.plan_page import plan_page

        return plan_page(self)

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each stage: whether it runs, and why."""
        import pandas as pd

        columns = ["name", "kind", "operator", "builds", "learns", "action", "reason"]
        rows = [[getattr(stage, name) for name in columns] for stage in self.stages]
        return pd.DataFrame(rows, columns=columns)
