"""The geometry selector: judges, choice, refusals, scikit-learn."""

import pickle
from collections.abc import Callable
from dataclasses import astuple, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from miningflow.learn.arrays import Codes, Matrix
from miningflow.learn.selection import GeometrySelector, JudgedSet
from miningflow.learn.selection.geometry.machine import half_of_rows
from miningflow.learn.selection.geometry.search import Verdicts, chosen_groups

JudgeName = Literal["geometry", "svm"]
JUDGES: list[JudgeName] = ["geometry", "svm"]


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [GeometrySelector(), GeometrySelector(judge="svm", choose="smallest", random_state=0)]
)
def test_scikit_learn_checks(
    estimator: GeometrySelector, check: Callable[[GeometrySelector], None]
) -> None:
    if estimator.judge == "svm" and "check_dtype_object" in str(check):
        pytest.skip("thousands of sets of ten columns of noise take the machine 15 s")
    check(estimator)


def words(
    n: int = 120, width: int = 30, classes: int = 2, seed: int = 0
) -> tuple[Matrix, Codes, Codes]:
    """Three groups of columns of 0 and 1; only in the first they depend on the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    chance = np.full((classes, 3 * width), 0.1)
    chance[:, :width] = rng.uniform(0, 0.5, size=(classes, width))
    X = (rng.random((n, 3 * width)) < chance[y]).astype(float)
    return X, y, np.repeat([4, 7, 9], width)


def test_the_models_are_those_of_table_2() -> None:
    X, y, groups = words(classes=3)
    trace = GeometrySelector(groups).fit(X, y).trace_
    printed = GeometrySelector(groups, rule="printed").fit(X, y).trace_
    for positive in ((1,), (2,), (1, 2)):
        sets = [each for each in trace if each.positive == positive]
        assert len(sets) == 7
        f = np.array([astuple(each.properties) for each in sets if each.properties is not None])
        # np.where: properties that are the same in all sets say nothing.
        z = np.where(np.ptp(f, axis=0) > 0, (f - f.mean(axis=0)) / (f.std(axis=0) + 1e-300), 0)
        f1, f2, f3, f4, f5, f6 = z.T
        linear = -0.09114375 * f3 - 0.01223389 * f4 - 0.0200644 * f5
        weighted = 0.15706603 * f1 + 0.1327297 * f2 - 0.03350878 * f3 - 0.15182902 * f4
        logit = weighted + 0.19548473 * f5 - 0.68787718 * f6
        probability = 1 / (1 + np.exp(0.64063267 - logit))
        np.testing.assert_allclose(
            np.array([each.score for each in sets], dtype=float), probability
        )
        expected = (linear > 1.04e-12) & (logit >= 0)
        assert [each.suggested for each in sets] == expected.tolist()
        strict = [each.suggested for each in printed if each.positive == positive]
        assert strict == ((linear > 1.04e-12) & (probability >= 0.5)).tolist()
    assert any(each.suggested for each in trace)


def test_the_machine_judges_by_accuracy_on_the_other_half() -> None:
    X, y, groups = words()
    selector = GeometrySelector(groups, judge="svm", random_state=3).fit(X, y)
    random = np.random.RandomState(3)
    half = half_of_rows(y, random)
    seed = random.randint(np.iinfo(np.int32).max)
    for judged in selector.trace_:
        inside = X[:, np.isin(groups, judged.groups)]
        right = [
            (LinearSVC(random_state=seed).fit(inside[part], y[part]).predict(inside[~part]))
            == y[~part]
            for part in (half, ~half)
        ]
        assert judged.score == pytest.approx(np.concatenate(right).mean(), abs=1.5 / 120)
        assert judged.properties is None
    scores = [judged.score for judged in selector.trace_ if judged.score is not None]
    best = max(scores)
    limit = best - np.sqrt(best * (1 - best) / 120)
    assert [each.suggested for each in selector.trace_] == [score >= limit for score in scores]


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_the_machine_finds_the_group_that_tells(classes: int, seed: int) -> None:
    X, y, groups = words(200, classes=classes, seed=seed)
    selector = GeometrySelector(groups, judge="svm", choose="smallest", random_state=0)
    selector.fit(csr_array(X), y)
    assert selector.group_support_.tolist() == [True, False, False]
    np.testing.assert_array_equal(selector.support_, groups == 4)


def test_halves_share_every_class() -> None:
    codes = np.array([0] * 7 + [1] * 4 + [2])
    half = half_of_rows(codes, np.random.RandomState(0))
    assert half[codes == 0].sum() in (3, 4)
    assert half[codes == 1].sum() == 2


@pytest.mark.parametrize("judge", JUDGES)
def test_the_trace_has_every_set_of_every_division(judge: JudgeName) -> None:
    X, y, groups = words(60, classes=3)
    names = np.array(["a", "b", "c"])[y]
    seen: list[JudgedSet] = []
    selector = GeometrySelector(groups, judge=judge, callback=seen.append, random_state=0)
    trace = selector.fit(X, names).trace_
    assert len(trace) == len({(each.positive, each.groups) for each in trace}) == 3 * 7
    assert [each.positive for each in trace[:3]] == [("b",), ("c",), ("b", "c")]
    assert trace[0].groups == (4,) and trace[-1].groups == (4, 7, 9)
    assert all(each.suggested is None for each in seen)
    unjudged = [replace(each, suggested=None, score=None) for each in trace]
    assert [replace(each, score=None) for each in seen] == unjudged
    assert selector.suggestions_ == tuple(each for each in trace if each.suggested)


def verdicts(suggested: list[list[int]], scores: list[list[float]]) -> Verdicts:
    subsets = ((0,), (1,), (0, 1))
    return Verdicts(subsets, np.array(scores), np.array(suggested, dtype=bool))


@pytest.mark.parametrize(
    ("suggested", "scores", "by_score", "smallest"),
    [
        ([[1], [1], [1]], [[0.2], [0.3], [0.4]], (0, 1), (1,)),
        ([[1], [0], [0]], [[0.2], [0.3], [0.4]], (0,), (0,)),
        ([[0], [0], [0]], [[0.2], [0.3], [0.4]], (0, 1), (0, 1)),
        ([[1, 0], [0, 0], [1, 1]], [[0.9, 0.9], [0.9, 0.9], [0.1, 0.1]], (0, 1), (0, 1)),
        ([[1, 1], [1, 1], [1, 1]], [[0.5, 0.5], [0.4, 0.6], [0.5, 0.5]], (0,), (1,)),
    ],
)
def test_the_choice(
    suggested: list[list[int]],
    scores: list[list[float]],
    by_score: tuple[int, ...],
    smallest: tuple[int, ...],
) -> None:
    judged, widths = verdicts(suggested, scores), np.array([5, 3])
    assert chosen_groups(judged, widths, "score") == by_score
    assert chosen_groups(judged, widths, "smallest") == smallest


@pytest.mark.parametrize("judge", JUDGES)
def test_one_group_is_kept_whole(judge: JudgeName) -> None:
    X, y, _ = words(40)
    assert GeometrySelector(np.zeros(90, dtype=int), judge=judge).fit(X, y).support_.all()
    assert GeometrySelector(judge=judge).fit(X[:, :1], y).support_.tolist() == [True]


@pytest.mark.parametrize("judge", JUDGES)
def test_columns_of_zeros_and_a_class_of_one_row(judge: JudgeName) -> None:
    X, y, groups = words(31, width=4)
    X[:, groups == 7] = 0
    y = np.where(np.arange(31) == 5, 2, y)
    selector = GeometrySelector(groups, judge=judge, random_state=0).fit(X, y)
    assert np.isfinite([each.score for each in selector.trace_ if each.score is not None]).all()
    assert selector.support_.any()
    nothing = GeometrySelector(groups, judge=judge, random_state=0).fit(np.zeros_like(X), y)
    assert nothing.group_support_.tolist() == [True, False, False]


def test_too_many_sets_are_refused() -> None:
    X, y, _ = words(40)
    with pytest.raises(ValueError, match=r"90 groups and 2 classes make \d+ sets.*max_sets=10000"):
        GeometrySelector().fit(X, y)
    with pytest.raises(ValueError, match="3 groups and 4 classes make 49 sets to judge"):
        GeometrySelector(max_sets=48).fit(X[:, :3], np.arange(40) % 4)
    assert len(GeometrySelector(max_sets=49).fit(X[:, :3], np.arange(40) % 4).trace_) == 49


@pytest.mark.parametrize("groups", [[0, 1], [0.5, 1, 2], [[0, 1, 2]]])
def test_wrong_groups_are_refused(groups: Any) -> None:
    with pytest.raises(ValueError, match="one integer per column, 3 of them"):
        GeometrySelector(groups).fit(np.eye(3), [0, 1, 1])


def test_other_targets_are_refused() -> None:
    with pytest.raises(ValueError, match="one class"):
        GeometrySelector().fit(np.eye(3), [1, 1, 1])
    with pytest.raises(ValueError, match="continuous"):
        GeometrySelector().fit(np.eye(3), [0.5, 1.2, 2.1])


def test_an_interrupt_leaves_what_was_measured() -> None:
    X, y, groups = words(40)
    seen: list[JudgedSet] = []

    def interrupt(judged: JudgedSet) -> None:
        seen.append(judged)
        if len(seen) == 4:
            raise KeyboardInterrupt

    selector = GeometrySelector(groups, callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        selector.fit(X, y)
    assert selector.trace_ == tuple(seen)
    assert not hasattr(selector, "support_")


def test_in_a_grid_of_pipelines() -> None:
    X, y, groups = words()
    select = GeometrySelector(groups, random_state=0)
    pipeline = Pipeline([("select", select), ("learn", LogisticRegression())])
    grid = {"select__judge": JUDGES, "select__choose": ["score", "smallest"]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    assert search.best_score_ > 0.85


def test_pandas_in_and_out() -> None:
    X, y, groups = words(width=3)
    frame = pd.DataFrame(X, columns=[f"word {at}" for at in range(9)])
    selector = GeometrySelector(groups, judge="svm", random_state=0).set_output(transform="pandas")
    chosen = selector.fit_transform(frame, pd.Series(y))
    pd.testing.assert_frame_equal(chosen, frame.loc[:, selector.support_])
    assert pickle.loads(pickle.dumps(selector)).trace_ == selector.trace_
