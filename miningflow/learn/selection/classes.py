"""The classes of a target, and shares of rows that have all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Indices, Mask
from miningflow.learn.scikit_learn import check_classification_targets


def class_codes(y: NDArray[Any]) -> tuple[NDArray[Any], Indices]:
    """Returns the sorted classes and the index of the class of each row."""
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"The target has one class, {classes[0]!r}; two or more are needed.")
    return classes, codes.astype(np.intp)


def share_of_rows(codes: Indices, share: float, random: np.random.RandomState) -> Mask:
    """Draws this share of the rows of each class, at least one of each."""
    drawn = np.zeros(len(codes), dtype=bool)
    for code in range(int(codes.max()) + 1):
        rows = random.permutation(np.flatnonzero(codes == code))
        drawn[rows[: max(1, round(share * len(rows)))]] = True
    return drawn
