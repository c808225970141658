"""Finds the columns of new rows, and refuses rows that lack one that scoring needs."""

from __future__ import annotations

from collections.abc import Mapping

from miningflow.engines.column_names import matching_columns
from miningflow.errors import Diagnostic, RunError
from miningflow.verbs.score.scoring import Scoring


def score_columns(scoring: Scoring, name: str, found: list[str], shown: str) -> dict[str, str]:
    """Finds the column of each needed feature: by its own name, or by that of the connection."""
    features = scoring.script.inputs[name]
    columns: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for feature in features:
        mapped = scoring.column(name, feature)
        there = matching_columns(feature, found) or matching_columns(mapped, found)
        if len(there) == 1:
            columns[feature] = there[0]
        if len(there) > 1:
            diagnostics.append(
                Diagnostic(
                    f"column {feature!r} of {shown} is ambiguous: "
                    f"there are {' and '.join(map(repr, there))}",
                    None,
                    "rename one of them",
                )
            )
        if there or feature == scoring.numbered(name):
            continue
        step = scoring.script.needed_by.get(f"{name}.{feature}", scoring.script.step)
        hint = f"scoring reads {', '.join(features)} of {name}"
        diagnostics.append(
            Diagnostic(f"{shown} has no column {mapped!r}, which step {step!r} needs", None, hint)
        )
    if diagnostics:
        raise RunError(*diagnostics)
    return columns


def numbered_key(scoring: Scoring, name: str, columns: Mapping[str, str]) -> str | None:
    """Returns the key that the new rows lack and that is the number of the row."""
    key = scoring.numbered(name)
    return key if key in scoring.script.inputs[name] and key not in columns else None
