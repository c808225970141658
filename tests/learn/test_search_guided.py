"""The guided search: what columns contribute, the way down, and what is chosen from it."""

from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from miningflow.learn.arrays import Matrix
from miningflow.learn.selection import XiAlphaSelector
from miningflow.learn.selection.kernels import LinearKernel, RadialKernel

KernelName = Literal["linear", "radial"]
KERNELS: tuple[KernelName, ...] = ("linear", "radial")


def toy(n: int, noise: int, seed: int) -> tuple[Matrix, Matrix]:
    """Two columns decide; the others are noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2 + noise))
    return X, np.where(X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)


def test_a_linear_contribution_is_what_a_column_adds_to_the_squared_normal() -> None:
    rng = np.random.default_rng(1)
    columns, signed = rng.normal(size=(12, 4)), rng.normal(size=12)
    whole = np.sum((signed @ columns) ** 2)
    found = LinearKernel().contributions(columns, signed, columns @ columns.T)
    for at in range(4):
        rest = np.delete(columns, at, axis=1)
        assert found[at] == pytest.approx(whole - np.sum((signed @ rest) ** 2))


def test_a_radial_contribution_is_half_the_derivative_by_the_width_of_a_column() -> None:
    rng = np.random.default_rng(2)
    columns, signed = rng.normal(size=(12, 4)), rng.normal(size=12)

    def squared_normal(widths: Matrix) -> float:
        scaled = columns * np.sqrt(widths)
        distances = ((scaled[:, None] - scaled[None]) ** 2).sum(axis=2)
        return float(signed @ np.exp(-distances) @ signed)

    widths = np.full(4, 0.3)
    matrix = np.exp(-0.3 * ((columns[:, None] - columns[None]) ** 2).sum(axis=2))
    found = RadialKernel().contributions(columns, signed, matrix)
    for at in range(4):
        step = 1e-6 * (np.arange(4) == at)
        slope = (squared_normal(widths + step) - squared_normal(widths - step)) / 2e-6
        assert found[at] == pytest.approx(abs(slope) / 2, rel=1e-4)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("seed", range(3))
def test_the_signal_is_kept_and_noise_dropped(kernel: KernelName, seed: int) -> None:
    X, y = toy(200, 18, seed)
    selector = XiAlphaSelector(kernel).fit(X, y)
    assert {0, 1} <= set(selector.get_support(indices=True))
    assert selector.support_.sum() <= (12 if kernel == "linear" else 16)
    assert selector.estimate_ == "nested_cross_validation"


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_way_drops_one_group_at_a_time_down_to_one(kernel: KernelName) -> None:
    X, y = toy(60, 6, 0)
    selector = XiAlphaSelector(kernel).fit(X, y)
    way = [t for t in selector.trace_ if t.changed is not None or t.level == 0]
    assert [len(t.subset) for t in way] == [8, 7, 6, 5, 4, 3, 2, 1]
    for before, after in pairwise(way):
        assert set(before.subset) - set(after.subset) == {after.changed}
    accepted = [t for t in selector.trace_ if t.accepted]
    assert accepted[-1].subset == tuple(selector.get_support(indices=True))


@pytest.mark.parametrize("keep", [1, 2, 5, 8])
def test_exactly_so_many_are_kept(keep: int) -> None:
    X, y = toy(60, 6, 0)
    selector = XiAlphaSelector(keep=keep).fit(X, y)
    assert selector.support_.sum() == keep
    assert selector.estimate_ == "xi_alpha"


@pytest.mark.parametrize("keep", [95, 104, 119, 120])
def test_many_columns_are_dropped_by_the_share_but_never_too_many(keep: int) -> None:
    X, y = toy(40, 118, 0)
    selector = XiAlphaSelector(keep=keep).fit(X, y)
    assert selector.support_.sum() == keep
    assert selector.support_[:2].all()
    sizes = [len(t.subset) for t in selector.trace_ if t.accepted]
    assert sizes == {95: [120, 108, 98, 97, 96, 95], 104: [120, 108, 104]}.get(
        keep, list(range(120, keep - 1, -1))
    )


def test_groups_go_together_and_useless_ones_go_first() -> None:
    X, y = toy(120, 0, 3)
    X = np.column_stack([np.zeros(120), X, np.ones(120), X[:, 1]])
    selector = XiAlphaSelector(groups=[0, 1, 2, 3, 2]).fit(X, y)
    dropped = [t.changed for t in selector.trace_ if t.changed is not None]
    assert dropped[:2] == [0, 3]
    assert selector.get_support(indices=True).tolist() == [1, 2, 4]


def kernels(X: Matrix, kernel: KernelName) -> Matrix:
    """Computes the kernel matrix of centred columns, from nothing."""
    variance = float(X.var(axis=0).sum())
    if kernel == "linear":
        products: Matrix = X @ X.T / variance
        return products
    radial: Matrix = np.exp(-cdist(X, X, "sqeuclidean") / variance)
    return radial


def contribution(column: Matrix, signed: Matrix, matrix: Matrix, kernel: KernelName) -> float:
    """Computes what a column contributes, by the definition."""
    if kernel == "linear":
        return float(np.square(signed @ column))
    products = matrix * np.outer(signed, signed)
    return abs(float(np.sum(products * np.subtract.outer(column, column) ** 2)))


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_error_of_a_number_is_that_of_searches_without_a_fold(kernel: KernelName) -> None:
    X, y = toy(60, 4, 1)
    X = X - X.mean(axis=0)  # the kernels of a fold are cut from those of all rows
    selector = XiAlphaSelector(kernel, folds=3, tolerance=1e-9).fit(X, y)
    found = {len(t.subset): t.error for t in selector.trace_ if t.accepted}
    wrong = dict.fromkeys(range(1, 7), 0)
    for learn, test in StratifiedKFold(3).split(X, y):
        left = list(range(6))
        while left:
            matrix = kernels(X[:, left], kernel)
            cut = matrix[np.ix_(learn, learn)]
            machine = SVC(kernel="precomputed", tol=1e-9).fit(cut, y[learn])
            said = machine.predict(matrix[np.ix_(test, learn)])
            wrong[len(left)] += int(np.sum(said != y[test]))
            rows, signed = learn[machine.support_], machine.dual_coef_[0]
            inner = matrix[np.ix_(rows, rows)]
            weights = [contribution(X[rows, c], signed, inner, kernel) for c in left]
            del left[int(np.argmin(weights))]
    assert found == {size: count / 60 for size, count in wrong.items()}


def test_the_least_error_is_chosen_and_the_smallest_of_equals() -> None:
    X, y = toy(90, 7, 4)
    selector = XiAlphaSelector().fit(X, y)
    least = min(t.error for t in selector.trace_)
    assert selector.support_.sum() == min(
        len(t.subset) for t in selector.trace_ if t.error == least
    )


def test_tiny_classes_are_no_reason_to_fail() -> None:
    X, _ = toy(20, 2, 0)
    selector = XiAlphaSelector().fit(X, [1, *[0] * 19])
    assert selector.support_.any()


def test_a_guided_search_goes_backward_only() -> None:
    with pytest.raises(ValueError, match="goes backward"):
        XiAlphaSelector(search="guided", direction="forward").fit(*toy(20, 2, 0))
