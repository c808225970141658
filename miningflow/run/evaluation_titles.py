"""How the parts of an evaluation are called, in the terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def evaluation_title(step: str, row: Mapping[str, Any]) -> str:
    """Names an evaluation and its part; rows count as learned if the model learned from all."""
    part = row.get("part")
    if part == "learned" and learned_fewer(row):
        part = "not held out"
    return step if part is None else f"{step}: {part}"


def learned_fewer(row: Mapping[str, Any]) -> bool:
    """Returns whether the model learned from fewer rows than this part compares."""
    learned = row.get("learned_from")
    return learned is not None and bool(learned < row["rows"] - row["unknown"])
