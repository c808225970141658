"""Trees as arrays decide as scikit-learn's do, and rules keep what their estimates promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from support.drawn_examples import drawn

from miningflow.learn.rules import covers, learn_rules
from miningflow.learn.trees import LARGEST, Growth, float_bound, grow

FLOATS = st.floats(-3e38, 3e38, allow_nan=False)


@given(FLOATS)
@settings(max_examples=drawn(500), deadline=None)
def test_a_bound_is_the_last_double_that_rounds_below(threshold: float) -> None:
    bound = float_bound(threshold)
    assert np.float32(bound) <= threshold
    beyond = float(np.nextafter(bound, np.inf))
    assert beyond > LARGEST or np.float64(np.float32(beyond)) > threshold


def _problem(kind: str, seed: int) -> tuple[Any, Any, int | None]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(300, 4)).round(1)
    X[:, 3] = random.integers(0, 2, 300)
    X[random.random((300, 4)) < 0.1] = np.nan
    signal = np.nan_to_num(X[:, 0], nan=2.0) + np.nan_to_num(X[:, 1]) * np.nan_to_num(X[:, 3])
    if kind == "number":
        return X, signal + random.normal(0, 0.1, 300), None
    return X, np.digitize(signal + random.normal(0, 0.3, 300), [-0.5, 1.0]), 3


def _tree(kind: str, X: Any, y: Any, pruning: float, leaf_size: int = 3) -> Any:
    learner = DecisionTreeRegressor if kind == "number" else DecisionTreeClassifier
    root = learner(max_depth=1).fit(X, y).tree_.impurity[0]
    return learner(
        max_depth=8, min_samples_leaf=leaf_size, random_state=0, ccp_alpha=pruning * root
    ).fit(X, y)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # it adds the largest up
@pytest.mark.parametrize("kind", ["number", "classes"])
@pytest.mark.parametrize("pruning", [0.0, 0.02])
def test_a_tree_decides_as_scikit_learn_does(kind: str, pruning: float) -> None:
    for seed in range(5):
        X, y, classes = _problem(kind, seed)
        tree, _ = grow(X, y, classes, Growth(8, 3, pruning, 0))
        theirs = _tree(kind, X, y, pruning)
        thresholds = theirs.tree_.threshold[theirs.tree_.children_left >= 0]
        bounds = tree.bound[tree.left >= 0]
        near = np.concatenate([thresholds, bounds, X[:50].ravel()])
        near = np.concatenate([near, np.nextafter(near, np.inf), np.nextafter(near, -np.inf)])
        near = near[np.abs(near) <= LARGEST]
        random = np.random.default_rng(seed)
        rows = random.choice(np.append(near, [np.nan, LARGEST, -LARGEST]), size=(3_000, 4))
        assert np.array_equal(tree.apply(rows), theirs.apply(rows))
        told = tree.values[tree.apply(rows)]
        if classes is None:
            assert np.array_equal(told[:, 0], theirs.predict(rows))
        else:
            assert np.array_equal(told, theirs.predict_proba(rows))
            assert np.array_equal(told.argmax(axis=1), theirs.predict(rows))
        assert len(tree.leaves) == theirs.get_n_leaves()
        assert tree.depth == theirs.get_depth()


def test_a_class_that_a_fold_does_not_have_is_no_obstacle() -> None:
    X = np.arange(40.0)[:, np.newaxis]
    y = np.zeros(40, dtype=np.intp)
    y[7] = 2
    tree, pruning = grow(X, y, 3, Growth(5, 1, None, 0))
    assert tree.values.shape[1] == 3
    assert pruning >= 0


def test_noise_is_pruned_away_and_a_signal_is_not() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(500, 3))
    noise = (random.random(500) < 0.3).astype(np.intp)
    assert len(grow(X, noise, 2, Growth(10, 5, None, 0))[0].leaves) <= 3
    signal = ((X[:, 0] > 0.3) & (X[:, 1] < 0.5)).astype(np.intp)
    tree, _ = grow(X, signal, 2, Growth(10, 5, None, 0))
    assert len(tree.leaves) == 3
    unpruned = grow(X, noise, 2, Growth(10, 5, 0.0, 0))[0]
    assert len(unpruned.leaves) > 20


def test_rules_find_what_was_hidden() -> None:
    random = np.random.default_rng(2)
    X = random.uniform(size=(2_000, 4))
    y = (((X[:, 0] > 0.7) & (X[:, 2] <= 0.4)) | (X[:, 3] > 0.9)).astype(np.intp)
    tree, _ = grow(X, y, 2, Growth(10, 5, 0.0, 0))
    rules = learn_rules(tree, X, y, 2, leaf_size=5)
    assert len(rules.rules) <= 5
    told = np.array([np.argmax(rules.rules[i].values) for i in rules.apply(X)])
    assert (told == y).mean() > 0.995
    assert all(len(rule.conditions) <= 2 for rule in rules.rules)
    shares = [rule.rows for rule in rules.rules]
    assert sum(shares) == len(X)


def test_rules_decide_in_their_order() -> None:
    X, y, classes = _problem("classes", 3)
    known = ~np.isnan(X).any(axis=1)
    X, y = X[known], y[known]
    tree, _ = grow(X, y, classes, Growth(8, 3, 0.0, 0))
    rules = learn_rules(tree, X, y, classes, leaf_size=3)
    assert rules.rules[-1].conditions == ()
    for row in X[:100]:
        first = next(i for i, r in enumerate(rules.rules) if covers(r.conditions, row[None])[0])
        assert rules.apply(row[None])[0] == first
    for i, rule in enumerate(rules.rules):
        decided = y[rules.apply(X) == i]
        if len(decided):
            assert rule.values == pytest.approx(np.bincount(decided, minlength=3) / len(decided))
            assert rule.rows == len(decided)


def test_rules_tell_numbers() -> None:
    random = np.random.default_rng(5)
    X = random.uniform(size=(1_000, 2))
    y = np.where(X[:, 0] > 0.5, 10.0, 2.0) + random.normal(0, 0.1, 1_000)
    tree, _ = grow(X, y, None, Growth(10, 20, 0.0, 0))
    rules = learn_rules(tree, X, y, None, leaf_size=20)
    told = np.array([rules.rules[i].values[0] for i in rules.apply(X)])
    assert np.abs(told - y).mean() < 0.2


def test_nothing_to_tell_apart_is_one_answer() -> None:
    X = np.zeros((30, 2))
    y = np.zeros(30, dtype=np.intp)
    tree, _ = grow(X, y, 1, Growth(5, 1, None, 0))
    assert tree.leaves == [0]
    assert tree.apply(np.full((2, 2), np.nan)).tolist() == [0, 0]
    assert len(learn_rules(tree, X, y, 1, leaf_size=1).rules) == 1
