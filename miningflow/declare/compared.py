"""What an evaluation compares: a row for each prediction, to draw curves of it."""

from __future__ import annotations

from dataclasses import dataclass

from miningflow.sql.block import Block


@dataclass(frozen=True)
class Compared:
    """Rows with a truth and a prediction, and the names of the columns that have them."""

    block: Block
    part: str
    """The column that says whether a row was held out."""
    actual: str
    predicted: str
    numeric: bool
    """Whether these are numbers, and not classes."""
    positive: str | None = None
    decision: str | None = None
