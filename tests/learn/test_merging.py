"""Groups of values: rare ones together, and those that a class is alike in."""

from __future__ import annotations

import numpy as np
import pytest

from miningflow.learn.arrays import Counts
from miningflow.learn.merging import merge_by_error, merge_rarest


def test_the_rarest_go_together() -> None:
    assert merge_rarest([50, 1, 2, 40, 3], least=5) == [[0], [1, 2, 4], [3]]
    assert merge_rarest([50, 1, 2, 40, 3], least=7) == [[0], [1, 2, 3, 4]]
    assert merge_rarest([50, 1, 2, 40, 3], most=2) == [[0], [1, 2, 3, 4]]
    assert merge_rarest([1, 1, 1, 1], most=2) == [[0, 1], [2, 3]]
    assert merge_rarest([1, 2], least=99) == [[0, 1]]
    assert merge_rarest([7], least=99, most=1) == [[0]]


@pytest.mark.parametrize("seed", range(20))
def test_every_group_is_large_enough_or_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = [int(n) for n in rng.integers(1, 30, 40)]
    for groups in (merge_rarest(sizes, least=25), merge_rarest(sizes, most=6)):
        assert sorted(i for group in groups for i in group) == list(range(40))
    assert min(sum(sizes[i] for i in g) for g in merge_rarest(sizes, least=25)) >= 25
    assert len(merge_rarest(sizes, most=6)) == 6


def _error(counts: Counts, groups: list[list[int]]) -> int:
    return sum(int(counts[g].sum() - counts[g].sum(axis=0).max()) for g in groups)


@pytest.mark.parametrize("seed", range(20))
def test_values_of_one_majority_add_no_error(seed: int) -> None:
    counts = np.random.default_rng(seed).integers(0, 9, (12, 4)) + 1
    groups = merge_by_error(counts)
    assert _error(counts, groups) == _error(counts, [[i] for i in range(12)])
    assert len(groups) == len(set(counts.argmax(axis=1).tolist()))
    assert sorted(i for group in groups for i in group) == list(range(12))


@pytest.mark.parametrize("seed", range(20))
def test_one_group_fewer_costs_as_little_as_possible(seed: int) -> None:
    counts = np.random.default_rng(seed).integers(0, 9, (12, 4)) + 1
    groups = merge_by_error(counts)
    if len(groups) < 2:
        return
    possible = [
        _error(counts, [g for g in groups if g not in (one, other)] + [one + other])
        for i, one in enumerate(groups)
        for other in groups[:i]
    ]
    fewer = merge_by_error(counts, most=len(groups) - 1)
    assert len(fewer) == len(groups) - 1
    assert _error(counts, fewer) == min(possible)


def test_a_small_group_joins_the_nearest() -> None:
    counts = np.array([[20, 0, 1], [0, 20, 9], [0, 2, 3]])
    assert merge_by_error(counts, least=5) == [[0], [1], [2]]
    assert merge_by_error(counts, least=6) == [[0], [1, 2]]
    assert merge_by_error(counts, least=999) == [[0, 1, 2]]
