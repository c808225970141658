"""Draws how the scores of a model are distributed, for each class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.describe.plots import COLOURS, plain
from miningflow.errors import Diagnostic, RunError
from miningflow.sql.conditions import is_known
from miningflow.sql.literals import column
from miningflow.verbs.plot.kinds import score_of
from miningflow.verbs.plot.published import PublishedRows

BINS = 40
MOST_CLASSES = 8


def draw_scores(rows: PublishedRows, axes: Any) -> None:
    """Draws a histogram of the scores, by the class that is true or, without one, predicted."""
    score, by = score_of(rows.step) or "", _class_feature(rows)
    edges, counts = score_counts(rows, score, by)
    shown = sorted(counts, key=lambda name: -int(counts[name].sum()))[:MOST_CLASSES]
    for i, name in enumerate(sorted(shown)):
        label = plain(f"{by}: {name} ({counts[name].sum():,} rows)" if by else "")
        axes.stairs(counts[name], edges, label=label, fill=True, alpha=0.45, color=COLOURS[i])
    title = f"Scores of {rows.step.shown_name}"
    axes.set(title=plain(title), xlabel=plain(score), ylabel="rows")
    axes.grid(alpha=0.25)
    if by:
        axes.legend(fontsize="small", frameon=False)


def score_counts(
    rows: PublishedRows, score: str, by: str | None
) -> tuple[npt.NDArray[np.float64], dict[str, npt.NDArray[np.int64]]]:
    """Counts scores in bins of equal width from the least to the largest, for each class."""
    known = rows.own.filter(is_known(column(score)))
    ends: dict[str, exp.Expression] = {
        "low": exp.Min(this=column(score)),
        "high": exp.Max(this=column(score)),
    }
    found = rows.grouped(known, {}, ends).to_pylist()[0]
    if found["low"] is None:
        message = f"there is nothing to plot of {rows.step.shown_name!r}: no row has a score"
        raise RunError(Diagnostic(message, rows.step.place()))
    edges = np.histogram_bin_edges([], BINS, range=(float(found["low"]), float(found["high"])))
    counts: dict[str, npt.NDArray[np.int64]] = {}
    for batch in rows.batches(known, list(dict.fromkeys([score, *([by] if by else [])]))):
        values = np.asarray(batch.column(0).to_numpy(zero_copy_only=False), dtype=float)
        classes = batch.column(1).to_pylist() if by else [""] * len(values)
        named = np.array(["unknown" if c is None else str(c) for c in classes], dtype=object)
        for name in set(named):
            before = counts.get(name, np.zeros(BINS, dtype=np.int64))
            counts[name] = before + np.histogram(values[named == name], edges)[0]
    return edges, counts


def _class_feature(rows: PublishedRows) -> str | None:
    """Returns the feature with the class of a row: the target, otherwise the prediction."""
    features = rows.pieces[rows.step.name].presence.concept.columns
    target = getattr(getattr(rows.operator, "target", None), "name", "")
    for name in (target, *rows.operator.prediction_features()):
        if name in features and features[name].type in ("binary", "nominal"):
            return str(name)
    return None
