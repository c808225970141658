"""Elimination of columns, many at a time by the slope of a bound and the last by the bound."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.selection.margin.criterion import MarginCriterion, WeightedBound
from miningflow.learn.selection.progress import Progress

# Equal columns have equal slopes and bounds up to rounding.
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class MarginTrial:
    """A set of columns with its bound, which columns it lacks of the set before, if it is taken."""

    level: int
    columns: tuple[int, ...]
    removed: tuple[int, ...]
    bound: float
    accepted: bool


@dataclass(frozen=True, slots=True)
class Elimination:
    """Drops columns: a share of them by slope in each round, one at a time from `exact` down."""

    criterion: MarginCriterion
    drop: float
    exact: int
    progress: Progress[MarginTrial]

    def run(self, idle: Mask, keep: int | None) -> MarginTrial:
        """Drops columns down to `keep`, or to the set of the lowest bound on the way to one.

        Idle columns, which have a single value, change no bound and go first. Of equal columns the
        first stays; of equal bounds that of fewer columns is taken.
        """
        columns = np.arange(len(idle))
        floor = 1 if keep is None else keep
        bounded = self.criterion.of(columns)
        path = [self._accepted(0, columns, columns[:0], bounded.value)]
        if idle.any() and len(columns) > floor:
            gone = np.flatnonzero(idle)[-(len(columns) - floor) :]
            columns, bounded = self._without(path, columns, gone)
        while len(columns) > max(self.exact, floor):
            count = min(
                max(1, int(self.drop * len(columns))), len(columns) - max(self.exact, floor)
            )
            gone = columns[_steepest(bounded.slopes, count)]
            columns, bounded = self._without(path, columns, gone)
        while len(columns) > floor:
            path.append(self._best_without_one(path[-1].level + 1, columns))
            columns = np.array(path[-1].columns)
        if keep is not None:
            return path[-1]
        lowest = min(trial.bound for trial in path)
        return [trial for trial in path if trial.bound <= lowest * (1 + _EQUAL)][-1]

    def _without(
        self, path: list[MarginTrial], columns: Indices, gone: Indices
    ) -> tuple[Indices, WeightedBound]:
        columns = np.setdiff1d(columns, gone)
        bounded = self.criterion.of(columns)
        path.append(self._accepted(path[-1].level + 1, columns, gone, bounded.value))
        return columns, bounded

    def _accepted(self, level: int, columns: Indices, gone: Indices, bound: float) -> MarginTrial:
        trial = MarginTrial(level, _numbers(columns), _numbers(gone), bound, accepted=True)
        self.progress.record(trial)
        return trial

    def _best_without_one(self, level: int, columns: Indices) -> MarginTrial:
        first = len(self.progress.entries)
        for at, column in enumerate(columns):
            rest = np.delete(columns, at)
            bound = self.criterion.of(rest).value
            self.progress.record(MarginTrial(level, _numbers(rest), (int(column),), bound, False))
        bounds = np.array([trial.bound for trial in self.progress.entries[first:]])
        best = first + int(np.flatnonzero(bounds <= bounds.min() * (1 + _EQUAL))[-1])
        taken = replace(self.progress.entries[best], accepted=True)
        self.progress.replace(best, taken)
        return taken


def _steepest(slopes: Matrix, count: int) -> Indices:
    """Returns where the bound falls most as a weight is lowered; the last of equals first."""
    largest = float(np.abs(slopes).max())
    level = np.round(slopes / largest / _EQUAL) if largest > 0 else np.zeros(len(slopes))
    return np.argsort(level, kind="stable")[-count:]


def _numbers(columns: Indices) -> tuple[int, ...]:
    return tuple(int(column) for column in columns)
