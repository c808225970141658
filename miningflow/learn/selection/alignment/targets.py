"""The labels whose outer product is the ideal kernel."""

from __future__ import annotations

import numpy as np

from miningflow.learn.arrays import Indices, Matrix


def ideal_targets(codes: Indices, balanced: bool) -> Matrix:
    """Returns a column of labels for each class against the rest; one column for two classes.

    Labels are +1 and -1, or balanced +1/m and -1/n for m rows of the class and n others. The ideal
    kernel is the sum of the outer products of the columns.
    """
    count = int(codes.max()) + 1
    belongs = codes[:, np.newaxis] == np.arange(count)
    if count == 2:
        belongs = belongs[:, 1:]
    if not balanced:
        return np.where(belongs, 1.0, -1.0)
    sizes = belongs.sum(axis=0)
    labels: Matrix = np.where(belongs, 1.0 / sizes, -1.0 / (len(codes) - sizes))
    return labels
