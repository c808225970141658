"""The alignment selector: limits, edge cases, and scikit-learn's own checks."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from miningflow.learn.arrays import Mask, Matrix
from miningflow.learn.selection import AlignmentSelector, AlignmentStep, align_from_statistics
from miningflow.learn.selection.alignment.path import Method
from miningflow.learn.selection.alignment.targets import ideal_targets

METHODS: tuple[Method, ...] = ("one_shot", "incremental", "decremental")


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [
        AlignmentSelector(),
        AlignmentSelector("one_shot", keep=1),
        AlignmentSelector("decremental", validation=0.3, balanced=True, random_state=0),
        AlignmentSelector("decremental", kernel="quadratic"),
    ]
)
def test_scikit_learn_checks(
    estimator: AlignmentSelector, check: Callable[[AlignmentSelector], None]
) -> None:
    check(estimator)


def toy(n: int = 150, noise: int = 8, seed: int = 0) -> tuple[Matrix, Mask]:
    """Two columns decide; the others are noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2 + noise))
    return X, X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=n) > 0


def three_classes(n: int = 120, seed: int = 0) -> tuple[Matrix, NDArray[np.str_]]:
    rng = np.random.default_rng(seed)
    names = np.array(["a", "b", "c"])
    codes = rng.integers(3, size=n)
    X = rng.normal(size=(n, 6))
    X[np.arange(n), codes] += 3
    return X, names[codes]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("keep", [1, 2, 5, 10])
def test_keep_is_the_number_of_columns(method: Method, keep: int) -> None:
    X, y = toy()
    selector = AlignmentSelector(method, keep=keep).fit(X, y)
    assert selector.support_.sum() == keep
    assert selector.trace_[-1].size == keep
    assert selector.support_[:2].sum() == min(keep, 2)


def test_one_shot_ranks_columns_by_their_own_alignment() -> None:
    X, y = toy()
    selector = AlignmentSelector("one_shot", keep=4).fit(X, y)
    labels = np.where(y, 1.0, -1.0)
    alone = (X.T @ labels) ** 2 / ((X**2).sum(axis=0) * len(y))
    np.testing.assert_allclose(selector.scores_, alone)
    best = np.argsort(-alone)[:4]
    assert [step.changed[0] for step in selector.trace_] == best.tolist()
    assert selector.get_support(indices=True).tolist() == sorted(best)


def test_one_shot_without_a_limit_stops_at_the_highest_alignment() -> None:
    X, y = toy()
    selector = AlignmentSelector("one_shot").fit(X, y)
    alignments = [step.alignment for step in selector.trace_]
    assert len(alignments) == 10
    assert selector.support_.sum() == np.argmax(alignments) + 1 < 10
    assert selector.alignment_ == max(alignments)


@pytest.mark.parametrize("method", METHODS)
def test_explained_takes_the_fewest_columns_with_that_share(method: Method) -> None:
    X, y = toy()
    whole = AlignmentSelector(method, batch=False).fit(X, y)
    part = AlignmentSelector(method, batch=False, explained=0.6).fit(X, y)
    assert part.support_.sum() < whole.support_.sum() or whole.support_.sum() == 1
    assert part.alignment_ >= 0.6 * whole.alignment_
    fewer = AlignmentSelector(method, batch=False, keep=max(1, int(part.support_.sum()) - 1))
    if part.support_.sum() > 1:
        assert fewer.fit(X, y).alignment_ < 0.6 * whole.alignment_


def test_the_gains_add_up_to_the_alignment() -> None:
    X, y = toy()
    selector = AlignmentSelector().fit(X, y)
    assert selector.scores_[selector.support_].sum() == pytest.approx(selector.alignment_)
    assert (selector.scores_[~selector.support_] <= 1e-12).all()


def test_the_losses_are_those_of_the_last_trial() -> None:
    X, y = toy(60)
    selector = AlignmentSelector("decremental", kernel="quadratic", batch=False).fit(X, y)
    assert (selector.scores_[selector.support_] > 0).all()
    assert (selector.scores_[~selector.support_] <= 1e-12).all()


@pytest.mark.parametrize("method", METHODS)
def test_validation_measures_accuracy_and_takes_the_best(method: Method) -> None:
    X, y = toy(300)
    selector = AlignmentSelector(method, validation=0.3, standardize=True, random_state=0).fit(X, y)
    measured = [step for step in selector.trace_ if step.accuracy is not None]
    assert measured
    best = max(step.accuracy for step in measured if step.accuracy is not None)
    (chosen,) = {step.size for step in measured if step.size == selector.support_.sum()}
    assert chosen == min(step.size for step in measured if step.accuracy == best)
    assert selector.support_[:2].all()
    assert best > 0.9


def test_validation_with_the_quadratic_kernel_takes_the_most_accurate_step() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 8))
    y = X[:, 0] * X[:, 1] > 0
    selector = AlignmentSelector(
        "decremental", kernel="quadratic", batch=False, validation=0.3, random_state=0
    ).fit(X, y)
    best = max(step.accuracy for step in selector.trace_ if step.accuracy is not None)
    assert selector.support_.sum() == min(s.size for s in selector.trace_ if s.accuracy == best)
    assert selector.support_[:2].all()
    assert selector.support_.sum() < 6


def test_validation_needs_rows() -> None:
    with pytest.raises(ValueError, match="leaves none to validate on"):
        AlignmentSelector(validation=0.1).fit(np.eye(4), [0, 1, 0, 1])


def test_three_classes_have_the_sum_of_the_ideal_kernels() -> None:
    X, y = three_classes()
    selector = AlignmentSelector().fit(X, y)
    T = np.zeros((len(y), len(y)))
    for name in "abc":
        labels = np.where(y == name, 1.0, -1.0)
        T += np.outer(labels, labels)
    K = X[:, selector.support_] @ X[:, selector.support_].T
    expected = (K * T).sum() / np.sqrt((K * K).sum() * (T * T).sum())
    assert selector.alignment_ == pytest.approx(expected)
    assert selector.support_[:3].all()
    for kernel in ("linear", "quadratic"):
        three = AlignmentSelector("decremental", kernel=kernel, keep=3).fit(X, y)
        assert three.get_support(indices=True).tolist() == [0, 1, 2]


def test_targets_of_two_classes_are_one_column() -> None:
    codes = np.array([0, 1, 1, 1])
    np.testing.assert_array_equal(ideal_targets(codes, False).T, [[-1, 1, 1, 1]])
    np.testing.assert_allclose(ideal_targets(codes, True).T, [[-1, 1 / 3, 1 / 3, 1 / 3]])


def test_balanced_from_differences_of_means() -> None:
    X, _ = toy(90)
    y = np.arange(90) < 12
    X[y, 3] += 1
    selector = AlignmentSelector(balanced=True).fit(X, y)
    means = X[y].mean(axis=0) - X[~y].mean(axis=0)
    path = align_from_statistics(X.T @ X, means, 1 / 12 + 1 / 78)
    assert [step.changed for step in path.steps] == [step.changed for step in selector.trace_]
    assert path.steps[-1].alignment == pytest.approx(selector.alignment_)


def test_scale_and_class_names_do_not_matter() -> None:
    X, y = toy()
    expected = AlignmentSelector().fit(X, y)
    for scale in (1e-120, 3.0, 1e120):
        scaled = AlignmentSelector().fit(X * scale, np.where(y, "a", "b"))
        np.testing.assert_array_equal(scaled.support_, expected.support_)
        assert scaled.alignment_ == pytest.approx(expected.alignment_)


def test_copies_and_constant_zeros_add_nothing() -> None:
    X, y = toy(noise=0)
    X = np.column_stack([np.zeros(150), X[:, 0], X[:, 0], X[:, 1], X[:, 1]])
    assert AlignmentSelector().fit(X, y).support_.tolist() == [False, True, False, True, False]


def test_the_first_of_equal_columns_comes_first() -> None:
    X, y = toy(37, noise=0)
    X = np.column_stack([X[:, :1]] * 9)
    selector = AlignmentSelector("one_shot", keep=4).fit(X, y)
    assert [step.changed for step in selector.trace_] == [(0,), (1,), (2,), (3,)]
    assert AlignmentSelector().fit(X, y).get_support(indices=True).tolist() == [0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kernel", ["linear", "quadratic"])
def test_zeros_leave_one_column(method: Method, kernel: Any) -> None:
    selector = AlignmentSelector(method, kernel=kernel).fit(np.zeros((6, 3)), [0, 1] * 3)
    assert selector.support_.sum() == 1


def test_more_columns_than_rows() -> None:
    X, y = toy(12, noise=60)
    for method in METHODS:
        assert AlignmentSelector(method, keep=3).fit(X, y).support_.sum() == 3


def test_a_class_of_one_row() -> None:
    X, y = toy(20)
    y = np.arange(20) == 7
    for validation in (None, 0.3):
        selector = AlignmentSelector(balanced=True, validation=validation, random_state=0)
        assert selector.fit(X, y).support_.any()


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="one class"):
        AlignmentSelector().fit(np.eye(3), [1, 1, 1])


def test_a_numeric_target_is_refused() -> None:
    with pytest.raises(ValueError, match="Unknown label type"):
        AlignmentSelector().fit(np.eye(3), [0.1, 0.2, 0.7])


def test_two_limits_are_refused() -> None:
    with pytest.raises(ValueError, match="give one of them"):
        AlignmentSelector(keep=1, explained=0.9).fit(np.eye(3), [0, 1, 1])


def test_too_many_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="4 columns cannot be kept; there are 3"):
        AlignmentSelector(keep=4).fit(np.eye(3), [0, 1, 1])


def test_sparse_rows_are_refused_where_they_would_fill() -> None:
    with pytest.raises(TypeError, match="dense data is required"):
        AlignmentSelector(kernel="quadratic").fit(csr_array(np.eye(3)), [0, 1, 1])


def test_columns_too_large_for_a_quadratic_kernel_are_refused() -> None:
    with (
        np.errstate(over="ignore"),
        pytest.raises(ValueError, match="too large for a quadratic kernel"),
    ):
        AlignmentSelector("decremental", kernel="quadratic", standardize=False).fit(
            1e90 * np.eye(3), [0, 1, 1]
        )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gram": np.eye(2)}, r"gram must be 3 x 3.*\(2, 2\)"),
        ({"target_norm": 0.0}, "target_norm above 0"),
        ({"moments": [1.0, np.nan, 0.0]}, "must be finite"),
        ({"method": "backward"}, "no method 'backward'; there are one_shot"),
        ({"explained": 1.5}, "explained=1.5 is no share"),
    ],
)
def test_wrong_statistics_are_refused(arguments: dict[str, Any], message: str) -> None:
    good = {"gram": np.eye(3), "moments": np.ones(3), "target_norm": 5.0}
    with pytest.raises(ValueError, match=message):
        align_from_statistics(**{**good, **arguments})


@pytest.mark.parametrize("method", METHODS)
def test_an_interrupt_leaves_the_trace(method: Method) -> None:
    X, y = toy(60)
    seen: list[AlignmentStep] = []

    def interrupt(step: AlignmentStep) -> None:
        seen.append(step)
        if len(seen) == 2:
            raise KeyboardInterrupt

    selector = AlignmentSelector(method, keep=3, batch=False, callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, y)
    assert len(seen) == 2
    assert selector.trace_ == tuple(seen)
    assert not hasattr(selector, "support_")


def test_in_a_grid_search() -> None:
    X, y = toy(200)
    pipeline = make_pipeline(AlignmentSelector(), LogisticRegression())
    grid = {"alignmentselector__keep": [1, 2, 8], "alignmentselector__method": list(METHODS)}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_params_["alignmentselector__keep"] >= 2
    assert search.best_score_ > 0.9


def test_pandas_in_and_out() -> None:
    X, y = toy(noise=2)
    frame = pd.DataFrame(X, columns=["one", "two", "noise", "more"])
    target = pd.Series(np.where(y, "good", "bad"))
    selector = AlignmentSelector(keep=2).set_output(transform="pandas")
    chosen = selector.fit_transform(frame, target)
    pd.testing.assert_frame_equal(chosen, frame[["one", "two"]])
    assert pickle.loads(pickle.dumps(selector)).trace_ == selector.trace_


def test_importing_the_package_stays_light() -> None:
    code = "import sys, miningflow.learn.selection; sys.exit('sklearn' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
