"""A backward search that trains few machines: the weights show which groups to try without.

`greedy` trains a machine for each group of a level. Here a machine shows how much each group
contributes to ‖w‖², as in I. Guyon et al., Gene selection for cancer classification (2002), and
only the few that contribute least are tried. The best of these is dropped, whatever the error, down
to the end of the course. Then the subset with the least error on the way is chosen.

That error must not come from the rows by which the way was found, or small subsets look too good.
So the number of groups is judged by separate searches, each without a fold of the rows; these
drop the least group without trying.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from miningflow.learn.arrays import Indices, Matrix
from miningflow.learn.selection.estimates import share_of
from miningflow.learn.selection.estimates_folds import Fold, stratified_folds
from miningflow.learn.selection.gram import ColumnGroups, SubsetGram
from miningflow.learn.selection.search.course import Course
from miningflow.learn.selection.search.subsets import Judge, Trial
from miningflow.learn.selection.subset_machine import SubsetMachine, train

# How many groups are tried at each step. Without trying, up to half a point of accuracy was lost;
# five were no better.
_TRIED = 3
# With more groups than this, a share of them is dropped at once.
_MANY = 100
_SHARE = 0.1


def guided(course: Course, judge: Judge, guide: Guide) -> Trial:
    """Drops what the guide names, to the end of the course, and chooses from the way."""
    place = judge.start(course.start())
    while len(place.trial.subset) > course.least:
        gone = guide.least_missed(place.gram, guide.look(place.gram), course.least)
        if len(gone) == 1:
            place = judge.go(judge.level([place], _only(gone[0]))[0])
        else:
            place = judge.leap(place, gone)
    way = [trial for trial in judge.trace.trials if trial.accepted]
    smallest_first = way[:0:-1] + way[:1]
    chosen = way[-1] if course.keep else min(smallest_first, key=lambda trial: trial.error)
    return judge.settle(chosen)


def _only(group: int) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
    return lambda _: (group,)


@dataclass(frozen=True, eq=False, slots=True)
class _Look:
    """A machine, and the kernels of all rows on the columns that it was trained on."""

    machine: SubsetMachine
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class Training:
    """How machines are trained and compared."""

    C: float
    tolerance: float
    rho: float
    costs: Matrix | None = None
    """What errors about rows cost, in units of C."""


class Guide:
    """Trains on some or all rows, and returns which groups the machine misses least."""

    def __init__(
        self, columns: ColumnGroups, signs: Matrix, training: Training, rows: Indices | None = None
    ) -> None:
        self._tried = 1 if rows is not None else _TRIED
        rows = np.arange(columns.rows) if rows is None else rows
        self._kernel = columns.kernel
        self._signs = signs[rows]
        self._training = training
        self._costs = None if training.costs is None else training.costs[rows]
        self._rows = rows
        self._known: dict[tuple[int, ...], _Look] = {}
        parts = list(columns.parts.values())
        self._columns = np.concatenate(parts, axis=1)[rows]
        self._groups = np.array(list(columns.parts))
        self._owner = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])

    def look(self, gram: SubsetGram) -> _Look:
        """Trains on the columns of a subset, unless it was tried just before."""
        if gram.subset in self._known:
            return self._known[gram.subset]
        matrix = gram.matrix
        cut = self._cut(matrix)
        given = self._training
        machine = train(cut, self._signs, given.C, given.tolerance, self._costs)
        return _Look(machine, matrix)

    def least_missed(self, gram: SubsetGram, look: _Look, least: int) -> list[int]:
        """Returns the groups to drop next: one, or several while there are many."""
        support = look.machine.support
        rows = self._rows[support]
        contributions = self._kernel.contributions(
            self._columns[support], look.machine.signed, look.matrix[np.ix_(rows, rows)]
        )
        of_group = np.bincount(self._owner, weights=contributions)
        # Copies of a group differ by rounding errors.
        of_group = np.round(of_group / max(float(of_group.max()), 1e-300), 12)
        inside = np.flatnonzero(np.isin(self._groups, gram.subset))
        in_order = [
            int(group)
            for group in self._groups[inside[np.argsort(of_group[inside], kind="stable")]]
        ]
        if len(inside) > _MANY:
            return in_order[: min(int(len(inside) * _SHARE), len(inside) - least)]
        return [self._best_without(gram, in_order[: self._tried])]

    def _best_without(self, gram: SubsetGram, groups: list[int]) -> int:
        """Returns the group without which a machine has the least loss."""
        if len(groups) == 1:
            return groups[0]
        tried = {group: gram.toggled(group) for group in groups}
        looks = {group: self.look(neighbour) for group, neighbour in tried.items()}
        self._known = {tried[group].subset: look for group, look in looks.items()}
        return min(groups, key=lambda group: round(self._loss(looks[group]), 12))

    def _loss(self, look: _Look) -> float:
        """Returns the mean of ρ·αᵢ·R² + ξᵢ, each at most 2.

        The ξα-estimate counts those above 1; as a count it would have many ties.
        """
        matrix = self._cut(look.matrix)
        slack = np.maximum(0.0, 1.0 - self._signs * look.machine.decisions(matrix))
        reach = self._training.rho * look.machine.alpha(len(matrix)) * self._kernel.radius(matrix)
        return float(np.average(np.minimum(reach + slack, 2.0), weights=self._costs))

    def _cut(self, matrix: Matrix) -> Matrix:
        whole = len(self._rows) == len(matrix)
        return matrix if whole else matrix[np.ix_(self._rows, self._rows)]


class _Walk:
    """A separate search on all folds but one, which tests its machines."""

    def __init__(self, guide: Guide, start: SubsetGram, fold: Fold, signs: Matrix) -> None:
        self._guide = guide
        self._gram = start
        self._training, self._test = fold
        self._signs = signs
        self._look: _Look | None = None

    def wrong(self, size: int) -> Indices:
        """Removes groups down to a number, and returns the rows that are wrong there."""
        target = self._signs[self._test]
        first = self._signs[self._training[0]]
        if (self._signs[self._training] == first).all():
            return np.asarray(self._test[target != first])
        look = self._look or self._guide.look(self._gram)
        while len(self._gram.subset) > size:
            self._gram = self._gram.without(self._guide.least_missed(self._gram, look, size))
            look = self._guide.look(self._gram)
        self._look = look
        decisions = look.machine.decisions(look.matrix[np.ix_(self._test, self._training)])
        return np.asarray(self._test[(decisions > 0) != (target > 0)])


@dataclass(frozen=True, eq=False, slots=True)
class NestedEstimate:
    """The share of rows that searches without them get wrong with the same number of groups."""

    signs: Matrix
    walks: Sequence[_Walk]
    costs: Matrix | None

    @classmethod
    def of(
        cls, columns: ColumnGroups, signs: Matrix, training: Training, folds: int
    ) -> NestedEstimate:
        """Begins a search for each fold."""
        start = columns.subset(columns.parts)
        walks = [
            _Walk(Guide(columns, signs, training, fold[0]), start, fold, signs)
            for fold in stratified_folds(signs, folds)
        ]
        return cls(signs, walks, training.costs)

    def __call__(self, gram: SubsetGram) -> float:
        """Returns the error with as many groups as the subset has; sizes must fall."""
        wrong = np.zeros(len(self.signs), dtype=bool)
        for walk in self.walks:
            wrong[walk.wrong(len(gram.subset))] = True
        return share_of(wrong, self.costs)
