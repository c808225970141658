"""Selectors take the words of scikit-learn and their own, and a parameter is one by either."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from miningflow.learn import selection
from miningflow.learn.selection import (
    AlignmentSelector,
    GeneticSelector,
    GeometrySelector,
    MarginBoundSelector,
    NormalSelector,
    ScoreSelector,
    XiAlphaSelector,
)

COUNTING = [
    AlignmentSelector,
    MarginBoundSelector,
    NormalSelector,
    ScoreSelector,
    XiAlphaSelector,
]
ALL: list[Any] = [*COUNTING, GeneticSelector, GeometrySelector]
SMALL = {GeneticSelector: {"population": 4, "generations": 2, "random_state": 0}}


def frame(seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Returns six columns, of which the third and the fifth decide on the class."""
    X = np.random.default_rng(seed).normal(size=(60, 6))
    names = ["age", "income", "spent", "visits", "size", "rooms"]
    return pd.DataFrame(X, columns=names), pd.Series(X[:, 2] - X[:, 4] > 0).map(
        {True: "y", False: "n"}
    )


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [
        XiAlphaSelector(kernel="rbf", gamma="scale", tol=1e-2, cv=3, n_features_to_select=1),
        XiAlphaSelector(keep=0.5, tolerance=1e-2, folds=3),
        MarginBoundSelector(n_features_to_select=0.5, kernel="rbf", gamma="auto", exact=0),
        MarginBoundSelector(kernel="poly", exact=0),
        ScoreSelector(n_features_to_select=1),
        NormalSelector(keep=1, tol=1e-3),
    ]
)
def test_the_checks_of_scikit_learn_pass(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("selector", COUNTING)
def test_either_word_selects_the_same(selector: Any) -> None:
    X, y = frame()
    theirs = selector(n_features_to_select=2).fit(X, y)
    ours = selector(keep=2).fit(X, y)
    assert ours.get_params() == theirs.get_params()
    assert (ours.get_support() == theirs.get_support()).all()
    assert theirs.get_support(indices=True).tolist() == [2, 4]
    assert ours.keep == ours.n_features_to_select == 2
    assert "keep" not in ours.get_params()
    assert "keep" not in inspect.signature(selector).parameters


@pytest.mark.parametrize("selector", COUNTING)
def test_a_share_is_that_of_all_columns(selector: Any) -> None:
    X, y = frame()
    for share, count in ((0.5, 3), (0.34, 2), (0.01, 1), (1.0, 6)):
        assert selector(n_features_to_select=share).fit(X, y).support_.sum() == count
    assert RFE(SVC(kernel="linear"), n_features_to_select=0.34).fit(X, y).n_features_ == 2
    with pytest.raises(ValueError, match="'n_features_to_select' parameter"):
        selector(n_features_to_select=1.5).fit(X, y)


def test_kernels_and_their_width_have_the_names_of_scikit_learn() -> None:
    X, y = frame()
    pairs: list[tuple[Any, Any]] = [
        (XiAlphaSelector("rbf", gamma="scale"), XiAlphaSelector("radial")),
        (XiAlphaSelector("rbf", gamma=0.3), XiAlphaSelector("radial", gamma=0.3)),
        (
            GeneticSelector("rbf", population=4, generations=2, random_state=0),
            GeneticSelector("radial", population=4, generations=2, random_state=0),
        ),
        (MarginBoundSelector(kernel="poly"), MarginBoundSelector(kernel="polynomial")),
        (MarginBoundSelector(kernel="rbf", gamma="auto"), MarginBoundSelector(kernel="radial")),
    ]
    for theirs, ours in pairs:
        assert theirs.fit(X, y).trace_ == ours.fit(X, y).trace_
    linear = XiAlphaSelector("linear").fit(X, y)
    assert linear.error_ != XiAlphaSelector("rbf").fit(X, y).error_
    with pytest.raises(ValueError, match="'kernel' parameter"):
        XiAlphaSelector("rfb").fit(X, y)  # type: ignore[arg-type]


def test_a_setting_is_kept_by_clones_pickles_and_positions() -> None:
    for made in (NormalSelector(3), NormalSelector(keep=3), NormalSelector(n_features_to_select=3)):
        assert made.n_features_to_select == clone(made).n_features_to_select == 3
        assert pickle.loads(pickle.dumps(made)).keep == 3
        assert repr(made) == "NormalSelector(n_features_to_select=3)"
    kernel = XiAlphaSelector(kernel="rbf")
    assert clone(kernel).get_params()["kernel"] == "rbf"


def test_setting_by_one_word_replaces_what_the_other_set() -> None:
    selector = XiAlphaSelector(keep=3, tolerance=1e-2, folds=4)
    selector.set_params(n_features_to_select=2).set_params(tolerance=0.1, folds=2)
    params = selector.get_params()
    assert [params[name] for name in ("n_features_to_select", "tol", "cv")] == [2, 0.1, 2]
    selector.keep = 1
    assert selector.n_features_to_select == 1
    assert vars(selector).keys() == params.keys()


@pytest.mark.parametrize("word", ["keep", "n_features_to_select"])
def test_a_grid_may_use_either_word(word: str) -> None:
    X, y = frame()
    pipeline = Pipeline(
        [("select", ScoreSelector("fisher", keep=6)), ("fit", LogisticRegression())]
    )
    grid = GridSearchCV(pipeline, {f"select__{word}": [1, 2]}, cv=3).fit(X, y)
    assert grid.best_params_ == {f"select__{word}": 2}
    assert grid.best_estimator_[0].support_.sum() == 2
    alone = GridSearchCV(ScoreSelector(), {word: [1, 2]}, scoring=lambda *_: 0.0, cv=3).fit(X, y)
    assert alone.best_estimator_.support_.sum() == 1


def test_both_words_are_refused() -> None:
    both = "given both 'tol' and 'tolerance', which are two words for one parameter"
    with pytest.raises(TypeError, match=both):
        XiAlphaSelector(tol=1e-3, tolerance=1e-3)
    with pytest.raises(TypeError, match=both):
        XiAlphaSelector().set_params(tol=1e-3, tolerance=1e-2)
    with pytest.raises(TypeError, match="multiple values for argument 'n_features_to_select'"):
        NormalSelector(2, keep=2)


def test_unknown_words_and_too_many_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match=r"NormalSelector\(\) .*unexpected keyword argument 'kep'"):
        NormalSelector(kep=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"GeometrySelector\(\) .*unexpected .* 'keep'"):
        GeometrySelector(keep=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"NormalSelector\(\) too many positional arguments"):
        NormalSelector(2, 3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="Invalid parameter 'kep'"):
        NormalSelector().set_params(kep=2)


@pytest.mark.parametrize("selector", ALL)
def test_names_of_features_go_in_and_come_out(selector: Any) -> None:
    X, y = frame()
    fitted = selector(**SMALL.get(selector, {})).fit(X, y)
    assert fitted.feature_names_in_.tolist() == X.columns.tolist()
    assert fitted.n_features_in_ == 6
    kept = X.columns[fitted.get_support()].tolist()
    assert fitted.get_feature_names_out().tolist() == kept
    assert fitted.set_output(transform="pandas").transform(X).columns.tolist() == kept
    assert fitted.get_feature_names_out(X.columns).tolist() == kept
    with pytest.raises(ValueError, match="input_features"):
        fitted.get_feature_names_out(["other"] * 6)
    nameless = selector(**SMALL.get(selector, {})).fit(X.to_numpy(), y)
    assert not hasattr(nameless, "feature_names_in_")
    assert set(nameless.get_feature_names_out()) <= {f"x{i}" for i in range(6)}


def test_every_selector_is_tested() -> None:
    assert {name for name in selection.__all__ if name.endswith("Selector")} == {
        selector.__name__ for selector in ALL
    }
