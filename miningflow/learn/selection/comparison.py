"""Selectors side by side: how good a linear machine is on the best k features, for several k."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from miningflow.learn.arrays import Codes, Indices, Labels, Matrix
from miningflow.learn.scikit_learn import SVC, StratifiedKFold
from miningflow.learn.selection.comparison_metrics import Metric
from miningflow.learn.selection.contestant import Contestant
from miningflow.learn.threads import single_blas_thread


@dataclass(frozen=True)
class Entrant:
    """A contestant, and the features that it selects from; all others it always keeps."""

    contestant: Contestant
    candidates: tuple[int, ...]


@dataclass(frozen=True)
class Curve:
    """The results of one selector: a row for each fold, a column for each number of features."""

    contestant: Contestant
    sizes: tuple[int, ...]
    values: Matrix
    """NaN for fewer features than the selector always keeps."""
    seconds: float
    always_kept: int = 0
    """How many features it cannot drop, which count in `sizes`."""

    @property
    def means(self) -> Matrix:
        """The mean over the folds for each number of features."""
        means: Matrix = self.values.mean(axis=0)
        return means

    @property
    def deviations(self) -> Matrix:
        """The standard deviation over the folds."""
        deviations: Matrix = self.values.std(axis=0, ddof=1)
        return deviations


@dataclass(frozen=True)
class Advice:
    """The fewest features whose result is within one standard error of the best."""

    contestant: Contestant
    size: int
    keep: int
    """How many of the features that it selects from are left."""
    value: float
    best: float
    standard_error: float


@dataclass(frozen=True)
class Rivalry:
    """What selectors are compared on: rows, folds, and the measure that decides."""

    X: Matrix
    labels: Labels
    groups: Codes
    """For each column the number of its feature, from 0."""
    folds: int
    metric: Metric
    positive: str | None = None


def compare(
    rivalry: Rivalry, entrants: Sequence[Entrant], tell: Callable[[float, str], object]
) -> list[Curve]:
    """Cross-validates selection and machine together: no selector sees the rows that test it."""
    X, labels, groups = rivalry.X, rivalry.labels, rivalry.groups
    folds = rivalry.folds
    sizes = sizes_up_to(int(groups.max()) + 1)
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=0).split(X, labels))
    values = np.full((len(entrants), folds, len(sizes)), np.nan)
    seconds = np.zeros(len(entrants))
    with single_blas_thread():
        for fold, (learn, test) in enumerate(parts):
            mean, scale = X[learn].mean(axis=0), X[learn].std(axis=0)
            standard = (X - mean) / np.where(scale > 0, scale, 1.0)
            for i, entrant in enumerate(entrants):
                done = (fold * len(entrants) + i) / (folds * len(entrants))
                tell(done, f"{entrant.contestant.name}, fold {fold + 1} of {folds}")
                start = time.perf_counter()
                order = _ranked(entrant, standard, labels, groups, learn)
                seconds[i] += time.perf_counter() - start
                kept = sorted(set(groups.tolist()) - set(entrant.candidates))
                for at, size in enumerate(sizes):
                    if size > len(kept):
                        chosen = np.isin(groups, [*kept, *order[: size - len(kept)]])
                        values[i, fold, at] = _value(rivalry, standard[:, chosen], learn, test)
    features = int(groups.max()) + 1
    return [
        Curve(
            entrant.contestant,
            sizes,
            values[i],
            float(seconds[i]) / folds,
            features - len(entrant.candidates),
        )
        for i, entrant in enumerate(entrants)
    ]


def advise(curves: Sequence[Curve], metric: Metric) -> Advice:
    """Returns the fewest features that do as well as the best, within one standard error."""
    found = [
        (size, metric.sorted(float(mean)), i, float(deviation))
        for i, curve in enumerate(curves)
        for size, mean, deviation in zip(curve.sizes, curve.means, curve.deviations, strict=True)
        if not np.isnan(mean)
    ]
    _, best, _, deviation = min(found, key=lambda each: each[1])
    error = deviation / float(np.sqrt(len(curves[0].values)))
    size, value, i, _ = min(each for each in found if each[1] <= best + error)
    curve = curves[i]
    keep = size - curve.always_kept
    unsorted = metric.sorted(value), metric.sorted(best)
    return Advice(curve.contestant, size, keep, *unsorted, error)


def sizes_up_to(most: int) -> tuple[int, ...]:
    """Returns 1, 2, 4, … and the whole."""
    powers = [2**i for i in range(most.bit_length()) if 2**i < most]
    return (*powers, most)


def _ranked(
    entrant: Entrant, X: Matrix, labels: Labels, groups: Codes, learn: Indices
) -> list[int]:
    """Ranks the candidates, which the contestant knows by their position among themselves."""
    contestant, candidates = entrant.contestant, entrant.candidates
    sample = learn[: contestant.most_rows]  # the folds are shuffled
    columns = np.isin(groups, candidates)
    position = {group: at for at, group in enumerate(candidates)}
    own = np.array([position[group] for group in groups[columns].tolist()], dtype=np.intp)
    order = contestant.rank(X[np.ix_(sample, columns)], labels[sample], own)
    return [candidates[at] for at in order]


def _value(rivalry: Rivalry, X: Matrix, learn: Indices, test: Indices) -> float:
    labels, metric = rivalry.labels, rivalry.metric
    # C over the number of columns is C on a kernel with a mean diagonal of 1
    machine = SVC(kernel="linear", C=1 / X.shape[1]).fit(X[learn], labels[learn])
    decisions = machine.decision_function(X[test]) if metric.needs_decisions else None
    return metric.of(labels[test], machine.predict(X[test]), decisions, rivalry.positive)
