"""What building a stage gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from miningflow.compile import Piece
from miningflow.repository import ParityRecord


@dataclass(frozen=True)
class Outcome:
    """A stage that is built: its SQL, its object in the store, and what it learned."""

    piece: Piece
    object_name: str | None
    run: int
    rows: int | None
    seconds: float
    notes: tuple[str, ...] = ()
    artifact: Any = None
    parity: ParityRecord | None = None
