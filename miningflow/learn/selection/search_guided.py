"""A backward search that trains few machines: the weights tell which groups to try without.

`greedy` trains one machine for each group of a level. Here, one machine tells how much each group
contributes to ‖w‖², as in I. Guyon and others, Gene selection for cancer classification (2002), and
only the few that contribute least are tried. The best of these is dropped, whatever the error, down
to the end of the course; then a subset on the way is chosen by its error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.selection.gram import ColumnGroups, SubsetGram
from miningflow.learn.selection.search import Judge, Trial
from miningflow.learn.selection.search_course import Course
from miningflow.learn.selection.subset_machine import SubsetMachine, train

Matrix = NDArray[np.float64]

# How many groups are tried at each step. With 1 and with 5 the result was worse.
_TRIED = 3
# With more groups than this, a share of them is dropped at once.
_MANY = 100
_SHARE = 0.1


def guided(course: Course, judge: Judge, guide: Guide) -> Trial:
    """Drops what the guide names, to the end of the course, and chooses from the way."""
    place = judge.start(course.start())
    while groups := course.onward(place.trial.subset):
        gone = guide.least_missed(place.gram, groups)[: len(groups) - course.least]
        if len(gone) == 1:
            place = judge.go(judge.level([place], _only(gone[0]))[0])
        else:
            place = judge.leap(place, gone)
    way = [trial for trial in judge.trace.trials if trial.accepted]
    return judge.settle(way[-1] if course.keep else _least(way))


def _least(way: Sequence[Trial]) -> Trial:
    """Returns the subset with the least error, taken with that before it; of equals the smallest.

    Alone, the least error on the way is often luck.
    """
    errors = np.array([trial.error for trial in way])
    means = np.round((errors + np.concatenate([errors[:1], errors[:-1]])) / 2, 9)
    return way[len(way) - 1 - int(np.argmin(means[::-1]))]


def _only(group: int) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
    return lambda _: (group,)


@dataclass(frozen=True, eq=False, slots=True)
class _Look:
    machine: SubsetMachine
    matrix: Matrix
    loss: float


class Guide:
    """Tells which groups a machine misses least.

    The loss that compares machines is the mean of ρ·αᵢ·R² + ξᵢ, each at most 2: what the
    ξα-estimate counts above 1. As a count it would have many ties.
    """

    def __init__(
        self, columns: ColumnGroups, signs: Matrix, C: float, rho: float, tolerance: float
    ) -> None:
        self._kernel = columns.kernel
        self._signs = signs
        self._settings = (C, tolerance)
        self._rho = rho
        parts = list(columns.parts.values())
        self._columns = np.concatenate(parts, axis=1)
        self._groups = np.array(list(columns.parts))
        self._owner = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])
        self._known: dict[tuple[int, ...], _Look] = {}

    def least_missed(self, gram: SubsetGram, groups: Sequence[int]) -> list[int]:
        """Returns the groups to drop next: one, or several while there are many."""
        in_order = self._by_contribution(gram, groups)
        if len(groups) > _MANY:
            self._known.clear()
            return in_order[: int(len(groups) * _SHARE)]
        tried = {group: gram.toggled(group) for group in in_order[:_TRIED]}
        looks = {group: self._look(neighbour) for group, neighbour in tried.items()}
        self._known = {tried[group].subset: look for group, look in looks.items()}
        return [min(looks, key=lambda group: round(looks[group].loss, 12))]

    def _by_contribution(self, gram: SubsetGram, groups: Sequence[int]) -> list[int]:
        look = self._known.get(gram.subset) or self._look(gram)
        support, signed = look.machine.support, look.machine.signed
        contributions = self._kernel.contributions(
            self._columns[support], signed, look.matrix[np.ix_(support, support)]
        )
        of_group = np.bincount(self._owner, weights=contributions)
        # Copies of a group differ by rounding errors.
        of_group = np.round(of_group / max(float(of_group.max()), 1e-300), 12)
        candidates = np.flatnonzero(np.isin(self._groups, groups))
        in_order = candidates[np.argsort(of_group[candidates], kind="stable")]
        return [int(group) for group in self._groups[in_order]]

    def _look(self, gram: SubsetGram) -> _Look:
        matrix = gram.matrix
        machine = train(matrix, self._signs, *self._settings)
        slack = np.maximum(0.0, 1.0 - self._signs * machine.decisions(matrix))
        reach = self._rho * machine.alpha(len(matrix)) * self._kernel.radius(matrix)
        return _Look(machine, matrix, float(np.minimum(reach + slack, 2.0).mean()))
