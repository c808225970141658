"""`show --trace`: what the selecting steps of a case found, and the searches that led there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from miningflow.compile import published_selections
from miningflow.declare.segmentation import artifacts_of
from miningflow.declare.selection import FeatureSelection, Selection, Trial
from miningflow.describe.plots import Line, check_plot, draw
from miningflow.errors import Diagnostic, MiningFlowError
from miningflow.pipeline import reading
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase, BoundStep
from miningflow.resolve.lookup import find_step
from miningflow.store.stored_builds import stored_builds


def selections(
    bound: BoundCase, connection: ConnectionText | None, step: str | None = None
) -> dict[str, Selection]:
    """Returns what each selecting step that has run found, or what one of them found.

    Where a step selects in segments, each segment has an entry.
    """
    name = None if step is None else _selecting(bound, step)
    with reading(bound, connection) as store:
        stored = stored_builds(bound.name, store.repository if store else None)
        found = published_selections(bound, stored)
    return {
        f"{selecting}, {segment}" if segment.labels else selecting: selection
        for selecting, learned in found.items()
        if name in (None, selecting)
        for segment, selection in artifacts_of(learned)
    }


def plot_trace(found: Mapping[str, Selection], path: Path) -> None:
    """Draws the subsets that a search tried, by number of features, and the way that it took."""
    if not found:
        raise MiningFlowError(Diagnostic("no selection has run yet", None, "run the case first"))
    if len(found) > 1:
        hint = f"one of {', '.join(found)}"
        raise MiningFlowError(Diagnostic("a plot shows one trace; name its step", None, hint))
    check_plot(path)
    [(name, selection)] = found.items()
    draw(path, trace_lines(name, selection), f"Search of {name}", "features", selection.measure)


def trace_lines(name: str, selection: Selection) -> list[Line]:
    """Returns the subsets that a search tried, the way that it took, and what it chose."""
    trials = [trial for trial in selection.trace if trial.kept]
    if not trials:
        raise MiningFlowError(Diagnostic(f"the selection of {name!r} has no trace to draw"))
    taken = [trial for trial in trials if trial.accepted]
    others = [trial for trial in trials if not trial.accepted]
    way = [trial for i, trial in enumerate(taken) if trial.kept not in {t.kept for t in taken[:i]}]
    lines = [Line("taken", *_points(way))]
    if others:
        lines.append(Line("tried", *_points(others), joined=False))
    chosen = ([len(selection.kept)], [taken[-1].value])
    return [*lines, Line("chosen", *chosen, joined=False)]


def _selecting(bound: BoundCase, step: str) -> str:
    def selects(found: BoundStep) -> bool:
        return isinstance(found.operator, FeatureSelection)

    return find_step(step, bound, "select features", selects).name


def _points(trials: Sequence[Trial]) -> tuple[list[int], list[float]]:
    return [len(trial.kept) for trial in trials], [trial.value for trial in trials]
