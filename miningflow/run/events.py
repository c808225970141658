"""Events: what a run tells the person who waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Event:
    """Something happened to a stage."""

    kind: Literal[
        "started",
        "progress",
        "note",
        "finished",
        "compared",
        "failed",
        "reused",
        "testing",
        "publishing",
    ]
    stage: str
    message: str = ""
    done: float = 0.0
    rows: int | None = None
    seconds: float = 0.0


Listener = Callable[[Event], None]


def silent(event: Event) -> None:
    """Listens to nothing."""
