"""Draws the search of a selection: its measure by the number of features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from miningflow.declare.selection import Selection
from miningflow.describe.plots import Line, draw_lines
from miningflow.errors import Diagnostic, MiningFlowError
from miningflow.verbs.selections import trace_lines

MOST_SEGMENTS = 8


def draw_search(name: str, found: Mapping[str, Selection], axes: Any) -> None:
    """Draws what was tried and taken; of a selection in segments, the way of each."""
    if not found:
        message = f"there is nothing to plot of {name!r}: it has not run yet"
        raise MiningFlowError(Diagnostic(message, None, "run the case first"))
    if len(found) == 1:
        [lines] = [trace_lines(*entry) for entry in found.items()]
    else:
        traced = {n: selection for n, selection in found.items() if selection.trace}
        lines = [
            Line(segment, first.x, first.y)
            for segment, selection in list(traced.items())[:MOST_SEGMENTS]
            for first in trace_lines(segment, selection)[:1]
        ]
    measure = next(iter(found.values())).measure
    draw_lines(axes, lines, f"Search of {name}", "features", measure)
