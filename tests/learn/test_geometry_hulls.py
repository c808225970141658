"""Geometric properties against ranks of the rows themselves, one decomposition per question."""

from collections.abc import Callable
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from support.default_run import first_only
from support.drawn_examples import drawn

from miningflow.learn.arrays import Codes, Mask, Matrix
from miningflow.learn.selection import GeometrySelector
from miningflow.learn.selection.geometry.gram import GramClouds
from miningflow.learn.selection.geometry.hulls import Clouds
from miningflow.learn.selection.geometry.scatter import ScatterClouds
from miningflow.learn.selection.geometry.splits import count_of_sets, group_subsets, label_splits


def affine_dimension(rows: Matrix) -> int:
    """The paper's definition: the rank of the differences to the last row."""
    return int(np.linalg.matrix_rank(rows[:-1] - rows[-1])) if len(rows) > 1 else 0


def naive_properties(X: Matrix, positive: Mask) -> tuple[float, ...]:
    def ratio(rows: Matrix, ambient: Matrix) -> float:
        present = int(ambient.any(axis=0).sum())
        return affine_dimension(rows) / present if present else 0.0

    def in_hull(row: Matrix, rows: Matrix) -> bool:
        return affine_dimension(np.vstack([row, rows])) == affine_dimension(rows)

    over, under = X[positive], X[~positive]
    in_both = sum(in_hull(row, over) and in_hull(row, under) for row in X)
    return (
        ratio(over, over),
        ratio(under, under),
        ratio(over, X),
        ratio(under, X),
        ratio(X, X),
        in_both / len(X),
    )


def assert_naive(X: Matrix, y: Codes, groups: Codes, given_as: Callable[[Matrix], Any]) -> None:
    trace = GeometrySelector(groups).fit(given_as(X), y).trace_
    for judged in trace:
        assert judged.properties is not None
        inside, positive = np.isin(groups, judged.groups), np.isin(y, judged.positive)
        expected = naive_properties(X[:, inside], positive)
        np.testing.assert_allclose(astuple(judged.properties), expected, atol=1e-12)


def classes_of(rng: np.random.Generator, n: int, classes: int) -> Codes:
    y = rng.integers(0, classes, size=n)
    y[:classes] = np.arange(classes)
    return y.astype(np.intp)


FORMS: list[Callable[[Matrix], Any]] = [np.asarray, csr_matrix, csr_array]


@pytest.mark.parametrize("given_as", FORMS)
@pytest.mark.parametrize(("n", "m"), [(60, 20), (30, 31), (20, 60), (40, 40)])
@pytest.mark.parametrize("density", first_only([0.05, 0.3], 1))
@pytest.mark.parametrize("high", [1, 9])
def test_words_and_counts_have_the_naive_properties(
    n: int, m: int, density: float, high: int, given_as: Callable[[Matrix], Any]
) -> None:
    rng = np.random.default_rng([n, m, high])
    X = (rng.random((n, m)) < density) * rng.integers(1, high + 1, size=(n, m)).astype(float)
    X[:, 3], X[:, 5] = X[:, 4], 0
    X[n // 2 : n // 2 + 3] = X[0]
    assert_naive(X, classes_of(rng, n, 3), rng.integers(0, 3, size=m), given_as)


@pytest.mark.parametrize(("n", "m"), [(40, 9), (12, 30)])
@pytest.mark.parametrize("seed", range(3))
def test_numbers_of_many_scales_have_the_naive_properties(n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Of 2 parts, so that there are hulls without some of the rows.
    X = rng.normal(size=(n, m)) * 10.0 ** rng.integers(-2, 3, size=m)
    X[: n // 2, : m // 2] = 0
    assert_naive(X, classes_of(rng, n, 2), np.arange(m) % 3, np.asarray)


small_matrices = st.integers(2, 9).flatmap(
    lambda n: st.integers(1, 9).flatmap(
        lambda m: st.lists(
            st.lists(st.integers(-2, 2), min_size=m, max_size=m), min_size=n, max_size=n
        )
    )
)


@settings(max_examples=drawn(80), deadline=None)
@given(small_matrices, st.integers(0, 2**16))
def test_any_small_integers_have_the_naive_properties(rows: list[list[int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = np.array(rows, dtype=float)
    y = classes_of(rng, len(X), 2 + int(len(X) > 4))
    groups = rng.integers(0, 2, size=(X.shape[1],))
    for given_as in FORMS:
        assert_naive(X, y, groups, given_as)


@settings(max_examples=drawn(40), deadline=None)
@given(small_matrices, st.integers(0, 2**16))
def test_scatter_and_products_give_the_same_hulls(rows: list[list[int]], seed: int) -> None:
    X = np.array(rows, dtype=float)
    codes = classes_of(np.random.default_rng(seed), len(X), 2)
    members = [np.arange(X.shape[1])]
    forms: list[Clouds] = [
        ScatterClouds.of(X, codes, members),
        GramClouds.of(X, codes, members),
        GramClouds.of(csr_array(X), codes, members),
    ]
    for classes in ([True, False], [False, True], [True, True]):
        hulls = {form.on([0]).hull(np.array(classes)) for form in forms}
        assert len(hulls) == 1


def test_rounding_does_not_make_dimensions() -> None:
    """The ranks of numpy count differences of 1e-15 here: the exact dimension is 3."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 12)) + 100
    codes = classes_of(rng, 40, 2)
    for form in (ScatterClouds, GramClouds):
        rows = form.of(X, codes, [np.arange(12)]).on([0])
        for positive in ([True, False], [False, True]):
            hull = rows.hull(np.array(positive))
            assert hull.dimension == 3
            assert hull.others_inside == np.count_nonzero(codes == positive.index(False))


def test_splits_are_all_divisions_without_mirror_images() -> None:
    for classes in range(2, 7):
        splits = label_splits(classes)
        divisions = {frozenset([tuple(each), tuple(~each)]) for each in splits}
        assert len(divisions) == len(splits) == 2 ** (classes - 1) - 1
        assert all(each.any() and not each[0] for each in splits)
        assert count_of_sets(classes, 3) == len(splits) * len(group_subsets(3))


def test_subsets_come_in_the_order_of_their_size() -> None:
    assert group_subsets(3) == ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
