"""The ξα selector: estimate against leave-one-out, search, and scikit-learn's own checks."""

import pickle
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from support.default_run import first_only

from miningflow.learn.arrays import Mask, Matrix
from miningflow.learn.selection import Trial, XiAlphaSelector
from miningflow.learn.selection.estimates import XiAlphaEstimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.kernels import LinearKernel, RadialKernel

KernelName = Literal["linear", "radial"]
Direction = Literal["backward", "forward"]
Search = Literal["greedy", "floating", "beam"]
EstimateName = Literal["xi_alpha", "span", "cross_validation"]
SEARCHES: tuple[Search, ...] = ("greedy", "floating", "beam")


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [
        XiAlphaSelector(),
        XiAlphaSelector("radial", search="greedy", accept_equal=True),
        XiAlphaSelector("radial", estimate="span"),
        XiAlphaSelector(direction="forward"),
        XiAlphaSelector(search="floating", estimate="span"),
        XiAlphaSelector(search="beam", estimate="cross_validation", folds=3, screen=2),
    ]
)
def test_scikit_learn_checks(
    estimator: XiAlphaSelector, check: Callable[[XiAlphaSelector], None]
) -> None:
    check(estimator)


def toy(n: int = 150, noise: int = 8, seed: int = 0) -> tuple[Matrix, Mask]:
    """Two columns decide; the others are noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2 + noise))
    return X, X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=n) > 0


def kernel_matrix(X: Matrix, kernel: KernelName) -> Matrix:
    X = X - X.mean(axis=0)
    if kernel == "linear":
        products: Matrix = linear_kernel(X)
        return products / float(np.trace(products) / len(X))
    radial: Matrix = rbf_kernel(X, gamma=1 / (X.shape[1] * X.var()))
    return radial


def left_out_errors(matrix: Matrix, signs: Matrix, C: float) -> int:
    errors = np.zeros(len(signs), dtype=bool)
    for row in range(len(signs)):
        rest = np.arange(len(signs)) != row
        machine = SVC(kernel="precomputed", C=C, tol=1e-6).fit(matrix[rest][:, rest], signs[rest])
        errors[row] = machine.decision_function(matrix[[row]][:, rest])[0] * signs[row] <= 0
    return int(errors.sum())


@pytest.mark.parametrize("kernel", ["linear", "radial"])
@pytest.mark.parametrize("C", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("seed", first_only([1, 2, 3], 1))
def test_the_estimate_is_not_below_leave_one_out(kernel: KernelName, C: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    signs = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0.2, 1.0, -1.0)
    selector = XiAlphaSelector(kernel, C=C, tolerance=1e-6, estimate="xi_alpha").fit(X, signs)
    estimated = round(selector.trace_[0].error * len(X))
    assert left_out_errors(kernel_matrix(X, kernel), signs, C) <= estimated <= len(X)


@pytest.mark.parametrize("rho", [1.0, 2.0])
@pytest.mark.parametrize("kernel", ["linear", "radial"])
def test_the_estimate_is_the_formula(kernel: KernelName, rho: float) -> None:
    X, y = toy(60)
    signs = np.where(y, 1.0, -1.0)
    matrix = kernel_matrix(X, kernel)
    machine = SVC(kernel="precomputed", tol=1e-6).fit(matrix, signs)
    alpha = np.zeros(60)
    alpha[machine.support_] = machine.dual_coef_[0] * signs[machine.support_]
    assert (alpha >= 0).all()
    slack = np.maximum(0, 1 - signs * machine.decision_function(matrix))
    radius = matrix.max() - matrix.min() if kernel == "linear" else matrix.max()
    form = LinearKernel() if kernel == "linear" else RadialKernel()
    gram = ColumnGroups.of(X, range(10), form).subset(range(10))
    estimate = XiAlphaEstimate(signs, C=1.0, rho=rho, tolerance=1e-6)
    assert estimate(gram) == np.mean(rho * alpha * radius + slack >= 1)


# With 150 rows a radial search from seed 0 stops with 6 of the 8 noise columns (mean of 8
# seeds: 0.75): greedy steps need enough rows for the estimate to tell neighbours apart.
@pytest.mark.parametrize("kernel", ["linear", "radial"])
@pytest.mark.parametrize("seed", range(4))
def test_backward_drops_the_noise_and_keeps_the_signal(kernel: KernelName, seed: int) -> None:
    X, y = toy(300, seed=seed)
    selector = XiAlphaSelector(kernel, search="greedy", accept_equal=True).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1]
    assert selector.error_ < selector.trace_[0].error


@pytest.mark.parametrize("kernel", ["linear", "radial"])
@pytest.mark.parametrize("seed", range(4))
def test_forward_takes_the_signal_first(kernel: KernelName, seed: int) -> None:
    X, y = toy(300, seed=seed)
    selector = XiAlphaSelector(kernel, direction="forward").fit(X, y)
    taken = [trial.changed for trial in selector.trace_ if trial.accepted][1:3]
    assert set(taken) == {0, 1}


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_the_trace_is_a_greedy_search(direction: Direction) -> None:
    X, y = toy(80, noise=4)
    selector = XiAlphaSelector(direction=direction, search="greedy").fit(X, y)
    start = tuple(range(6)) if direction == "backward" else ()
    current = selector.trace_[0]
    assert current == Trial(0, start, None, current.error, True)
    for level in range(1, selector.trace_[-1].level + 1):
        trials = [trial for trial in selector.trace_ if trial.level == level]
        neighbours = (
            current.subset if direction == "backward" else set(range(6)) - {*current.subset}
        )
        assert [trial.changed for trial in trials] == sorted(neighbours)
        assert all({*trial.subset} ^ {*current.subset} == {trial.changed} for trial in trials)
        best = min(trials, key=lambda trial: trial.error)
        accepted = [trial for trial in trials if trial.accepted]
        assert accepted == ([best] if best.error < current.error else [])
        current = accepted[0] if accepted else current
    assert current.level >= 1
    assert selector.error_ == current.error
    assert selector.get_support(indices=True).tolist() == list(current.subset)


def test_each_error_in_the_trace_is_that_of_its_subset_alone() -> None:
    X, y = toy(80, noise=4)
    for trial in XiAlphaSelector("radial", search="greedy", tolerance=1e-6).fit(X, y).trace_:
        alone = XiAlphaSelector("radial", search="greedy", tolerance=1e-6)
        alone.fit(X[:, list(trial.subset)], y)
        assert trial.error == pytest.approx(alone.trace_[0].error, abs=1.5 / 80)


def test_forward_starts_from_the_share_of_the_smaller_class() -> None:
    X, _ = toy(40)
    y = np.array(["rare"] * 7 + ["usual"] * 33)
    assert XiAlphaSelector(direction="forward").fit(X, y).trace_[0].error == 7 / 40


@pytest.mark.parametrize("kernel", ["linear", "radial"])
@pytest.mark.parametrize("seed", range(4))
def test_accepting_equals_drops_at_least_as_many(kernel: KernelName, seed: int) -> None:
    X, y = toy(60, seed=seed)
    strict = XiAlphaSelector(kernel).fit(X, y)
    equal = XiAlphaSelector(kernel, accept_equal=True).fit(X, y)
    assert equal.support_.sum() <= strict.support_.sum()
    assert equal.error_ <= strict.error_


def test_columns_of_one_group_stay_together() -> None:
    X, y = toy(120, noise=6)
    groups = [7, 3, 3, 7, 10, 10, 12, 12]
    selector = XiAlphaSelector(groups=groups, accept_equal=True).fit(X, y)
    for group in set(groups):
        assert len(set(selector.support_[np.array(groups) == group])) == 1
    assert selector.trace_[0].subset == (3, 7, 10, 12)
    assert selector.support_[:4].all()
    assert selector.group_support_[:2].all() and len(selector.group_support_) == 4
    assert selector.support_.sum() == 2 * selector.group_support_.sum()


def test_the_first_of_equal_candidates_goes() -> None:
    X, y = toy(100, noise=0)
    X = np.column_stack([X, X[:, 0], X[:, 1], np.ones(100)])
    selector = XiAlphaSelector(accept_equal=True).fit(X, y)
    for level in range(1, selector.trace_[-1].level + 1):
        trials = [trial for trial in selector.trace_ if trial.level == level]
        lowest = min(trial.error for trial in trials)
        first = next(trial for trial in trials if trial.error == lowest)
        assert [trial for trial in trials if trial.accepted] in ([], [first])
    again = XiAlphaSelector(accept_equal=True).fit(X, y)
    assert again.trace_ == selector.trace_


def test_constant_and_duplicate_columns_are_dropped_on_equal() -> None:
    X, y = toy(200, noise=0)
    X = np.column_stack([np.full(200, 0.1), X, X[:, 0], np.full(200, -3.0)])
    support = XiAlphaSelector(accept_equal=True).fit(X, y).support_
    assert not support[[0, 4]].any()
    assert support[2] and support[1] + support[3] >= 1


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("kernel", ["linear", "radial"])
def test_columns_that_are_all_constant_leave_the_minimum(
    kernel: KernelName, direction: Direction
) -> None:
    X, y = np.full((20, 3), 0.1), np.arange(20) % 3 == 0
    selector = XiAlphaSelector(kernel, direction=direction, accept_equal=True, minimum=2)
    assert selector.fit(X, y).support_.sum() >= 2


@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("minimum", [1, 3, 10])
def test_never_fewer_than_the_minimum(direction: Direction, minimum: int) -> None:
    X, y = toy(60)
    y = np.random.default_rng(9).permutation(y)
    selector = XiAlphaSelector(direction=direction, minimum=minimum).fit(X, y)
    assert selector.support_.sum() >= minimum


@pytest.mark.parametrize("search", ["greedy", "floating", "beam"])
@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("keep", [1, 4, 10])
def test_exactly_as_many_as_asked_for(search: Search, direction: Direction, keep: int) -> None:
    X, y = toy(60)
    selector = XiAlphaSelector(direction=direction, search=search, keep=keep).fit(X, y)
    assert selector.support_.sum() == keep
    if keep == 4:
        assert selector.support_[:2].all()


@pytest.mark.parametrize("kernel", ["linear", "radial"])
@pytest.mark.parametrize("direction", ["backward", "forward"])
@pytest.mark.parametrize("estimate", ["xi_alpha", "span", "cross_validation"])
def test_floating_never_ends_worse_than_greedy(
    kernel: KernelName, direction: Direction, estimate: EstimateName
) -> None:
    X, y = toy(60, noise=4)
    greedy, floating = (
        XiAlphaSelector(kernel, direction=direction, estimate=estimate, folds=3, search=search).fit(
            X, y
        )
        for search in SEARCHES[:2]
    )
    assert floating.error_ <= greedy.error_
    assert floating.trace_[: len(greedy.trace_)] == greedy.trace_


@pytest.mark.parametrize("search", ["greedy", "floating", "beam"])
@pytest.mark.parametrize("estimate", ["span", "cross_validation"])
def test_other_estimates_drop_the_noise_too(search: Search, estimate: EstimateName) -> None:
    X, y = toy(200, noise=4, seed=1)
    selector = XiAlphaSelector(search=search, estimate=estimate, accept_equal=True, folds=5)
    selector.fit(X, y)
    assert selector.support_[:2].all() and selector.support_[2:].sum() <= 2
    last = [trial for trial in selector.trace_ if trial.accepted][-1]
    assert last.error == selector.error_
    assert list(last.subset) == selector.get_support(indices=True).tolist()


@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_screening_leaves_the_best_aligned_groups(direction: Direction) -> None:
    X, y = toy(100, noise=6)
    groups = np.array([5, 2, 2, 5, 9, 9, 1, 1])
    centred, signs = X - X.mean(axis=0), np.where(y, 1.0, -1.0)
    aligned = {}
    for group in np.unique(groups):
        kernel = linear_kernel(centred[:, groups == group])
        aligned[int(group)] = signs @ kernel @ signs / (np.linalg.norm(kernel) * len(signs))
    best = sorted(aligned, key=lambda group: -aligned[group])
    for screen in (1, 2, 3, 4, 7):
        selector = XiAlphaSelector(direction=direction, groups=groups, screen=screen).fit(X, y)
        assert np.unique(groups)[selector.screened_].tolist() == sorted(best[:screen])
        tried = {group for trial in selector.trace_ for group in trial.subset}
        assert tried == set(best[:screen])
        assert not selector.group_support_[~selector.screened_].any()


def test_screening_prefers_the_first_of_copies() -> None:
    X, y = toy(80, noise=0)
    X = np.column_stack([np.zeros(80), *[X[:, 1]] * 4])
    assert XiAlphaSelector(screen=2).fit(X, y).screened_.tolist() == [
        False,
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"keep": 4}, "n_features_to_select=4 groups cannot be kept; there are 3"),
        (
            {"keep": 3, "screen": 2},
            "n_features_to_select=3 groups cannot be kept; screen=2 leaves fewer",
        ),
        ({"minimum": 3, "screen": 2}, "minimum=3 groups cannot be kept; screen=2 leaves fewer"),
        ({"keep": 1, "minimum": 2}, "n_features_to_select=1 is below minimum=2"),
        ({"keep": 0}, "'n_features_to_select' parameter"),
        ({"search": "random"}, "'search' parameter"),
        ({"estimate": "guess"}, "'estimate' parameter"),
        ({"folds": 1}, "'cv' parameter"),
        ({"beam_width": 0}, "'beam_width' parameter"),
    ],
)
def test_settings_that_cannot_be_met_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        XiAlphaSelector(**settings).fit(np.eye(3), [0, 1, 1])


def test_an_impossible_minimum_is_refused() -> None:
    with pytest.raises(ValueError, match="minimum=3 groups cannot be kept; there are 2"):
        XiAlphaSelector(minimum=3, groups=[0, 0, 1]).fit(np.eye(3), [0, 1, 1])


@pytest.mark.parametrize("groups", [[0, 1], [0.5, 1, 2], [[0, 1, 2]]])
def test_wrong_groups_are_refused(groups: Any) -> None:
    with pytest.raises(ValueError, match="one integer per column, 3 of them"):
        XiAlphaSelector(groups=groups).fit(np.eye(3), [0, 1, 1])


def test_three_classes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Only binary classification.*multiclass"):
        XiAlphaSelector().fit(np.eye(6), [0, 1, 2, 0, 1, 2])


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="one class"):
        XiAlphaSelector().fit(np.eye(3), [1, 1, 1])


def test_the_order_of_the_classes_does_not_matter() -> None:
    X, y = toy(80)
    names, flipped = np.where(y, "a", "b"), np.where(y, "b", "a")
    first, second = (XiAlphaSelector(tolerance=1e-8).fit(X, each) for each in (names, flipped))
    np.testing.assert_array_equal(first.support_, second.support_)


def test_the_callback_sees_every_trial_when_it_is_made() -> None:
    X, y = toy(60)
    seen: list[Trial] = []
    selector = XiAlphaSelector(search="greedy", callback=seen.append).fit(X, y)
    assert [(each.subset, each.error) for each in seen] == [
        (each.subset, each.error) for each in selector.trace_
    ]
    assert [each.accepted for each in seen] == [True] + [False] * (len(seen) - 1)


def test_an_interrupt_leaves_the_trace() -> None:
    X, y = toy(60)
    seen: list[Trial] = []

    def interrupt(trial: Trial) -> None:
        seen.append(trial)
        if len(seen) == 5:
            raise KeyboardInterrupt

    selector = XiAlphaSelector(search="greedy", callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, y)
    assert selector.trace_ == tuple(seen)
    assert not hasattr(selector, "support_")


def test_in_a_pipeline() -> None:
    X, y = toy(200)
    pipeline = make_pipeline(StandardScaler(), XiAlphaSelector(), LogisticRegression())
    predicted = clone(pipeline).fit(X[:150], y[:150]).predict(X[150:])
    scaler = StandardScaler().fit(X[:150])
    train, test = scaler.transform(X[:150]), scaler.transform(X[150:])
    kept = XiAlphaSelector().fit(train, y[:150]).support_
    assert kept.sum() < 10
    by_hand = LogisticRegression().fit(train[:, kept], y[:150])
    np.testing.assert_array_equal(predicted, by_hand.predict(test[:, kept]))


def test_pandas_in_and_out() -> None:
    X, y = toy(200, noise=2)
    frame = pd.DataFrame(X, columns=["one", "two", "noise", "more"])
    target = pd.Series(np.where(y, "good", "bad"))
    selector = XiAlphaSelector(accept_equal=True).set_output(transform="pandas")
    chosen = selector.fit_transform(frame, target)
    assert list(chosen.columns) == list(selector.get_feature_names_out())
    assert {"one", "two"} <= set(chosen.columns)
    pd.testing.assert_frame_equal(chosen, frame[list(chosen.columns)])


def test_a_fitted_selector_can_be_pickled() -> None:
    X, y = toy(60, noise=2)
    selector = XiAlphaSelector().fit(X, y)
    assert pickle.loads(pickle.dumps(selector)).trace_ == selector.trace_
