"""Values merged into groups: the rarest first, or those whose classes differ least."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from miningflow.learn.arrays import Counts


def merge_rarest(sizes: Sequence[int], least: int = 1, most: int | None = None) -> list[list[int]]:
    """Puts the two smallest groups together until none is below `least`, and there are `most`.

    Every value starts as one group. Of equally small groups the first are taken.
    """
    heap = [(size, i, [i]) for i, size in enumerate(sizes)]
    heapq.heapify(heap)
    while len(heap) > 1 and (heap[0][0] < least or (most is not None and len(heap) > most)):
        size, first, members = heapq.heappop(heap)
        other_size, other_first, others = heapq.heappop(heap)
        merged = (size + other_size, min(first, other_first), sorted(members + others))
        heapq.heappush(heap, merged)
    return sorted(members for _, _, members in heap)


def merge_by_error(counts: Counts, least: int = 1, most: int | None = None) -> list[list[int]]:
    """Groups values by their most frequent class, then merges groups where it costs least error.

    `counts` has a row for each value and a column for each class. The error of a group is the
    number of its rows that are not of its most frequent class. As long as a group has less than
    `least` rows, the smallest is merged with the one that adds the least error; as long as there
    are more than `most` groups, so are the two that add the least.
    """
    majority = counts.argmax(axis=1)
    groups = [np.flatnonzero(majority == c).tolist() for c in np.unique(majority)]
    while len(groups) > 1:
        sizes = [int(counts[members].sum()) for members in groups]
        smallest = int(np.argmin(sizes))
        if sizes[smallest] < least:
            pairs = [(smallest, j) for j in range(len(groups)) if j != smallest]
        elif most is not None and len(groups) > most:
            pairs = [(i, j) for i in range(len(groups)) for j in range(i)]
        else:
            break
        i, j = min(pairs, key=lambda pair: _added_error(counts, groups[pair[0]], groups[pair[1]]))
        merged = groups[i] + groups[j]
        groups = [members for k, members in enumerate(groups) if k not in (i, j)] + [merged]
    return sorted(sorted(members) for members in groups)


def _added_error(counts: Counts, one: list[int], other: list[int]) -> tuple[int, int]:
    """Returns the error that merging adds, and among equals the size."""
    first, second = counts[one].sum(axis=0), counts[other].sum(axis=0)
    both = first + second
    return int(first.max() + second.max() - both.max()), int(both.sum())
