"""`miningflow show`: features and their fate, a step, a feature's way, a search trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from miningflow.cli.printing import as_json, console, table
from miningflow.declare.selection import FeatureSelection, Selection, Trial
from miningflow.describe.features import FeatureStatus, FeatureTable, feature_table
from miningflow.describe.plots import Line, check_plot, draw
from miningflow.errors import MiningFlowError, Mistake, suggestion
from miningflow.pipeline import Project, compile_case, selections
from miningflow.resolve import BoundCase

MARKS = {
    "present": "●",
    "partly deselected": "◐",
    "deselected": "✗",
    "never there": "·",
    "not known yet": "?",
}


def show_case(
    project: Project, what: str | None, trace: bool, plot: Path | None, json_wanted: bool
) -> None:
    """Shows a case, one concept or step, or one feature."""
    bound = project.bound
    if trace:
        _show_trace(project, what, plot, json_wanted)
        return
    if plot is not None:
        raise MiningFlowError(
            Mistake("--plot draws a search trace", None, "add --trace, and name a selecting step")
        )
    features = feature_table(bound, compile_case(project))
    if what is None:
        if json_wanted:
            as_json({"case": bound.name, "features": features.as_json()})
        else:
            _print_matrix(features, console())
        return
    name, _, feature = what.partition(".")
    name = _known(bound.chains.get(name, name), features.concepts, "steps")
    if feature:
        feature = _known(feature, features.features, "features")
        cells = [features.cells[c, feature] for c in features.concepts]
        _print_way(bound, name, feature, cells, json_wanted)
        return
    if json_wanted:
        as_json({"concept": name, "features": [_plain(c) for c in features.of(name)]})
        return
    _print_concept(bound, name, features)


def print_traces(project: Project, out: Console) -> None:
    """Prints the search trace of every selection of a case."""
    for name, selection in selections(project).items():
        if selection.trace:
            _print_trace(name, selection, out)


def _print_matrix(features: FeatureTable, out: Console) -> None:
    shown = table("feature", *(f"{i + 1}" for i in range(len(features.concepts))))
    for feature in features.features:
        marks = [MARKS[features.cells[c, feature].status] for c in features.concepts]
        shown.add_row(feature, *marks)
    out.print(shown)
    for i, concept in enumerate(features.concepts):
        typer.echo(f"{i + 1:>4}  {concept}")
    statuses = {cell.status for cell in features.cells.values()}
    partly = "◐ in some segments   " if "partly deselected" in statuses else ""
    typer.echo(f"● present   {partly}✗ deselected   · never there   ? not known before it runs")
    first: dict[tuple[str, str, str], FeatureStatus] = {}
    for cell in features.cells.values():
        if cell.status in ("deselected", "partly deselected"):
            first.setdefault((cell.by_step, cell.feature, cell.reason), cell)
    if first:
        reasons = table("deselected", "in step", "why")
        for step, feature, reason in first:
            reasons.add_row(feature, step, reason)
        out.print(reasons)


def _print_concept(bound: BoundCase, name: str, features: FeatureTable) -> None:
    step = bound.steps.get(name)
    made_by = type(step.operator).__name__ if step else "a source"
    typer.echo(f"{name}: {made_by}" + (f", from {', '.join(step.inputs)}" if step else ""))
    if step and step.about:
        typer.echo(step.about)
    shown = table("feature", "type", "", "deselected in", "why")
    for cell in features.of(name):
        shown.add_row(cell.feature, cell.type, cell.status, cell.by_step, cell.reason)
    console().print(shown)
    for segmentation in bound.concept(name).segmentations:
        typer.echo(f"  segmented by {segmentation.feature} (step {segmentation.step})")
    if step:
        for parameter, value in step.given.items():
            if value is not None:
                typer.echo(f"  {parameter}: {value}")


def _print_way(
    bound: BoundCase, name: str, feature: str, cells: list[FeatureStatus], json_wanted: bool
) -> None:
    before = _before(bound, name)
    way = [cell for cell in cells if cell.concept in before and cell.status != "never there"]
    if json_wanted:
        as_json({"concept": name, "feature": feature, "way": [_plain(c) for c in way]})
        return
    if not way:
        typer.echo(f"{feature!r} was never there up to {name!r}")
        return
    shown = table("at", "made by", "type", "", "why")
    for cell in way:
        step = bound.steps.get(cell.concept)
        made_by = type(step.operator).__name__ if step else "source"
        why = f"in step {cell.by_step}: {cell.reason}" if cell.reason else ""
        shown.add_row(cell.concept, made_by, cell.type, cell.status, why)
    console().print(shown)


def _before(bound: BoundCase, name: str) -> set[str]:
    found, waiting = {name}, [name]
    while waiting:
        step = bound.steps.get(waiting.pop())
        for other in step.inputs if step else ():
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _show_trace(project: Project, what: str | None, plot: Path | None, json_wanted: bool) -> None:
    if what is not None:
        name = project.bound.chains.get(what, what)
        step = project.bound.steps.get(name)
        if step is None or not isinstance(step.operator, FeatureSelection):
            selecting = [
                n
                for n, s in project.bound.steps.items()
                if isinstance(s.operator, FeatureSelection)
            ]
            raise MiningFlowError(
                Mistake(
                    f"{what!r} is not a selection", None, suggestion(what, selecting, "selections")
                )
            )
    found = selections(project, name if what is not None else None)
    if not found:
        raise MiningFlowError(Mistake("no selection has run yet", None, "run the case first"))
    if plot is not None:
        _draw_trace(found, plot)
    if json_wanted:
        as_json({name: _plain_selection(s) for name, s in found.items()})
        return
    for name, selection in found.items():
        _print_trace(name, selection, console())


def _draw_trace(found: Mapping[str, Selection], plot: Path) -> None:
    """Draws what was tried by number of features, and the way that the search took."""
    if len(found) > 1:
        hint = f"one of {', '.join(found)}"
        raise MiningFlowError(Mistake("--plot draws one trace; name its step", None, hint))
    check_plot(plot)
    [(name, selection)] = found.items()
    trials = [trial for trial in selection.trace if trial.kept]
    if not trials:
        raise MiningFlowError(Mistake(f"the selection of {name!r} has no trace to draw"))
    taken = [trial for trial in trials if trial.accepted]
    others = [trial for trial in trials if not trial.accepted]
    way = [trial for i, trial in enumerate(taken) if trial.kept not in {t.kept for t in taken[:i]}]
    lines = [Line("taken", *_points(way))]
    if others:
        lines.append(Line("tried", *_points(others), joined=False))
    chosen = ([len(selection.kept)], [taken[-1].value])
    lines.append(Line("chosen", *chosen, joined=False))
    draw(plot, lines, f"Search of {name}", "features", selection.measure)


def _points(trials: Sequence[Trial]) -> tuple[list[int], list[float]]:
    return [len(trial.kept) for trial in trials], [trial.value for trial in trials]


def _print_trace(name: str, selection: Selection, out: Console) -> None:
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
    out.print(shown)


def _unchanged(trial: Trial, selection: Selection) -> str:
    """Says what a trial is that changed no single feature."""
    if trial.level == 0:
        return "(start)"
    return "(chosen)" if trial is selection.trace[-1] else "(several)"


def _plain(cell: FeatureStatus) -> dict[str, Any]:
    return {
        "concept": cell.concept,
        "feature": cell.feature,
        "type": cell.type,
        "status": cell.status,
        "by_step": cell.by_step,
        "reason": cell.reason,
    }


def _plain_selection(selection: Selection) -> dict[str, Any]:
    return {
        "kept": selection.kept,
        "dropped": selection.dropped,
        "reason": selection.reason,
        "scores": selection.scores,
        "trace": [vars(t) for t in selection.trace],
    }


def _known(name: str, names: tuple[str, ...], kind: str) -> str:
    if name not in names:
        raise MiningFlowError(
            Mistake(f"there is no {name!r} in this case", None, suggestion(name, names, kind))
        )
    return name
