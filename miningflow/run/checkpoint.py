"""Checkpoints: how far a step that learns has come, stored in case the run is interrupted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from miningflow.plan import Stage

if TYPE_CHECKING:
    from miningflow.repository.repository import Repository

State = TypeVar("State")


@dataclass(frozen=True)
class Checkpoint:
    """The checkpoint of one step in the repository, until it has learned."""

    repository: Repository
    case: str
    run: int
    stage: Stage
    afresh: bool
    """Whether to ignore the checkpoint of an earlier run."""

    def load(self, kind: type[State]) -> State | None:
        """Returns the last checkpoint under the fingerprint of the step."""
        if self.afresh:
            return None
        found: State | None = self.repository.checkpoint(
            self.case, self.stage.name, self.stage.fingerprint, kind
        )
        return found

    def save(self, state: Any) -> None:
        """Stores how far learning is, in place of the last checkpoint."""
        self.repository.save_checkpoint(self.case, self.run, self.stage, state)
