"""Searches by alignment, against kernel matrices built from nothing for every candidate."""

import warnings
from typing import Literal, Self

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array
from sklearn.preprocessing import StandardScaler
from support.drawn_examples import drawn

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.selection import AlignmentSelector, AlignmentStep, align_from_statistics
from miningflow.learn.selection.alignment.linear import LinearAlignment, LinearProblem
from miningflow.learn.selection.alignment.products import (
    DenseProducts,
    GramProducts,
    Products,
    SparseProducts,
)
from miningflow.learn.selection.alignment.quadratic import QuadraticAlignment, QuadraticProblem
from miningflow.learn.selection.alignment.search import decremental
from miningflow.learn.selection.alignment.targets import ideal_targets
from miningflow.learn.selection.progress import Progress

KernelName = Literal["linear", "quadratic"]


def alignment(X: Matrix, T: Matrix, kernel: KernelName = "linear") -> float:
    K = X @ X.T if kernel == "linear" else (1 + X @ X.T) ** 2
    norms = np.sqrt((K * K).sum() * (T * T).sum())
    return float((K * T).sum() / norms) if norms > 0 else 0.0


def naive_incremental(X: Matrix, T: Matrix, kernel: KernelName = "linear") -> list[int]:
    """The paper's algorithm 1, with a new kernel matrix for each candidate."""
    chosen: list[int] = []
    current = 0.0
    while candidates := [column for column in range(X.shape[1]) if column not in chosen]:
        after = [alignment(X[:, [*chosen, column]], T, kernel) for column in candidates]
        best = int(np.argmax(after))
        if after[best] <= current:
            break
        chosen.append(candidates[best])
        current = after[best]
    return chosen


def naive_decremental(X: Matrix, T: Matrix, kernel: KernelName) -> list[int]:
    """The paper's algorithm 2 without its optional step, with a new matrix for each candidate."""
    chosen = list(range(X.shape[1]))
    current = alignment(X, T, kernel)
    while len(chosen) > 1:
        rest = [[other for other in chosen if other != column] for column in chosen]
        after = [alignment(X[:, each], T, kernel) for each in rest]
        best = int(np.argmax(after))
        if after[best] < current:
            break
        chosen, current = rest[best], after[best]
    return chosen


def ideal_kernel(y: Indices, balanced: bool = False) -> Matrix:
    if balanced:
        labels = np.where(y == 1, 1 / (y == 1).sum(), -1 / (y == 0).sum())
    else:
        labels = np.where(y == 1, 1.0, -1.0)
    return np.outer(labels, labels)


def problem(seed: int, n: int = 60, m: int = 12) -> tuple[Matrix, Indices]:
    """Columns of different scales and offsets, of which three have to do with the target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m)) * rng.uniform(0.5, 2, size=m) + rng.normal(size=m)
    y = (X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(size=n) > 0).astype(np.intp)
    return X, y


def order(selector: AlignmentSelector) -> list[int]:
    return [column for step in selector.trace_ for column in step.changed]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("balanced", [False, True])
def test_linear_incremental_is_the_naive_algorithm(seed: int, balanced: bool) -> None:
    X, y = problem(seed)
    selector = AlignmentSelector(balanced=balanced).fit(X, y)
    T = ideal_kernel(y, balanced)
    expected = naive_incremental(X, T)
    assert order(selector) == expected
    for step in selector.trace_:
        assert step.alignment == pytest.approx(alignment(X[:, expected[: step.size]], T), rel=1e-10)
    assert selector.alignment_ == selector.trace_[-1].alignment


@pytest.mark.parametrize("seed", range(20))
def test_sparse_rows_and_statistics_give_the_same_selection(seed: int) -> None:
    X = random_array((80, 40), density=0.15, rng=np.random.default_rng(seed), format="csr")
    y = (X.toarray()[:, :5].sum(axis=1) > 0.4).astype(np.intp)
    labels = np.where(y == 1, 1.0, -1.0)
    dense, sparse = (AlignmentSelector().fit(each, y) for each in (X.toarray(), X))
    path = align_from_statistics((X.T @ X).toarray(), X.T @ labels, len(y))
    expected = naive_incremental(X.toarray(), ideal_kernel(y))
    assert order(sparse) == order(dense) == [step.changed[0] for step in path.steps] == expected
    np.testing.assert_array_equal(path.support, dense.support_)
    np.testing.assert_allclose(path.scores, dense.scores_, atol=1e-12)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kernel", ["linear", "quadratic"])
def test_single_removals_are_the_naive_algorithm(seed: int, kernel: KernelName) -> None:
    X, y = problem(seed, n=40, m=9)
    X = StandardScaler().fit_transform(X)
    selector = AlignmentSelector("decremental", kernel=kernel, batch=False).fit(X, y)
    expected = naive_decremental(X, ideal_kernel(y), kernel)
    assert selector.get_support(indices=True).tolist() == expected


@pytest.mark.parametrize("seed", range(10))
def test_quadratic_incremental_is_the_naive_algorithm(seed: int) -> None:
    X, y = problem(seed, n=40, m=9)
    X = StandardScaler().fit_transform(X)
    selector = AlignmentSelector(kernel="quadratic").fit(X, y)
    assert order(selector) == naive_incremental(X, ideal_kernel(y), "quadratic")


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_decremental_from_statistics(seed: int, batch: bool) -> None:
    X, y = problem(seed)
    labels = np.where(y == 1, 1.0, -1.0)
    selector = AlignmentSelector("decremental", batch=batch).fit(X, y)
    path = align_from_statistics(X.T @ X, X.T @ labels, len(y), method="decremental", batch=batch)
    assert [step.changed for step in path.steps] == [step.changed for step in selector.trace_]
    np.testing.assert_array_equal(path.support, selector.support_)


def test_a_batch_holds_what_can_go_and_never_lowers_the_alignment() -> None:
    X, y = problem(3, n=80, m=30)
    X = StandardScaler().fit_transform(X)
    T = ideal_kernel(y)
    selector = AlignmentSelector("decremental", kernel="quadratic").fit(X, y)
    inside = list(range(30))
    for before, step in zip(selector.trace_, selector.trace_[1:], strict=False):
        free = {
            column
            for column in inside
            if alignment(X[:, [c for c in inside if c != column]], T, "quadratic")
            >= before.alignment * (1 - 1e-12)
        }
        assert set(step.changed) <= free
        inside = [column for column in inside if column not in step.changed]
        assert step.alignment >= before.alignment * (1 - 1e-12)
        assert step.alignment == pytest.approx(alignment(X[:, inside], T, "quadratic"), rel=1e-10)
    assert max(len(step.changed) for step in selector.trace_) > 5
    assert selector.get_support(indices=True).tolist() == inside


# Columns that are constant, all zero, copies of another, or a million times another.
columns = st.lists(
    st.tuples(st.sampled_from(["normal", "zero", "one", "copy", "binary"]), st.integers(-6, 6)),
    min_size=1,
    max_size=7,
)


def generated(kinds: list[tuple[str, int]], n: int, seed: int) -> tuple[Matrix, Indices]:
    rng = np.random.default_rng(seed)
    made: list[Matrix] = []
    for kind, power in kinds:
        column = rng.normal(size=n)
        if kind == "zero":
            column = np.zeros(n)
        elif kind == "one":
            column = np.full(n, 0.1)
        elif kind == "binary":
            column = (column > 0).astype(np.float64)
        elif kind == "copy" and made:
            column = made[0]
        made.append(column * 10.0**power if kind != "copy" else column)
    y = (rng.permutation(n) < rng.integers(1, n)).astype(np.intp)
    return np.column_stack(made), y


@settings(max_examples=drawn(150), deadline=None)
@given(columns, st.integers(3, 12), st.integers(0, 10**6))
def test_neighbours_of_any_linear_set(kinds: list[tuple[str, int]], n: int, seed: int) -> None:
    X, y = generated(kinds, n, seed)
    targets, T = ideal_targets(y, balanced=False), ideal_kernel(y)
    inside = np.random.default_rng(seed).integers(2, size=X.shape[1]).astype(bool)
    sources: list[Products] = [
        DenseProducts(X),
        SparseProducts(csr_array(X)),
        GramProducts(X.T @ X),
    ]
    for products in sources:
        aligned = LinearAlignment(LinearProblem.of(products, X.T @ targets, len(y)), inside)
        assert aligned.alignment == pytest.approx(alignment(X[:, inside], T), rel=1e-6, abs=1e-12)
        added, removed = aligned.added(), aligned.removed()
        for column in range(X.shape[1]):
            toggled = inside.copy()
            toggled[column] ^= True
            expected = pytest.approx(alignment(X[:, toggled], T), rel=1e-6, abs=1e-10)
            if inside[column]:
                assert removed[column] == expected
                assert added[column] == -np.inf
                assert aligned.without(np.array([column])).alignment == expected
            else:
                assert added[column] == expected
                assert removed[column] == -np.inf
                assert aligned.with_column(column).alignment == expected


@settings(max_examples=drawn(100), deadline=None)
@given(columns, st.integers(3, 12), st.integers(0, 10**6))
def test_neighbours_of_any_quadratic_set(kinds: list[tuple[str, int]], n: int, seed: int) -> None:
    X, y = generated(kinds, n, seed)
    targets, T = ideal_targets(y, balanced=False), ideal_kernel(y)
    inside = np.random.default_rng(seed).integers(2, size=X.shape[1]).astype(bool)
    aligned = QuadraticAlignment(QuadraticProblem.of(X, targets), inside)
    added, removed = aligned.added(), aligned.removed()
    for column in range(X.shape[1]):
        toggled = inside.copy()
        toggled[column] ^= True
        after = removed if inside[column] else added
        expected = alignment(X[:, toggled], T, "quadratic")
        assert after[column] == pytest.approx(expected, rel=1e-6, abs=1e-10)
        assert (added if inside[column] else removed)[column] == -np.inf


@settings(max_examples=drawn(60), deadline=None)
@given(
    columns,
    st.integers(3, 12),
    st.integers(0, 10**6),
    st.sampled_from(["one_shot", "incremental", "decremental"]),
    st.sampled_from(["linear", "quadratic"]),
)
def test_any_columns_can_be_searched(
    kinds: list[tuple[str, int]],
    n: int,
    seed: int,
    method: Literal["one_shot", "incremental", "decremental"],
    kernel: KernelName,
) -> None:
    X, y = generated(kinds, n, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector = AlignmentSelector(method, kernel=kernel).fit(X, y)
        limited = AlignmentSelector(method, kernel=kernel, keep=(X.shape[1] + 1) // 2).fit(X, y)
    assert 1 <= selector.support_.sum() <= X.shape[1]
    assert np.isfinite(selector.scores_).all()
    assert 0 <= selector.alignment_ <= 1 + 1e-12
    assert limited.support_.sum() == (X.shape[1] + 1) // 2


def toy(n: int, rng: np.random.Generator) -> tuple[Matrix, Mask]:
    """The nonlinear problem of Weston et al. (2000): two columns decide, 50 are noise."""
    y = rng.random(n) < 0.5
    side = rng.choice([-1.0, 1.0], n)
    X = rng.normal(0, 20, size=(n, 52))
    X[:, :2] = rng.normal(size=(n, 2))
    X[:, 0] += side * np.where(y, 3, 0.75)
    X[:, 1] += side * np.where(y, -3, 3)
    return X, y


def exact_solutions(n: int, runs: int, batch: bool) -> float:
    exact = 0
    for seed in range(runs):
        selector = AlignmentSelector("decremental", kernel="quadratic", batch=batch)
        selector.fit(*toy(n, np.random.default_rng(seed)))
        exact += selector.get_support(indices=True).tolist() == [0, 1]
    return exact / runs


# Table 4 of the paper has 38.6, 95.9 and 100 % for single removals; that of n = 50 does not come
# out. Fewer runs have wider bars.
@pytest.mark.parametrize(
    ("n", "batch", "lowest", "highest"),
    [
        (50, False, 0.15, 0.45),
        (50, True, 0.36, 0.70),
        (100, False, 0.85, 1.0),
        (100, True, 0.9, 1.0),
    ],
)
def test_exact_solutions_of_the_nonlinear_problem(
    n: int, batch: bool, lowest: float, highest: float
) -> None:
    assert lowest <= exact_solutions(n, 60, batch) <= highest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "batch", "lowest", "highest"),
    [
        (50, False, 0.24, 0.36),
        (50, True, 0.48, 0.65),
        (100, False, 0.93, 1.0),
        (100, True, 0.93, 1.0),
        (150, False, 0.99, 1.0),
        (150, True, 0.99, 1.0),
    ],
)
def test_exact_solutions_in_500_runs(n: int, batch: bool, lowest: float, highest: float) -> None:
    assert lowest <= exact_solutions(n, 500, batch) <= highest


def test_a_batch_does_not_lose_both_copies_of_what_is_relevant() -> None:
    kept = 0
    for seed in range(20):
        X, y = toy(100, np.random.default_rng(seed))
        selector = AlignmentSelector("decremental", kernel="quadratic")
        support = selector.fit(np.column_stack([X, X[:, :2]]), y).support_
        kept += (support[0] or support[52]) and (support[1] or support[53])
    assert kept == 20


class EitherButNotBoth:
    """Three columns, of which the first or the second can go."""

    def __init__(self, inside: Mask) -> None:
        self.inside = inside

    @property
    def alignment(self) -> float:
        return {3: 0.5, 2: 0.6, 1: 0.2}[int(self.inside.sum())]

    def added(self) -> Matrix:
        raise AssertionError

    def removed(self) -> Matrix:
        after = np.array([0.6, 0.6, 0.1]) if self.inside.all() else np.full(3, 0.1)
        return np.where(self.inside, after, -np.inf)

    def with_column(self, column: int) -> Self:
        raise AssertionError

    def without(self, columns: Indices) -> Self:
        inside = self.inside.copy()
        inside[columns] = False
        return type(self)(inside)


def test_a_batch_that_lowers_the_alignment_is_halved() -> None:
    progress: Progress[AlignmentStep] = Progress()
    decremental(EitherButNotBoth(np.ones(3, dtype=bool)), None, None, True, progress)
    assert [step.changed for step in progress.entries] == [(), (0,)]
