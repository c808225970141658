"""Greedy searches for a set of columns whose kernel is aligned with the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.selection.progress import Progress

# Alignments closer than this are equal: a copy of a column differs from it by rounding errors.
_EQUAL = 1e-12


class AlignedSet(Protocol):
    """A set of columns that knows its alignment and that of its neighbours."""

    inside: Mask

    @property
    def alignment(self) -> float:
        """The alignment of the set."""

    def added(self) -> Matrix:
        """Returns the alignment after adding each column; -inf for those inside."""

    def removed(self) -> Matrix:
        """Returns the alignment after removing each column; -inf for those outside."""

    def with_column(self, column: int) -> Self:
        """Returns the set with one more column."""

    def without(self, columns: Indices) -> Self:
        """Returns the set without these columns."""


@dataclass(frozen=True, slots=True)
class AlignmentStep:
    """One change of the set: the columns that came or went, what is left, and its alignment.

    `accuracy` is that on held-out rows, if it was measured.
    """

    step: int
    changed: tuple[int, ...]
    size: int
    alignment: float
    accuracy: float | None = None


def one_shot(empty: AlignedSet, keep: int | None, progress: Progress[AlignmentStep]) -> Matrix:
    """Adds columns in the order of their own alignments, which it returns."""
    alone = empty.added()
    current = empty
    for step, column in enumerate(_descending(alone)[:keep], start=1):
        current = current.with_column(int(column))
        progress.record(AlignmentStep(step, (int(column),), step, current.alignment))
    return alone


def incremental(empty: AlignedSet, keep: int | None, progress: Progress[AlignmentStep]) -> Matrix:
    """Adds the column that raises the alignment most, while one does or until `keep` are in.

    Returns what each column gained when it was last tried. The first column always comes in.
    """
    current, alignment = empty, 0.0
    limit = len(empty.inside) if keep is None else keep
    gains = np.zeros(len(empty.inside))
    for size in range(1, limit + 1):
        after = current.added()
        gains[~current.inside] = after[~current.inside] - alignment
        best = _first_best(after)
        if keep is None and size > 1 and after[best] <= alignment * (1 + _EQUAL):
            break
        current = current.with_column(best)
        alignment = current.alignment
        progress.record(AlignmentStep(size, (best,), size, alignment))
    return gains


def decremental(
    full: AlignedSet,
    keep: int | None,
    explained: float | None,
    batch: bool,
    progress: Progress[AlignmentStep],
) -> Matrix:
    """Removes columns whose removal does not lower the alignment, all of them at once or the best.

    It stops where each removal lowers it; with `keep` it continues to that number, and with
    `explained` while that share of the highest alignment is left. One column always stays. Returns
    what each column's removal cost when it was last tried.
    """
    current = full
    size = len(full.inside)
    highest = full.alignment
    losses = np.zeros(size)
    progress.record(AlignmentStep(0, (), size, highest))
    while (spare := size - (keep or 1)) > 0:
        after = current.removed()
        losses[current.inside] = current.alignment - after[current.inside]
        free = _descending(after)
        free = free[after[free] >= current.alignment * (1 - _EQUAL)][:spare]
        best = _first_best(after)
        if len(free):
            changed, current = _go_without(current, free if batch else np.array([best]))
        elif keep is not None or (explained is not None and after[best] >= explained * highest):
            changed = np.array([best])
            current = current.without(changed)
        else:
            break
        size -= len(changed)
        highest = max(highest, current.alignment)
        step = len(progress.entries)
        columns = tuple(sorted(changed.tolist()))
        progress.record(AlignmentStep(step, columns, size, current.alignment))
    return losses


def shortest(steps: Sequence[AlignmentStep], explained: float) -> int:
    """Returns how many of these additions reach this share of the highest alignment."""
    enough = explained * max(step.alignment for step in steps) * (1 - _EQUAL)
    return next(at for at, step in enumerate(steps, start=1) if step.alignment >= enough)


def _go_without(current: AlignedSet, columns: Indices) -> tuple[Indices, AlignedSet]:
    """Removes the columns, or the better half of them, and so on, if that lowers the alignment.

    Each of two copies of a column can go, but not both: removed without looking back, they cost 9
    points of the exact solutions on the paper's first problem with its relevant columns doubled.
    """
    while True:
        rest = current.without(columns)
        if len(columns) == 1 or rest.alignment >= current.alignment * (1 - _EQUAL):
            return columns, rest
        columns = columns[: len(columns) // 2]


def _descending(alignments: Matrix) -> Indices:
    return np.argsort(-np.round(alignments, 12), kind="stable")


def _first_best(alignments: Matrix) -> int:
    best = alignments.max()
    return int(np.flatnonzero(alignments >= best - abs(best) * _EQUAL)[0])
