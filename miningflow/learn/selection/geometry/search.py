"""All sets of groups for all divisions of the classes, judged, and the choice among them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.selection.geometry.judges import Judge, JudgedSet, Measured
from miningflow.learn.selection.geometry.splits import group_subsets, label_splits
from miningflow.learn.selection.progress import Progress


@dataclass(frozen=True, eq=False, slots=True)
class Verdicts:
    """Scores and suggestions, with a row for each set of groups and a column for each division."""

    subsets: tuple[tuple[int, ...], ...]
    scores: Matrix
    suggested: Mask


def judged_sets(
    judge: Judge, classes: NDArray[Any], groups: NDArray[Any], progress: Progress[JudgedSet]
) -> Verdicts:
    """Measures set after set, and then decides division by division."""
    subsets, splits = group_subsets(len(groups)), label_splits(len(classes))
    sides = [tuple(classes[positive].tolist()) for positive in splits]
    measured: list[list[Measured]] = [[] for _ in splits]
    for subset in subsets:
        look = judge.on(subset)
        names = tuple(groups[list(subset)].tolist())
        for positive, side, seen in zip(splits, sides, measured, strict=True):
            seen.append(look(positive))
            progress.record(JudgedSet(side, names, seen[-1].properties, seen[-1].score, None))
    decided = [judge.decide(seen) for seen in measured]
    scores = np.column_stack([score for score, _ in decided])
    suggested = np.column_stack([suggestion for _, suggestion in decided])
    for at, entry in enumerate(progress.entries):
        row, column = divmod(at, len(splits))
        judged = bool(suggested[row, column])
        progress.replace(at, replace(entry, score=float(scores[row, column]), suggested=judged))
    return Verdicts(subsets, scores, suggested)


def chosen_groups(
    verdicts: Verdicts, widths: Indices, choose: Literal["score", "smallest"]
) -> tuple[int, ...]:
    """Chooses among the sets that most divisions suggest; the first of equals is taken."""
    votes = verdicts.suggested.sum(axis=1)
    candidates = np.flatnonzero(votes == votes.max())
    if choose == "smallest" and votes.any():
        size = np.array([widths[list(verdicts.subsets[at])].sum() for at in candidates])
        candidates = candidates[size == size.min()]
    scores = verdicts.scores[candidates].mean(axis=1)
    # Means of equal scores can differ by a rounding error.
    best = np.flatnonzero(scores >= scores.max() - 1e-12)[0]
    return verdicts.subsets[candidates[best]]
