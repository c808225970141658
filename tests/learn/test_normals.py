"""The selector by normals: the weights, the limits, and the fixed memory."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from miningflow.learn.arrays import Mask, Matrix
from miningflow.learn.selection import NormalSelector
from miningflow.learn.selection.classes import share_of_rows


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [NormalSelector(), NormalSelector(sparsity=1.5, subset=0.5, random_state=0)]
)
def test_scikit_learn_checks(
    estimator: NormalSelector, check: Callable[[NormalSelector], None]
) -> None:
    check(estimator)


def words(n: int = 300, m: int = 40, seed: int = 0) -> tuple[Matrix, Mask]:
    """Counts of words, most of them 0; the first three belong to one class."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    X = rng.poisson(0.2, size=(n, m)).astype(np.float64)
    X[y, :3] += rng.poisson(1.5, size=(int(y.sum()), 3))
    return X, y


def test_scores_are_the_weights_of_the_machine() -> None:
    X, y = words()
    selector = NormalSelector(keep=3, C=0.1, random_state=0, tolerance=1e-8, max_iter=10**5)
    selector.fit(X, y)
    machine = LinearSVC(C=0.1, dual=False, tol=1e-10, max_iter=10**5).fit(X, y)
    np.testing.assert_allclose(selector.scores_, np.abs(machine.coef_[0]), rtol=1e-4, atol=1e-6)
    assert selector.get_support(indices=True).tolist() == [0, 1, 2]
    assert [each.feature for each in selector.trace_[:3] if each.kept] == np.argsort(
        -selector.scores_
    )[:3].tolist()
    assert selector.rows_learned_ == selector.rows_that_fit_ == 300


def test_sparse_rows_have_the_same_selection() -> None:
    X, y = words()
    dense, sparse = (
        NormalSelector(keep=5, random_state=0, tolerance=1e-8, max_iter=10**5).fit(each, y)
        for each in (X, csr_array(X))
    )
    np.testing.assert_allclose(sparse.scores_, dense.scores_, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(sparse.support_, dense.support_)


def test_more_classes_have_a_normal_each() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=300)
    X = rng.normal(size=(300, 12))
    X[np.arange(300), codes] += 3
    highest = NormalSelector(keep=3, random_state=0).fit(X, codes)
    assert highest.normals_.shape == (3, 12)
    assert highest.get_support(indices=True).tolist() == [0, 1, 2]
    np.testing.assert_allclose(highest.scores_, np.abs(highest.normals_).max(axis=0))
    mean = NormalSelector(keep=3, combine="mean", random_state=0).fit(X, codes)
    np.testing.assert_allclose(mean.scores_, np.abs(mean.normals_).mean(axis=0))


@pytest.mark.parametrize("sparsity", [0.5, 2.0, 5.0])
def test_sparsity_is_the_mean_number_of_words_in_a_row(sparsity: float) -> None:
    X, y = words()
    selector = NormalSelector(sparsity=sparsity, random_state=0).fit(csr_array(X), y)
    chosen = selector.transform(csr_array(X))
    last = [each.feature for each in selector.trace_ if each.kept][-1]
    assert (chosen.nnz - np.count_nonzero(X[:, last])) / 300 < sparsity <= chosen.nnz / 300


def test_the_normal_is_learned_on_a_share_of_each_class() -> None:
    X, y = words()
    selector = NormalSelector(keep=3, subset=0.25, random_state=0).fit(X, y)
    assert selector.rows_learned_ == round(0.25 * y.sum()) + round(0.25 * (~y).sum())
    assert selector.get_support(indices=True).tolist() == [0, 1, 2]
    again = NormalSelector(keep=3, subset=0.25, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.scores_, selector.scores_)
    other = NormalSelector(keep=3, subset=0.25, random_state=1).fit(X, y)
    assert (other.scores_ != selector.scores_).any()


def test_each_class_keeps_a_row() -> None:
    codes = np.array([0] * 50 + [1])
    drawn = share_of_rows(codes, 0.1, np.random.RandomState(0))
    assert drawn[:50].sum() == 5 and drawn[50]
    assert NormalSelector(subset=0.01, random_state=0).fit(np.eye(51), codes).rows_learned_ == 2


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75, 1.0, 2.0])
def test_a_memory_budget_trades_features_for_rows(share: float) -> None:
    X, y = words()
    budget = int(share * np.count_nonzero(X))
    selector = NormalSelector(memory_budget=budget, random_state=0).fit(X, y)
    assert selector.rows_learned_ == pytest.approx(min(share, 1) * 300, abs=2)
    filled = np.count_nonzero(X[:, selector.support_]) / np.count_nonzero(X)
    # Half the values at least, and no more than all rows have room for, but for the last feature.
    assert filled == pytest.approx(min(1, max(0.5, share)), abs=0.05)
    expected = min(1.0, share / filled)
    assert selector.rows_that_fit_ == pytest.approx(expected * 300, abs=2)
    assert selector.rows_that_fit_ * filled * np.count_nonzero(X) / 300 <= budget


def test_a_budget_with_a_sparsity_says_how_many_rows_fit() -> None:
    X, y = words()
    budget = int(np.count_nonzero(X)) // 4
    selector = NormalSelector(sparsity=2, memory_budget=budget, random_state=0).fit(X, y)
    filled = np.count_nonzero(X[:, selector.support_]) / 300
    assert 2 <= filled < 3
    assert selector.rows_that_fit_ == min(300, int(budget / filled))


def test_zeros_weigh_nothing_and_copies_share_their_weight() -> None:
    X, y = words()
    X = np.column_stack([np.zeros(300), X, X[:, 0]])
    selector = NormalSelector(random_state=0, tolerance=1e-8, max_iter=10**5).fit(X, y)
    assert selector.scores_[0] == 0
    assert selector.scores_[1] == pytest.approx(selector.scores_[41], rel=1e-4)
    assert selector.scores_[1] < selector.scores_[2]


def test_zeros_alone_keep_the_first() -> None:
    selector = NormalSelector(memory_budget=3, keep=1).fit(np.zeros((6, 3)), [0, 1] * 3)
    assert selector.get_support(indices=True).tolist() == [0]
    assert selector.rows_that_fit_ == 6


def test_more_columns_than_rows_and_one_column() -> None:
    X, y = words(20, m=90)
    assert NormalSelector(keep=7).fit(X, y).support_.sum() == 7
    assert NormalSelector().fit(X[:, :1], y).support_.tolist() == [True]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keep": 2, "sparsity": 2.0}, "n_features_to_select and sparsity each decide"),
        ({"keep": 4}, "4 features cannot be kept; there are 3"),
        ({"subset": 0.0}, "'subset' parameter"),
        ({"memory_budget": 0}, "'memory_budget' parameter"),
    ],
)
def test_wrong_limits_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NormalSelector(**arguments).fit(np.eye(3), [0, 1, 1])


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="one class"):
        NormalSelector().fit(np.eye(3), [1, 1, 1])


def test_in_a_grid_search_and_with_pandas() -> None:
    X, y = words()
    frame = pd.DataFrame(X, columns=[f"word{at}" for at in range(40)])
    pipeline = make_pipeline(StandardScaler(), NormalSelector(random_state=0), LinearSVC())
    pipeline.set_output(transform="pandas")
    grid = {"normalselector__keep": [1, 3], "normalselector__C": [0.01, 1.0]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(frame, np.where(y, "yes", "no"))
    assert search.best_params_["normalselector__keep"] == 3
    assert list(search.best_estimator_[1].get_feature_names_out()) == ["word0", "word1", "word2"]
