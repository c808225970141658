"""The Kolmogorov–Smirnov distance of two classes, from counts of distinct values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from miningflow.learn.arrays import Indices


def kolmogorov_smirnov(positive: ArrayLike, negative: ArrayLike) -> float:
    """Returns the largest distance of the two distribution functions.

    The arguments count the rows of each class with each distinct value, in the order of the values.
    """
    shares = [np.cumsum(counts) / np.sum(counts) for counts in (positive, negative)]
    return float(np.abs(shares[0] - shares[1]).max())


def value_counts(values: NDArray[Any], codes: Indices, zeros: NDArray[np.integer[Any]]) -> Indices:
    """Counts rows by class and distinct value; `zeros` more rows of each class have the value 0."""
    distinct, at = np.unique(np.append(values, 0.0), return_inverse=True)
    counts = np.zeros((len(zeros), len(distinct)), dtype=np.intp)
    np.add.at(counts, (codes, at[:-1]), 1)
    counts[:, at[-1]] += zeros
    return counts
