"""`plot`: how good an evaluated model is, how a search went, how scores are distributed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from miningflow.describe.plots import check_plot, new_axes, save
from miningflow.errors import Diagnostic, MiningFlowError, PlanError, listed, suggestion
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase, BoundStep
from miningflow.resolve.lookup import find_step
from miningflow.verbs.plot.draw_evaluation import draw_evaluation
from miningflow.verbs.plot.draw_scores import draw_scores
from miningflow.verbs.plot.draw_search import draw_search
from miningflow.verbs.plot.kinds import SEARCH, kinds_of
from miningflow.verbs.plot.published import published_rows
from miningflow.verbs.selections import selections


def plot(
    bound: BoundCase,
    connection: ConnectionText | None,
    name: str,
    kind: str | None = None,
    ax: Any = None,
    output: Path | None = None,
) -> Any:
    """Draws a step, on axes that are given or in a new figure; returns the axes.

    Without a kind, each that the step has is drawn, side by side, and a list of axes returned if
    there are several. With `output`, the figure is written to that file.
    """
    step = _find(bound, name)
    kinds = _chosen(step, kinds_of(bound, step), kind, ax)
    if output is not None:
        check_plot(output)
    axes = [ax] if ax is not None else new_axes(len(kinds), shown=output is None)
    try:
        _draw(bound, connection, step, kinds, axes)
    except BaseException:
        _discard(axes, made=ax is None and output is None)
        raise
    if output is not None:
        save(axes[0].figure, output)
    return axes[0] if len(axes) == 1 else axes


def _find(bound: BoundCase, name: str) -> BoundStep:
    """Finds a step that has a plot; if it has none, says which have."""
    step = find_step(name, bound)
    if not kinds_of(bound, step):
        able = [
            f"{other.shown_name} ({', '.join(kinds)})"
            for other in bound.steps.values()
            if not other.hidden and (kinds := kinds_of(bound, other))
        ]
        operator = type(step.operator).__name__
        hint = f"these steps have plots: {listed(able)}" if able else "no step of the case has one"
        message = f"step {name!r} has no plot: {operator} neither evaluates, selects nor scores"
        raise PlanError(Diagnostic(message, step.place(), hint))
    return step


def _chosen(step: BoundStep, kinds: Sequence[str], kind: str | None, ax: Any) -> Sequence[str]:
    if kind is None:
        if ax is not None and len(kinds) > 1:
            hint = f"name a kind: {', '.join(kinds)}"
            message = f"{len(kinds)} plots of {step.shown_name!r} do not fit on one 'ax'"
            raise MiningFlowError(Diagnostic(message, None, hint))
        return kinds
    if kind not in kinds:
        hint = suggestion(kind, kinds, "plots of this step")
        message = f"step {step.shown_name!r} has no plot {kind!r}"
        raise MiningFlowError(Diagnostic(message, None, hint))
    return [kind]


def _draw(
    bound: BoundCase,
    connection: ConnectionText | None,
    step: BoundStep,
    kinds: Sequence[str],
    axes: Sequence[Any],
) -> None:
    if kinds[0] == SEARCH:
        draw_search(step.shown_name, selections(bound, connection, step.name), axes[0])
        return
    with published_rows(bound, connection, step) as rows:
        for each, where in zip(kinds, axes, strict=True):
            if each == "scores":
                draw_scores(rows, where)
            else:
                draw_evaluation(rows, each, where)


def _discard(axes: Sequence[Any], made: bool) -> None:
    """Closes a figure that nobody shall see."""
    if made:
        from matplotlib import pyplot

        pyplot.close(axes[0].figure)
