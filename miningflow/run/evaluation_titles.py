"""How the parts and measures of an evaluation are shown, in the terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from miningflow.declare.operator import BASELINE

LEGEND = "in parentheses: the baseline, which needs no predictors"
_NO_MEASURES = {"part", "learned_from"}


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


def is_measure(name: str) -> bool:
    """Returns whether a value of an evaluation has its own line: a baseline stands in another."""
    return name not in _NO_MEASURES and not name.startswith(BASELINE)


def baseline_of(row: Mapping[str, Any], name: str) -> Any:
    """Returns the baseline of a measure, if both are known."""
    return None if row.get(name) is None else row.get(f"{BASELINE}{name}")


def has_baselines(row: Mapping[str, Any]) -> bool:
    """Returns whether a baseline stands beside some of the measures."""
    return any(name.startswith(BASELINE) for name in row)
