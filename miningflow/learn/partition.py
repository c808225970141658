"""Ordered values cut into intervals so that the classes in each differ least.

The error of an interval is the number of its rows that are not of its most frequent class. The
least error over all partitions is found by dynamic programming (Fulton, Kasif and Salzberg,
"Efficient algorithms for finding multi-way splits for decision trees", 1995).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miningflow.learn.arrays import Counts, Indices, Matrix

Places = list[int]

# The error of every interval between two values is tabulated.
MOST_VALUES = 1_000


def thinned(counts: Counts) -> Places:
    """Returns the last value of each of at most 1,000 neighbourhoods, equally large if need be."""
    if len(counts) <= MOST_VALUES:
        return list(range(len(counts)))
    upto = np.cumsum(counts.sum(axis=1))
    parts = upto * MOST_VALUES // upto[-1]
    return [int(i) for i in np.flatnonzero(np.diff(parts, prepend=0))]


def cuts_without_error(counts: Counts) -> Places:
    """Cuts as rarely as possible without any more error than single values have.

    A row of `counts` has the numbers of each class for a value. Returns the last value of each
    interval but the last one. Neighbours stay together while a class is most frequent in all.
    """
    cuts: Places = []
    leading = np.ones(counts.shape[1], dtype=bool)
    for i, row in enumerate(counts):
        common = leading & (row == row.max())
        if not common.any():
            cuts.append(i - 1)
            common = row == row.max()
        leading = common
    return cuts


def cuts_of_at_least(counts: Counts, least: int) -> Places:
    """Cuts with the least error so that an interval has `least` rows; of equals, most rarely."""
    cost, sizes = _errors(counts)
    n = len(counts)
    # An interval costs one more than nothing, which decides among equal errors only.
    cost = np.where(sizes >= least, cost * (n + 1) + 1, np.inf)
    best = np.full(n + 1, np.inf)
    best[0] = 0
    before = np.zeros(n + 1, dtype=np.intp)
    for end in range(1, n + 1):
        totals = best[:end] + cost[:end, end - 1]
        before[end] = np.argmin(totals)
        best[end] = totals[before[end]]
    if not np.isfinite(best[n]):  # fewer rows than one interval needs
        return []
    return _walked_back([before] * n, n)


def cuts_into_at_most(counts: Counts, most: int) -> Places:
    """Cuts into at most `most` intervals with the least error; of equals, into the fewest."""
    cost, _ = _errors(counts)
    n = len(counts)
    cost = np.where(np.tri(n, dtype=bool).T, cost, np.inf)
    best = np.full(n + 1, np.inf)
    best[0] = 0
    layers: list[Indices] = []
    errors: list[float] = []
    for _ in range(min(most, n)):
        totals = best[:-1, None] + cost
        layers.append(np.concatenate([[0], totals.argmin(axis=0)]).astype(np.intp))
        best = np.concatenate([[np.inf], totals.min(axis=0)])
        errors.append(float(best[n]))
    used = int(np.argmin(errors)) + 1
    return _walked_back(layers[:used][::-1], n)


def _errors(counts: Counts) -> tuple[Matrix, npt.NDArray[np.int64]]:
    """Tabulates error and size of the intervals from the i-th to the j-th value."""
    n = len(counts)
    sizes = np.zeros((n, n), dtype=np.int64)
    most = np.zeros((n, n), dtype=np.int64)
    for column in counts.T:
        upto = np.concatenate([[0], np.cumsum(column)])
        within = upto[None, 1:] - upto[:-1, None]
        sizes += within
        np.maximum(most, within, out=most)
    return (sizes - most).astype(np.float64), sizes


def _walked_back(layers: list[Indices], n: int) -> Places:
    cuts: Places = []
    end = n
    for before in layers:
        end = int(before[end])
        if end == 0:
            break
        cuts.append(end - 1)
    return cuts[::-1]
