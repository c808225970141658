"""The margin-bound selector: its search, its refusals, the paper's problems, scikit-learn."""

import pickle
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from support.drawn_examples import drawn
from support.margin_problems import (
    KernelName,
    Problem,
    error_on_new_rows,
    linear_problem,
    nonlinear_problem,
)

from miningflow.learn.arrays import Matrix
from miningflow.learn.selection import MarginBoundSelector, MarginTrial
from miningflow.learn.selection.margin.bounds import RadiusMargin, Span
from miningflow.learn.selection.margin.criterion import MarginCriterion
from miningflow.learn.selection.margin.kernels import WeightedPolynomial

BoundName = Literal["radius_margin", "span"]
BOUNDS: list[BoundName] = ["radius_margin", "span"]


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [
        MarginBoundSelector(),
        MarginBoundSelector(1, bound="span", kernel="radial", exact=0),
        MarginBoundSelector(kernel="polynomial", C=1.0, ridge=0, standardize=False),
    ]
)
def test_scikit_learn_checks(
    estimator: MarginBoundSelector, check: Callable[[MarginBoundSelector], None]
) -> None:
    check(estimator)


def toy(n: int = 80, noise: int = 8, seed: int = 0) -> tuple[Matrix, NDArray[np.bool_]]:
    """Two columns decide; the others are noise of very different scales."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2 + noise))
    y = X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=n) > 0
    return X * 10.0 ** rng.uniform(-3, 3, size=2 + noise), y


PROBLEMS: list[tuple[Problem, KernelName, float]] = [
    (linear_problem, "linear", 0.055),
    (nonlinear_problem, "polynomial", 0.07),
]


@pytest.mark.parametrize(("problem", "kernel", "bar"), PROBLEMS)
@pytest.mark.slow
def test_the_problems_of_the_paper(problem: Problem, kernel: KernelName, bar: float) -> None:
    selector = MarginBoundSelector(2, kernel=kernel)
    errors = [error_on_new_rows(problem, kernel, 50, seed, selector) for seed in range(6)]
    assert np.mean(errors) <= bar


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "kernel", "bar"), PROBLEMS)
def test_the_problems_of_the_paper_in_thirty_runs(
    problem: Problem, kernel: KernelName, bar: float
) -> None:
    selector = MarginBoundSelector(2, kernel=kernel)
    errors = [error_on_new_rows(problem, kernel, 50, seed, selector) for seed in range(30)]
    assert np.mean(errors) <= bar


@pytest.mark.slow
def test_the_exact_tail_is_worth_it() -> None:
    exact, gradient = (
        np.mean(
            [
                error_on_new_rows(
                    linear_problem, "linear", 50, seed, MarginBoundSelector(2, exact=tail)
                )
                for seed in range(30)
            ]
        )
        for tail in (12, 0)
    )
    assert exact < 0.75 * gradient


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("kernel", ["linear", "polynomial", "radial"])
@pytest.mark.parametrize("seed", range(3))
def test_the_columns_that_decide_are_kept(bound: BoundName, kernel: KernelName, seed: int) -> None:
    X, y = toy(noise=20, seed=seed)
    selector = MarginBoundSelector(2, bound=bound, kernel=kernel).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1]


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize(("width", "exact", "keep"), [(40, 12, 3), (30, 0, 5), (9, 12, 2)])
def test_the_trace_is_the_recipe(bound: BoundName, width: int, exact: int, keep: int) -> None:
    X, y = toy(60, noise=width - 2)
    signs = np.where(y, 1.0, -1.0)
    made = RadiusMargin(signs, None, 1e-3) if bound == "radius_margin" else Span(signs, 1e-3)
    scaled = StandardScaler().fit_transform(X)
    criterion = MarginCriterion(scaled, WeightedPolynomial(1), made, 0.1)
    selector = MarginBoundSelector(keep, bound=bound, exact=exact).fit(X, y)
    inside = list(range(width))
    assert selector.trace_[0].columns == tuple(inside)
    for level in range(1, selector.trace_[-1].level + 1):
        trials = [trial for trial in selector.trace_ if trial.level == level]
        taken = [trial for trial in trials if trial.accepted]
        assert len(taken) == 1
        if len(inside) > max(exact, keep):
            assert trials == taken
            count = min(max(1, len(inside) // 5), len(inside) - max(exact, keep))
            slopes = criterion.of(np.array(inside)).slopes
            steepest = {inside[at] for at in np.argsort(slopes)[-count:]}
            assert set(taken[0].removed) == steepest
        else:
            assert [trial.removed for trial in trials] == [(column,) for column in inside]
            assert taken[0].bound == min(trial.bound for trial in trials)
        for trial in trials:
            assert set(trial.columns) == set(inside) - set(trial.removed)
            alone = criterion.of(np.array(trial.columns)).value
            assert trial.bound == pytest.approx(alone, rel=1e-6)
        inside = list(taken[0].columns)
    assert selector.get_support(indices=True).tolist() == inside
    assert (len(inside) == keep and selector.bound_ == selector.trace_[-1].bound) or exact > 0


@pytest.mark.parametrize("bound", BOUNDS)
def test_without_a_number_the_lowest_bound_is_taken(bound: BoundName) -> None:
    X, y = toy(noise=15)
    selector = MarginBoundSelector(bound=bound).fit(X, y)
    path = [trial for trial in selector.trace_ if trial.accepted]
    assert len(path[-1].columns) == 1
    assert selector.bound_ == min(trial.bound for trial in path)
    assert selector.support_.sum() == min(
        len(trial.columns) for trial in path if trial.bound == selector.bound_
    )


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "radial"])
def test_columns_of_a_single_value_go_first(kernel: KernelName) -> None:
    X, y = toy(noise=6)
    X = np.column_stack([np.full(80, 0.1), X, np.zeros(80), np.full(80, -7.0)])
    selector = MarginBoundSelector(9, kernel=kernel).fit(X, y)
    assert selector.trace_[1].removed == (9, 10)
    assert selector.get_support(indices=True).tolist() == list(range(9))
    assert MarginBoundSelector(2, kernel=kernel).fit(X, y).support_[[1, 2]].all()
    assert not MarginBoundSelector(kernel=kernel).fit(X, y).support_[[0, 9, 10]].any()


def test_columns_that_are_all_constant_leave_the_first_ones() -> None:
    X, y = np.full((20, 4), 0.1), np.arange(20) % 3 == 0
    for keep, kept in ((None, 1), (3, 3)):
        selector = MarginBoundSelector(keep).fit(X, y)
        assert selector.get_support(indices=True).tolist() == list(range(kept))


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "radial"])
@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("exact", [0, 12])
def test_the_first_of_equal_columns_stays(kernel: KernelName, bound: BoundName, exact: int) -> None:
    X, y = toy(noise=0)
    copies = np.column_stack([X[:, 0]] * 7)
    for keep in (1, 3):
        selector = MarginBoundSelector(keep, kernel=kernel, bound=bound, exact=exact)
        assert selector.fit(copies, y).get_support(indices=True).tolist() == list(range(keep))


@settings(max_examples=drawn(25), deadline=None)
@given(
    st.integers(2, 12),
    st.integers(1, 20),
    st.integers(0, 2**16),
    st.sampled_from(["linear", "polynomial", "radial"]),
    st.sampled_from(BOUNDS),
)
def test_any_small_integers_can_be_selected_from(
    n: int, m: int, seed: int, kernel: KernelName, bound: BoundName
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, size=(n, m)).astype(float)
    y = rng.permutation(np.arange(n) == 0) | (rng.random(n) < 0.3)
    y[rng.integers(n)] ^= len(set(y)) == 1
    keep = int(rng.integers(1, m + 1))
    selector = MarginBoundSelector(keep, kernel=kernel, bound=bound, exact=5).fit(X, y)
    assert selector.support_.sum() == keep
    assert all(np.isfinite(trial.bound) and trial.bound >= 0 for trial in selector.trace_)
    again = MarginBoundSelector(keep, kernel=kernel, bound=bound, exact=5).fit(X, y)
    assert again.trace_ == selector.trace_


def test_scales_do_not_matter_to_standardised_columns() -> None:
    X, y = toy(noise=20)
    scaled = X * 2.0 ** np.arange(22) + 3.0
    first, second = (MarginBoundSelector(4, tolerance=1e-6).fit(each, y) for each in (X, scaled))
    np.testing.assert_array_equal(first.support_, second.support_)


def test_the_order_of_the_classes_does_not_matter() -> None:
    X, y = toy(noise=20)
    names, flipped = np.where(y, "a", "b"), np.where(y, "b", "a")
    first, second = (
        MarginBoundSelector(4, tolerance=1e-6).fit(X, each) for each in (names, flipped)
    )
    np.testing.assert_array_equal(first.support_, second.support_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"keep": 4}, "4 features cannot be kept; there are 3"),
        ({"ridge": 0}, "give a ridge above 0, or C"),
        ({"bound": "span", "C": 1.0}, "the span bound holds without C only"),
        ({"kernel": "cubic"}, "'kernel' parameter"),
        ({"drop": 1.0}, "'drop' parameter"),
    ],
)
def test_what_cannot_be_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MarginBoundSelector(**parameters).fit(np.eye(3), [0, 1, 1])


def test_other_targets_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Only binary classification.*multiclass"):
        MarginBoundSelector().fit(np.eye(6), [0, 1, 2, 0, 1, 2])
    with pytest.raises(ValueError, match=r"Only binary classification.*continuous"):
        MarginBoundSelector().fit(np.eye(3), [0.5, 1.2, 2.1])
    with pytest.raises(ValueError, match="one class"):
        MarginBoundSelector().fit(np.eye(3), [1, 1, 1])


def test_the_callback_sees_every_trial_and_an_interrupt_leaves_them() -> None:
    X, y = toy(noise=20)
    seen: list[MarginTrial] = []
    selector = MarginBoundSelector(2, callback=seen.append).fit(X, y)
    assert [each.columns for each in seen] == [each.columns for each in selector.trace_]

    def interrupt(_: MarginTrial) -> None:
        count.append(1)
        if len(count) == 9:
            raise KeyboardInterrupt

    count: list[int] = []
    stopped = MarginBoundSelector(2, callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(X, y)
    assert stopped.trace_ == tuple(seen[:9])
    assert not hasattr(stopped, "support_")


@pytest.mark.slow
def test_in_a_grid_of_pipelines() -> None:
    X, y = toy(120)
    pipeline = Pipeline([("select", MarginBoundSelector()), ("learn", LogisticRegression())])
    grid = {"select__keep": [1, 2], "select__bound": BOUNDS}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X / X.std(axis=0), y)
    assert search.best_params_["select__keep"] == 2
    assert search.best_score_ > 0.85


def test_pandas_in_and_out() -> None:
    X, y = toy(noise=2)
    frame = pd.DataFrame(X, columns=["one", "two", "noise", "more"])
    selector = MarginBoundSelector(2).set_output(transform="pandas")
    chosen = selector.fit_transform(frame, pd.Series(np.where(y, "good", "bad")))
    pd.testing.assert_frame_equal(chosen, frame[["one", "two"]])
    assert pickle.loads(pickle.dumps(selector)).trace_ == selector.trace_
