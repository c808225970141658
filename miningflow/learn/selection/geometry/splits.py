"""Ways to divide classes in two, and subsets of groups."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from miningflow.learn.arrays import Mask


def label_splits(classes: int) -> tuple[Mask, ...]:
    """Returns the masks of positive classes of all 2^(classes - 1) - 1 divisions in two.

    A division and its mirror image are one; the positive side is the one without the first class.
    """
    return tuple(
        np.isin(np.arange(classes), chosen)
        for size in range(1, classes)
        for chosen in combinations(range(1, classes), size)
    )


def group_subsets(groups: int) -> tuple[tuple[int, ...], ...]:
    """Returns all subsets but the empty one, the small ones first."""
    return tuple(
        subset for size in range(1, groups + 1) for subset in combinations(range(groups), size)
    )


def count_of_sets(classes: int, groups: int) -> int:
    """Returns the number of pairs of a division and a subset."""
    return int((2 ** (classes - 1) - 1) * (2**groups - 1))
