"""Machines as numbers: decision functions, and what follows from their values."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Matrix
from miningflow.learn.kernels import KernelModel


@dataclass(frozen=True, eq=False)
class LinearModels:
    """Decides by w·x + b, once for each row of weights."""

    weights: Matrix
    intercepts: Matrix

    def check_parts(self) -> None:
        """Refuses a stored model whose arrays do not fit together."""
        if self.weights.ndim != 2 or self.intercepts.shape != (len(self.weights),):
            raise ValueError("weights do not fit intercepts")

    @property
    def width(self) -> int:
        """The number of columns that it decides by."""
        return int(self.weights.shape[1])

    def decisions(self, X: Matrix) -> Matrix:
        """Returns a column of decision values for each row of weights."""
        values: Matrix = X @ self.weights.T + self.intercepts
        return values


@dataclass(frozen=True)
class Prediction:
    """The decision value is the predicted number."""


@dataclass(frozen=True)
class Sign:
    """Two classes, distinguished by the sign of one decision value."""

    below: Any
    above: Any
    zero_is_above: bool


@dataclass(frozen=True)
class Greatest:
    """The class of the greatest of several decision values."""

    classes: tuple[Any, ...]


@dataclass(frozen=True)
class Pairs:
    """Votes of all pairs of classes, as libsvm counts them.

    `one_vs_rest` says whether decision values are shown per class or per pair, and `break_ties`
    whether the greatest of those per class decides instead of the votes.
    """

    classes: tuple[Any, ...]
    one_vs_rest: bool
    break_ties: bool


@dataclass(frozen=True, eq=False, slots=True)
class Decided:
    """What a machine decides about some rows."""

    decisions: Matrix
    """A column for each value that is shown."""
    labels: NDArray[Any]
    """The classes; empty if the decision is a number."""
    margins: Matrix
    """How much a value would have to change for another label."""


@dataclass(frozen=True)
class Machine:
    """Decision functions, and what follows from their values."""

    model: LinearModels | KernelModel
    result: Prediction | Sign | Greatest | Pairs

    def check_parts(self) -> None:
        """Refuses a stored machine whose decisions do not fit its classes."""
        classes = len(self.result.classes) if isinstance(self.result, Greatest | Pairs) else 2
        wanted = classes if isinstance(self.result, Greatest) else classes * (classes - 1) // 2
        if classes < 2 or len(self.model.intercepts) != wanted:
            raise ValueError("decision values do not fit the classes")

    def decide(self, X: Matrix) -> Decided:
        """Decides about encoded rows; NaN in a row makes its values NaN and its label worthless."""
        values = self.model.decisions(X)
        match self.result:
            case Prediction():
                return Decided(values, np.array([]), np.full(len(X), np.inf))
            case Sign(below, above, zero_is_above):
                first = values[:, 0]
                high = first >= 0 if zero_is_above else first > 0
                labels = np.array([below, above], dtype=object)[high.astype(int)]
                return Decided(values, labels, np.abs(first))
            case Greatest(classes):
                ordered = np.sort(values, axis=1)
                labels = np.array(classes, dtype=object)[values.argmax(axis=1)]
                return Decided(values, labels, ordered[:, -1] - ordered[:, -2])
            case Pairs():
                return _vote(self.result, values)
            case _:
                assert_never(self.result)


def _vote(result: Pairs, values: Matrix) -> Decided:
    """Counts a pair at zero for the second class when it votes, for the first when it is shown."""
    votes, shown, confidence = (np.zeros((len(values), len(result.classes))) for _ in range(3))
    for pair, (i, j) in enumerate(combinations(range(len(result.classes)), 2)):
        value = values[:, pair]
        votes[:, i] += value > 0
        votes[:, j] += value <= 0
        shown[:, i] += value >= 0
        shown[:, j] += value < 0
        confidence[:, i] += value
        confidence[:, j] -= value
    per_class = shown + confidence / (3 * (np.abs(confidence) + 1))
    chosen = (per_class if result.break_ties else votes).argmax(axis=1)
    labels = np.array(result.classes, dtype=object)[chosen]
    margins: Matrix = np.abs(values).min(axis=1)
    if result.break_ties:
        ordered = np.sort(per_class, axis=1)
        margins = np.minimum(margins, ordered[:, -1] - ordered[:, -2])
    return Decided(per_class if result.one_vs_rest else values, labels, margins)
