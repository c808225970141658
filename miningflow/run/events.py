"""Events: what a run tells the person who waits."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Literal

from miningflow.engines.statements import Statement, watching


@dataclass(frozen=True)
class Event:
    """Something happened to a stage."""

    kind: Literal[
        "started",
        "progress",
        "note",
        "finished",
        "compared",
        "statement",
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


def telling_statements(listener: Listener, stage: str) -> AbstractContextManager[None]:
    """Tells a listener each statement that this thread runs for a stage."""

    def tell(statement: Statement) -> None:
        said = statement.sql
        listener(Event("statement", stage, said, rows=statement.rows, seconds=statement.seconds))

    return nullcontext() if listener is silent else watching(tell)
