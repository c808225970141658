"""How far a step that learns has come, kept in the repository in case the run is interrupted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from miningflow.plan import Stage
from miningflow.repository import Repository

State = TypeVar("State")


@dataclass(frozen=True)
class Unfinished:
    """The place of one step in the repository, until it has learned."""

    repository: Repository
    case: str
    run: int
    stage: Stage
    afresh: bool
    """Says whether to forget what an earlier run kept."""

    def load(self, kind: type[State]) -> State | None:
        """Gives what was kept last under the fingerprint of the step."""
        if self.afresh:
            return None
        found: State | None = self.repository.unfinished(
            self.case, self.stage.name, self.stage.fingerprint, kind
        )
        return found

    def save(self, state: Any) -> None:
        """Keeps how far learning is, in place of what was kept before."""
        self.repository.save_unfinished(self.case, self.run, self.stage, state)
