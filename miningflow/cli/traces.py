"""How search traces of selections are printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from miningflow.cli.output import table
from miningflow.cli.tables import print_table
from miningflow.declare.selection import Selection, Trial


def print_traces(found: Mapping[str, Selection]) -> None:
    """Prints a table for each selection: every set of features that was tried."""
    for name, selection in found.items():
        _print_trace(name, selection)


def trace_json(found: Mapping[str, Selection]) -> dict[str, Any]:
    """Returns selections as plain data for programs."""
    return {
        name: {
            "kept": selection.kept,
            "dropped": selection.dropped,
            "reason": selection.reason,
            "scores": selection.scores,
            "trace": [vars(trial) for trial in selection.trace],
        }
        for name, selection in found.items()
    }


def _print_trace(name: str, selection: Selection) -> None:
    shown = table(
        ">level",
        "changed",
        f">{selection.measure}",
        "",
        ">features",
        "kept",
        title=f"trace of {name}: {selection.reason}",
    )
    for trial in selection.trace:
        taken = "taken" if trial.accepted else ""
        kept = ", ".join(trial.kept) if trial.accepted else ""
        shown.add_row(
            str(trial.level),
            trial.changed or _unchanged(trial, selection),
            f"{trial.value:.4f}",
            taken,
            str(len(trial.kept)),
            kept,
        )
    print_table(shown)


def _unchanged(trial: Trial, selection: Selection) -> str:
    """Describes a trial that did not change a single feature."""
    if trial.level == 0:
        return "(start)"
    return "(chosen)" if trial is selection.trace[-1] else "(several)"
