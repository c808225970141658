"""Selectors side by side: the error of a linear machine on the best k features, for several k."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.scikit_learn import SVC, StratifiedKFold
from miningflow.learn.selection.alignment import AlignmentSelector
from miningflow.learn.selection.margin import MarginBoundSelector
from miningflow.learn.selection.normals import NormalSelector
from miningflow.learn.selection.scores import ScoreSelector
from miningflow.learn.selection.xi_alpha import XiAlphaSelector
from miningflow.learn.threads import single_blas_thread

Matrix = NDArray[np.float64]
Groups = NDArray[np.intp]
Labels = NDArray[Any]


@dataclass(frozen=True)
class Contestant:
    """A selector that ranks features, and the operator that offers it in a case."""

    name: str
    operator: str
    rank: Callable[[Matrix, Labels, Groups], list[int]]
    two_classes: bool = False
    most_rows: int | None = None
    """How many rows its operator learns from, if not told otherwise."""


@dataclass(frozen=True)
class Curve:
    """The errors of one selector: a row for each fold, a column for each number of features."""

    contestant: Contestant
    sizes: tuple[int, ...]
    errors: Matrix
    seconds: float

    @property
    def means(self) -> Matrix:
        """The mean error for each number of features."""
        means: Matrix = self.errors.mean(axis=0)
        return means

    @property
    def deviations(self) -> Matrix:
        """The standard deviation over the folds."""
        deviations: Matrix = self.errors.std(axis=0, ddof=1)
        return deviations


@dataclass(frozen=True)
class Advice:
    """The fewest features whose error is within one standard error of the least."""

    contestant: Contestant
    size: int
    error: float
    least: float
    standard_error: float


def compare(
    X: Matrix,
    labels: Labels,
    groups: Groups,
    contestants: Sequence[Contestant],
    folds: int,
    tell: Callable[[float, str], object],
) -> list[Curve]:
    """Cross-validates selection and machine together: no selector sees the rows that test it.

    Columns of one number in `groups`, which count from 0, are one feature.
    """
    sizes = sizes_up_to(int(groups.max()) + 1)
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=0).split(X, labels))
    errors = np.zeros((len(contestants), folds, len(sizes)))
    seconds = np.zeros(len(contestants))
    with single_blas_thread():
        for fold, (learn, test) in enumerate(parts):
            mean, scale = X[learn].mean(axis=0), X[learn].std(axis=0)
            standard = (X - mean) / np.where(scale > 0, scale, 1.0)
            for i, contestant in enumerate(contestants):
                done = (fold * len(contestants) + i) / (folds * len(contestants))
                tell(done, f"{contestant.name}, fold {fold + 1} of {folds}")
                start = time.perf_counter()
                sample = learn[: contestant.most_rows]  # the folds are shuffled
                order = contestant.rank(standard[sample], labels[sample], groups)
                seconds[i] += time.perf_counter() - start
                for at, size in enumerate(sizes):
                    columns = np.isin(groups, order[:size])
                    errors[i, fold, at] = _error(standard[:, columns], labels, learn, test)
    return [
        Curve(contestant, sizes, errors[i], float(seconds[i]) / folds)
        for i, contestant in enumerate(contestants)
    ]


def advise(curves: Sequence[Curve]) -> Advice:
    """Returns the fewest features that do as well as the best, as far as the folds can tell."""
    best = min(curves, key=lambda curve: float(curve.means.min()))
    at = int(np.argmin(best.means))
    least = float(best.means[at])
    error = float(best.deviations[at]) / np.sqrt(len(best.errors))
    size, mean, curve = min(
        (size, float(mean), i)
        for i, curve in enumerate(curves)
        for size, mean in zip(curve.sizes, curve.means, strict=True)
        if mean <= least + error
    )
    return Advice(curves[curve].contestant, size, mean, least, float(error))


def sizes_up_to(most: int) -> tuple[int, ...]:
    """Returns 1, 2, 4, … and the whole."""
    powers = [2**i for i in range(most.bit_length()) if 2**i < most]
    return (*powers, most)


def _error(X: Matrix, labels: Labels, learn: NDArray[np.intp], test: NDArray[np.intp]) -> float:
    # C over the number of columns is C on a kernel with a mean diagonal of 1
    machine = SVC(kernel="linear", C=1 / X.shape[1]).fit(X[learn], labels[learn])
    return float(np.mean(machine.predict(X[test]) != labels[test]))


def _by_score(scores: Matrix, groups: Groups) -> list[int]:
    """Ranks features by the best of their columns; the first of equals comes first."""
    best = np.full(int(groups.max()) + 1, -np.inf)
    np.maximum.at(best, groups, np.nan_to_num(scores, posinf=1e300))
    return [int(group) for group in np.argsort(-best, kind="stable")]


def _by_order(columns: Sequence[int], groups: Groups) -> list[int]:
    """Ranks features by the first of their columns."""
    return list(dict.fromkeys(int(groups[column]) for column in columns))


def _fisher(X: Matrix, labels: Labels, groups: Groups) -> list[int]:
    return _by_score(ScoreSelector("fisher", keep=1).fit(X, labels).scores_, groups)


def _normal(X: Matrix, labels: Labels, groups: Groups) -> list[int]:
    return _by_score(NormalSelector(keep=1).fit(X, labels).scores_, groups)


def _alignment(X: Matrix, labels: Labels, groups: Groups) -> list[int]:
    selector = AlignmentSelector("incremental", keep=X.shape[1]).fit(X, labels)
    return _by_order([column for step in selector.trace_ for column in step.changed], groups)


def _margin_bound(X: Matrix, labels: Labels, groups: Groups) -> list[int]:
    selector = MarginBoundSelector(keep=1).fit(X, labels)
    taken = [trial for trial in selector.trace_ if trial.accepted]
    dropped = [column for trial in taken for column in trial.removed]
    return _by_order([*taken[-1].columns, *reversed(dropped)], groups)


def _svm(X: Matrix, labels: Labels, groups: Groups) -> list[int]:
    selector = XiAlphaSelector(search="guided", keep=1, groups=groups).fit(X, labels)
    subsets = [trial.subset for trial in selector.trace_ if trial.accepted]
    dropped = [
        group
        for before, after in pairwise(subsets)
        for group in sorted(set(before) - set(after))  # several at once if there are many
    ]
    return [*subsets[-1], *reversed(dropped)]


CONTESTANTS = (
    Contestant("score", "FeatureSelectionByScore", _fisher),
    Contestant("alignment", "FeatureSelectionByAlignment", _alignment),
    Contestant("normal", "FeatureSelectionByNormal", _normal),
    Contestant("margin_bound", "FeatureSelectionByMarginBound", _margin_bound, True, 300),
    Contestant("svm", "FeatureSelectionWithSVM", _svm, True, 500),
)
