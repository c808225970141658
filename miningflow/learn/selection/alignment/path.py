"""The way to the chosen columns: which search to run, and where on its way to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from miningflow.learn.arrays import Mask, Matrix
from miningflow.learn.selection.alignment.search import (
    AlignedSet,
    AlignmentStep,
    decremental,
    incremental,
    one_shot,
    shortest,
)
from miningflow.learn.selection.progress import Progress

Method = Literal["one_shot", "incremental", "decremental"]


@dataclass(frozen=True, eq=False, slots=True)
class AlignmentPath:
    """All steps that were made, how many of them lead to the chosen columns, and their mask.

    `scores` has for each column its own alignment (one-shot), what it added when it was last tried
    (incremental) or what it took away (decremental).
    """

    steps: tuple[AlignmentStep, ...]
    taken: int
    support: Mask
    scores: Matrix


def align(
    set_of: Callable[[Mask], AlignedSet],
    width: int,
    method: Method,
    keep: int | None,
    explained: float | None,
    batch: bool,
    progress: Progress[AlignmentStep],
) -> AlignmentPath:
    """Searches, and takes the steps up to `keep` columns or that share of the alignment."""
    if method == "decremental":
        scores = decremental(set_of(np.ones(width, dtype=bool)), keep, explained, batch, progress)
        taken = len(progress.entries)
    else:
        empty = set_of(np.zeros(width, dtype=bool))
        scores = (one_shot if method == "one_shot" else incremental)(empty, keep, progress)
        taken = len(progress.entries)
        if keep is None:
            taken = shortest(progress.entries, 1.0 if explained is None else explained)
    steps = progress.entries
    return AlignmentPath(steps, taken, columns_after(steps[:taken], width, method), scores)


def columns_after(steps: Sequence[AlignmentStep], width: int, method: Method) -> Mask:
    """Returns the mask of the columns that are in the set after these steps."""
    inside = np.full(width, method == "decremental")
    for step in steps:
        inside[list(step.changed)] = method != "decremental"
    return inside
