"""Contestants: how a selector takes part when selectors are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from miningflow.learn.arrays import Codes, Labels, Matrix

Rank = Callable[[Matrix, Labels, Codes], Sequence[int]]
"""Ranks features, the best first, by standardised columns, labels, and the feature of each column.

Columns of the same number, counted from 0, belong to one feature; a nominal one has several.
"""


@dataclass(frozen=True)
class Contestant:
    """A selector that ranks features, under the name that a comparison shows."""

    name: str
    rank: Rank
    effort: int = 10
    """Contestants run in order of effort; of equally good ones, the advice names the first."""
    two_classes: bool = False
    """Whether it needs labels of exactly two classes."""
    settings: tuple[tuple[str, str], ...] = ()
    """Parameters with which its operator ranks in this way."""
    most_rows: int | None = None
    """How many rows its operator learns from by default, if there is a limit."""
