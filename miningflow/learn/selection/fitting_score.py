"""The score that fits the columns, where none is named."""

from __future__ import annotations

from typing import Literal

from miningflow.learn.arrays import Matrix

FITTING = "auto"
"""The name under which this choice is offered."""

# Presence tells columns apart that are 0 in most rows; a column that is hardly ever 0 has none.
_MOSTLY_ABSENT = 0.5
_MOST_PRESENT = 0.9


def fitting_score(filled: Matrix) -> Literal["information_gain", "fisher"]:
    """Returns a score of presence for counts and texts, otherwise one of numbers.

    `filled` is the share of rows in which each column is not 0. Scores of presence and of numbers
    cannot be ranked together, so a single column that is hardly ever 0 decides for all.
    """
    sparse = float(filled.mean()) <= _MOSTLY_ABSENT and float(filled.max()) <= _MOST_PRESENT
    return "information_gain" if sparse else "fisher"


def reason_for(score: str) -> str:
    """Returns why a score was chosen, in words."""
    if score == "information_gain":
        return "most values are 0, as in counts and texts, so presence is scored"
    return "not all features are mostly 0, so their values are scored"
