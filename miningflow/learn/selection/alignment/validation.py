"""How many columns to take from an alignment search, by the accuracy on held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from miningflow.learn.arrays import Indices, Mask
from miningflow.learn.scikit_learn import SVC, LinearSVC
from miningflow.learn.selection.alignment.path import AlignmentPath, Method, columns_after
from miningflow.learn.selection.alignment.search import AlignmentStep, shortest
from miningflow.learn.selection.progress import Progress

# The numbers of features that the paper compares: those that explain 85, 86, …, 100 %.
_SHARES = np.arange(85, 101) / 100


def held_out_accuracy(
    X: Any,
    codes: Indices,
    training: Mask,
    kernel: Literal["linear", "quadratic"],
    C: float,
    seed: int,
) -> Callable[[Mask], float]:
    """Returns a function from columns to the accuracy of a machine trained on them."""

    def accuracy(columns: Mask) -> float:
        chosen = X[:, np.flatnonzero(columns)]
        if kernel == "linear":
            machine = LinearSVC(C=C, dual="auto", random_state=seed)
        else:
            machine = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=C)
        machine.fit(chosen[np.flatnonzero(training)], codes[training])
        return float(machine.score(chosen[np.flatnonzero(~training)], codes[~training]))

    return accuracy


def validated(
    path: AlignmentPath,
    method: Method,
    accuracy: Callable[[Mask], float],
    progress: Progress[AlignmentStep],
) -> AlignmentPath:
    """Returns the path with the most accurate number of columns.

    Additions are compared where they explain 85 % to 100 % of the alignment, removals after each
    step. The fewest columns win a tie.
    """
    width = len(path.support)

    def measured(taken: int) -> float:
        value = accuracy(columns_after(path.steps[:taken], width, method))
        progress.replace(taken - 1, replace(path.steps[taken - 1], accuracy=value))
        return value

    if method == "decremental":
        sizes = list(range(len(path.steps), 0, -1))
    else:
        sizes = sorted({shortest(path.steps, share) for share in _SHARES})
    taken = max(sizes, key=measured)  # the first of equals, which has the fewest columns
    support = columns_after(path.steps[:taken], width, method)
    return AlignmentPath(progress.entries, taken, support, path.scores)
