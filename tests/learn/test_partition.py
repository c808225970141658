"""Partitions of ordered values, compared with all partitions there are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from miningflow.learn.arrays import Counts
from miningflow.learn.partition import (
    cuts_into_at_most,
    cuts_of_at_least,
    cuts_without_error,
    thinned,
)


def _problem(seed: int) -> Counts:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (int(rng.integers(1, 9)), int(rng.integers(1, 4))))
    counts[:, 0] += counts.sum(axis=1) == 0
    return counts.astype(np.int64)


def _all_cuts(n: int) -> Iterator[list[int]]:
    for size in range(n):
        yield from map(list, itertools.combinations(range(n - 1), size))


def _intervals(counts: Counts, cuts: list[int]) -> list[Counts]:
    return [part.sum(axis=0) for part in np.split(counts, [cut + 1 for cut in cuts])]


def _error(counts: Counts, cuts: list[int]) -> int:
    return sum(int(part.sum() - part.max()) for part in _intervals(counts, cuts))


def _score(counts: Counts, cuts: list[int]) -> tuple[int, int]:
    return _error(counts, cuts), len(cuts)


@pytest.mark.parametrize("seed", range(40))
def test_no_more_error_than_single_values_and_no_fewer_cuts(seed: int) -> None:
    counts = _problem(seed)
    found = cuts_without_error(counts)
    assert _score(counts, found) == min(_score(counts, c) for c in _all_cuts(len(counts)))


@pytest.mark.parametrize("most", [2, 3, 5])
@pytest.mark.parametrize("seed", range(40))
def test_at_most_so_many_with_the_least_error(seed: int, most: int) -> None:
    counts = _problem(seed)
    found = cuts_into_at_most(counts, most)
    possible = [c for c in _all_cuts(len(counts)) if len(c) < most]
    assert _score(counts, found) == min(_score(counts, c) for c in possible)
    assert len(found) < most


@pytest.mark.parametrize("least", [1, 4, 9])
@pytest.mark.parametrize("seed", range(40))
def test_at_least_so_many_rows_with_the_least_error(seed: int, least: int) -> None:
    counts = _problem(seed)
    found = cuts_of_at_least(counts, least)
    possible = [
        c for c in _all_cuts(len(counts)) if all(p.sum() >= least for p in _intervals(counts, c))
    ]
    if not possible:
        assert found == []
        return
    assert _score(counts, found) == min(_score(counts, c) for c in possible)
    assert found in possible


def test_many_values_are_thinned_to_equal_parts() -> None:
    counts = np.ones((12_345, 2), dtype=np.int64)
    last = thinned(counts)
    assert last[-1] == 12_344
    assert len(last) == 1_000
    sizes = np.diff([-1, *last])
    assert sizes.max() - sizes.min() <= 1
    assert thinned(counts[:1_000]) == list(range(1_000))
