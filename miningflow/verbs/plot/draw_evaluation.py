"""Draws how good a model is: ROC, precision and recall, calibration, confusion, errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from miningflow.describe.plots import COLOURS, Line, draw_lines, plain
from miningflow.errors import Diagnostic, RunError
from miningflow.run.evaluated_models import HELD_OUT
from miningflow.verbs.plot.evaluated import (
    Decisions,
    Vector,
    compared,
    confusion,
    decisions,
    differences,
)
from miningflow.verbs.plot.kinds import probability_of
from miningflow.verbs.plot.published import PublishedRows

MOST_LINES = 8
MOST_POINTS = 2_000
MOST_CLASSES = 20
BINS = 10
ERROR_BINS = 30


def draw_evaluation(rows: PublishedRows, kind: str, axes: Any) -> None:
    """Draws one kind of plot of an evaluation."""
    if kind == "confusion":
        _confusion(rows, axes)
    elif kind == "errors":
        _errors(rows, axes)
    elif kind == "calibration":
        _calibration(rows, axes)
    else:
        _curves(rows, kind, axes)


def _curves(rows: PublishedRows, kind: str, axes: Any) -> None:
    from miningflow.learn.scikit_learn import (
        auc,
        average_precision_score,
        precision_recall_curve,
        roc_curve,
    )

    lines: list[Line] = []
    for part in _usable(rows, decisions(rows, compared(rows).decision or "")):
        classes, values, weights = part.weighted()
        if kind == "roc":
            x, y, _ = roc_curve(classes, values, sample_weight=weights)
            said = f"AUC {auc(x, y):.4f}"
        else:
            y, x, _ = precision_recall_curve(
                classes, values, sample_weight=weights, drop_intermediate=True
            )
            average = average_precision_score(classes, values, sample_weight=weights)
            said = f"average precision {average:.4f}"
        lines.append(_line(f"{part.name}: {said}", x, y, part.name))
    if kind == "roc":
        lines.append(Line("chance", [0, 1], [0, 1], dashed=True))
        names = "ROC", "false positive rate", "true positive rate"
    else:
        names = "Precision and recall", "recall", "precision"
    _draw(rows, axes, lines, *names)


def _calibration(rows: PublishedRows, axes: Any) -> None:
    """Draws the share of positive rows by predicted probability, in ten bins of equal width."""
    lines: list[Line] = []
    edges = np.linspace(0.0, 1.0, BINS + 1)
    feature = probability_of(rows.bound, rows.step) or ""
    for part in _usable(rows, decisions(rows, feature)):
        bins = np.searchsorted(edges[1:-1], part.values)
        counts = part.positives + part.negatives
        sums, hits, sizes = (
            np.bincount(bins, weights=weights, minlength=BINS)
            for weights in (part.values * counts, part.positives, counts)
        )
        used = sizes > 0
        x, y = sums[used] / sizes[used], hits[used] / sizes[used]
        lines.append(Line(part.name, x.tolist(), y.tolist()))
    lines.append(Line("perfect", [0, 1], [0, 1], dashed=True))
    _draw(rows, axes, lines, "Calibration", f"mean of {feature}", "share of positive rows")


def _confusion(rows: PublishedRows, axes: Any) -> None:
    part, classes, matrix = confusion(rows)
    if not classes:
        raise _nothing(rows, "no row has a truth and a prediction")
    if len(classes) > MOST_CLASSES:
        raise _nothing(rows, f"a matrix of {len(classes):,} classes cannot be read")
    axes.imshow(matrix, cmap="Blues", vmin=0)
    half = matrix.max() / 2
    for i, row in enumerate(matrix):
        for j, count in enumerate(row):
            colour = "white" if count > half else "black"
            axes.text(j, i, f"{count:,}", ha="center", va="center", color=colour)
    names = [plain(name if len(name) <= 20 else f"{name[:19]}…") for name in classes]
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    title = f"Confusion of {rows.step.shown_name}: {matrix.sum():,} rows, {part}"
    axes.set(title=plain(title), xlabel="predicted", ylabel="actual")


def _errors(rows: PublishedRows, axes: Any) -> None:
    """Draws a histogram of predicted minus actual."""
    by_part: dict[str, list[Vector]] = {}
    for name, values in differences(rows):
        by_part.setdefault(name, []).append(values)
    joined = {name: np.concatenate(found) for name, found in sorted(by_part.items())}
    every = np.concatenate([*joined.values(), np.empty(0)])
    if not len(every):
        raise _nothing(rows, "no row has a truth and a prediction")
    edges = np.histogram_bin_edges(every, ERROR_BINS)
    for i, (name, values) in enumerate(joined.items()):
        look = {"label": name, "fill": True, "alpha": 0.4, "color": COLOURS[i]}
        counts, _ = np.histogram(values, edges)
        axes.stairs(counts / max(1, len(values)), edges, **look)
    title = f"Errors of {rows.step.shown_name}"
    axes.set(title=plain(title), xlabel="predicted − actual", ylabel="share of rows")
    axes.grid(alpha=0.25)
    axes.legend(fontsize="small", frameon=False)


def _usable(rows: PublishedRows, parts: Sequence[Decisions]) -> list[Decisions]:
    """Returns the parts with both classes; of very many only the first."""
    usable = [part for part in parts if part.has_both_classes]
    if not usable:
        raise _nothing(rows, "no part has rows of both classes with a decision value")
    return usable[:MOST_LINES]


def _nothing(rows: PublishedRows, why: str) -> RunError:
    message = f"there is nothing to plot of {rows.step.shown_name!r}: {why}"
    return RunError(Diagnostic(message, rows.step.place()))


def _line(name: str, x: Vector, y: Vector, part: str) -> Line:
    every = max(1, -(-len(x) // MOST_POINTS))
    shown = np.unique(np.append(np.arange(0, len(x), every), len(x) - 1))
    dashed = not part.startswith(HELD_OUT) and part != "all"
    return Line(name, x[shown].tolist(), y[shown].tolist(), dashed=dashed, marked=False)


def _draw(
    rows: PublishedRows, axes: Any, lines: Sequence[Line], title: str, x: str, y: str
) -> None:
    draw_lines(axes, lines, f"{title} of {rows.step.shown_name}", x, y)
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
