"""The judge that trains a linear machine on each set of groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.scikit_learn import LinearSVC
from miningflow.learn.selection.geometry.judges import Measured


@dataclass(frozen=True, eq=False, slots=True)
class MachineJudge:
    """The accuracy of a machine that learns on one half of the rows and answers on the other.

    Suggested are sets whose accuracy is within one standard error of the best.
    """

    X: Any
    codes: Indices
    members: Sequence[Indices]
    half: Mask
    C: float
    seed: int

    def on(self, groups: Sequence[int]) -> Callable[[Mask], Measured]:
        """Takes the columns of these groups."""
        columns = np.concatenate([self.members[group] for group in groups])
        return partial(self._measured, self.X[:, columns])

    def decide(self, sets: Sequence[Measured]) -> tuple[Matrix, Mask]:
        """Returns the accuracies, and which are close to the best."""
        accuracy = np.array([each.score for each in sets], dtype=np.float64)
        best = float(accuracy.max())
        return accuracy, accuracy >= best - np.sqrt(best * (1 - best) / len(self.codes))

    def _measured(self, X: Any, positive: Mask) -> Measured:
        above = positive[self.codes]
        right = self._right(X, above, self.half) + self._right(X, above, ~self.half)
        return Measured(None, right / len(above))

    def _right(self, X: Any, above: Mask, training: Mask) -> int:
        learned, tested = np.flatnonzero(training), np.flatnonzero(~training)
        known = above[learned]
        if known.all() or not known.any():
            # A side of a single row is missing in one of the halves.
            return int(np.count_nonzero(above[tested] == known.all()))
        machine = LinearSVC(C=self.C, dual="auto", random_state=self.seed).fit(X[learned], known)
        return int(np.count_nonzero(machine.predict(X[tested]) == above[tested]))


def half_of_rows(codes: Indices, random: np.random.RandomState) -> Mask:
    """Draws half of the rows of each class, in turn the larger and the smaller half."""
    half = np.zeros(len(codes), dtype=bool)
    for code in range(int(codes.max()) + 1):
        half[random.permutation(np.flatnonzero(codes == code))[code % 2 :: 2]] = True
    return half
