"""Suggestions of the geometry selector held against the accuracy of a machine on every set."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from benchmarks.papers.geometry_data import RANDOM_GROUP, Problem
from miningflow.learn.arrays import Mask, Matrix
from miningflow.learn.selection import GeometrySelector, JudgedSet

GEOMETRY, PRINTED, SVM, COUNT = "geometry", "printed", "svm", "count"


@dataclass(frozen=True, slots=True)
class Quality:
    """How well suggestions meet the sets that are good, as the paper defines it."""

    accuracy: float
    precision: float
    recall: float


@dataclass(frozen=True, eq=False, slots=True)
class Judged:
    """All sets of a problem: rows are divisions of the classes, columns are sets of types.

    `suggested` and `score` are by judge. `accuracy` is that of a machine on the test rows.
    """

    sets: tuple[tuple[int, ...], ...]
    accuracy: Matrix
    good: Mask
    suggested: dict[str, Mask]
    score: dict[str, Matrix]
    seconds: dict[str, float]
    properties: Matrix

    def quality(self, judge: str, within: float | None = None) -> Quality:
        """Returns the quality over all divisions; a precision without suggestions is 0.

        With `within`, good are sets whose accuracy is so close to the best of their division.
        """
        good = self.good
        if within is not None:
            good = self.accuracy >= self.accuracy.max(axis=1, keepdims=True) - within
        suggested = self.suggested[judge]
        hits = int(np.count_nonzero(suggested & good))
        return Quality(
            float(np.mean(suggested == good)),
            hits / max(1, int(np.count_nonzero(suggested))),
            hits / max(1, int(np.count_nonzero(good))),
        )

    def chosen(self, judge: str) -> list[int]:
        """Returns the set of each division with the best score among the suggested, if any are."""
        chosen = []
        for suggested, score in zip(self.suggested[judge], self.score[judge], strict=True):
            allowed = suggested if suggested.any() else np.ones(len(score), dtype=bool)
            chosen.append(int(np.argmax(np.where(allowed, score, -np.inf))))
        return chosen

    def gains(self, judge: str) -> list[float]:
        """Returns the points of accuracy above that on all columns, for each division."""
        return [
            float(100 * (accuracy[at] - accuracy[-1]))
            for accuracy, at in zip(self.accuracy, self.chosen(judge), strict=True)
        ]

    def random_share(self, judge: str) -> float:
        """Returns the share in % of suggested sets that hold the random columns."""
        random = np.array([RANDOM_GROUP in groups for groups in self.sets])
        suggested = self.suggested[judge]
        return float(100 * (suggested & random).sum() / max(1, suggested.sum()))

    def random_chosen(self, judge: str) -> float:
        """Returns the share in % of divisions whose chosen set holds the random columns."""
        return float(np.mean([100 * (RANDOM_GROUP in self.sets[at]) for at in self.chosen(judge)]))

    def correlations(self) -> Matrix:
        """Returns the correlation of each property with the accuracy, mean over divisions.

        A property that is the same for all sets of a division says nothing there.
        """
        found: list[list[float]] = [[] for _ in range(6)]
        for values, accuracy in zip(self.properties, self.accuracy, strict=True):
            for k, column in enumerate(values.T):
                if np.ptp(column) > 0 and np.ptp(accuracy) > 0:
                    found[k].append(float(np.corrcoef(column, accuracy)[0, 1]))
        return np.array([np.mean(each) if each else np.nan for each in found])

    def mute(self) -> float:
        """Returns the share of divisions in which f6 is the same for all sets."""
        return float(np.mean(np.ptp(self.properties[:, :, 5], axis=1) == 0))

    def fullness(self) -> float:
        """Returns the mean of f5: the share of the dimensions that all rows together span."""
        return float(self.properties[:, :, 4].mean())

    def size_correlation(self) -> float:
        """Returns the correlation of f5 with the number of columns of a set."""
        return float(np.corrcoef(self.properties[0, :, 4], self.score[COUNT][0])[0, 1])


def judged(problem: Problem, seed: int) -> Judged:
    """Lets the judges suggest on the training rows, and tests a machine on every set."""
    settings: dict[str, dict[str, Any]] = {
        GEOMETRY: {},
        SVM: {"judge": "svm", "random_state": seed},
    }
    traces, seconds = {}, {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, given in settings.items():
            start = time.process_time()
            selector = GeometrySelector(problem.groups, **given).fit(problem.X, problem.y)
            seconds[name] = time.process_time() - start
            traces[name] = selector.trace_
        first = traces[GEOMETRY]
        sets = tuple(dict.fromkeys(each.groups for each in first))
        divisions = tuple(dict.fromkeys(each.positive for each in first))
        accuracy = _accuracies(problem, divisions, sets, seed)
    shape = (len(sets), len(divisions))
    suggested = {name: _suggested(trace, shape) for name, trace in traces.items()}
    width = np.array([np.isin(problem.groups, groups).sum() for groups in sets])
    suggested[COUNT] = np.tile(width > width.mean(), (len(divisions), 1))
    score = {
        name: np.array([each.score for each in trace], dtype=float).reshape(shape).T
        for name, trace in traces.items()
    }
    # `rule="printed"` differs in this only, and need not be measured again.
    suggested[PRINTED] = suggested[GEOMETRY] & (score[GEOMETRY] >= 0.5)
    score[COUNT] = np.tile(width.astype(float), (len(divisions), 1))
    values = np.array([astuple(each.properties) for each in first if each.properties is not None])
    properties = values.reshape(*shape, 6).transpose(1, 0, 2)
    good = accuracy > accuracy.mean(axis=1, keepdims=True)
    return Judged(sets, accuracy, good, suggested, score, seconds, properties)


def _accuracies(
    problem: Problem,
    divisions: Sequence[tuple[Any, ...]],
    sets: Sequence[tuple[int, ...]],
    seed: int,
) -> Matrix:
    accuracy = np.empty((len(divisions), len(sets)))
    for column, groups in enumerate(sets):
        held = np.isin(problem.groups, groups)
        X, test = problem.X[:, held], problem.test_X[:, held]
        for row, positive in enumerate(divisions):
            machine = LinearSVC(dual="auto", random_state=seed)
            machine.fit(X, np.isin(problem.y, positive))
            accuracy[row, column] = machine.score(test, np.isin(problem.test_y, positive))
    return accuracy


def _suggested(trace: Sequence[JudgedSet], shape: tuple[int, int]) -> Mask:
    # The trace has all divisions of the first set, then those of the second, and so on.
    return np.array([bool(each.suggested) for each in trace]).reshape(shape).T
