"""Kernel matrices updated group by group against kernels of the columns themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from support.drawn_examples import drawn

from miningflow.learn.arrays import Matrix
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.kernels import LinearKernel, RadialKernel

KERNELS = [LinearKernel(), RadialKernel(), RadialKernel(0.7)]


def naive(
    X: Matrix, groups: list[int], subset: list[int], kernel: LinearKernel | RadialKernel
) -> Matrix:
    kept = X[:, np.isin(groups, subset)]
    kept = kept - kept.mean(axis=0)
    if isinstance(kernel, LinearKernel):
        products: Matrix = linear_kernel(kept)
        return products / float(np.trace(products) / len(X))
    gamma = kernel.gamma or 1 / (kept.shape[1] * kept.var())
    radial: Matrix = rbf_kernel(kept, gamma=gamma)
    return radial


@settings(max_examples=drawn(60), deadline=None)
@given(
    seed=st.integers(0, 10_000),
    groups=st.lists(st.integers(0, 4), min_size=2, max_size=8),
    walk=st.lists(st.integers(0, 4), min_size=1, max_size=15),
    kernel=st.sampled_from(KERNELS),
    full=st.booleans(),
)
def test_any_walk_of_updates_equals_the_kernel_of_its_end(
    seed: int, groups: list[int], walk: list[int], kernel: LinearKernel | RadialKernel, full: bool
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(rng.normal(size=len(groups)), rng.uniform(0.2, 3), (15, len(groups)))
    columns = ColumnGroups.of(X, groups, kernel)
    subset = set(groups) if full else set()
    gram = columns.subset(subset)
    for group in walk:
        if group in columns.parts:
            gram = gram.toggled(group)
            subset ^= {group}
    assert gram.subset == tuple(sorted(subset))
    if subset:
        expected = naive(X, groups, list(subset), kernel)
        np.testing.assert_allclose(gram.matrix, expected, atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_small_columns_survive_the_removal_of_a_huge_one(
    kernel: LinearKernel | RadialKernel,
) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20, 3)) * [1e9, 1e-3, 1e-3]
    gram = ColumnGroups.of(X, [0, 1, 2], kernel).subset([0, 1, 2]).toggled(0)
    np.testing.assert_allclose(gram.matrix, naive(X, [0, 1, 2], [1, 2], kernel), atol=1e-9)


@pytest.mark.parametrize("kernel", [LinearKernel(), RadialKernel()])
def test_constant_columns_have_a_constant_kernel(kernel: LinearKernel | RadialKernel) -> None:
    X = np.full((7, 2), 0.1)
    matrix = ColumnGroups.of(X, [0, 1], kernel).subset([0, 1]).matrix
    np.testing.assert_array_equal(matrix, np.full((7, 7), matrix[0, 0]))


def test_the_linear_kernel_has_a_mean_diagonal_of_one() -> None:
    X = np.random.default_rng(6).normal(4, 9, (30, 5))
    gram = ColumnGroups.of(X, range(5), LinearKernel()).subset(range(5))
    for group in (3, 1, 0):
        assert np.trace(gram.matrix) == pytest.approx(30, rel=1e-12)
        gram = gram.toggled(group)


def test_the_radius_is_the_range_of_a_linear_and_the_maximum_of_a_radial_kernel() -> None:
    matrix = np.array([[2.0, -1.5], [-1.5, 3.0]])
    assert LinearKernel().radius(matrix) == 4.5
    assert RadialKernel().radius(np.array([[1.0, 0.2], [0.2, 1.0]])) == 1.0
