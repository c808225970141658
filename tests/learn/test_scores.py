"""The score selector: each score against scipy, scikit-learn or a loop over the rows."""

import warnings
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array
from scipy.stats import chi2_contingency, ks_2samp, norm, pearsonr
from sklearn.feature_selection import chi2 as sklearn_chi2
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from support.drawn_examples import drawn

from miningflow.learn.arrays import Indices, Matrix
from miningflow.learn.selection import Ranked, ScoreSelector
from miningflow.learn.selection.class_counts import class_moments
from miningflow.learn.selection.kolmogorov_smirnov import kolmogorov_smirnov
from miningflow.learn.selection.moment_scores import ClassMoments, fisher, pearson
from miningflow.learn.selection.presence_scores import (
    PresenceCounts,
    PresenceTable,
    bns,
    chi2,
    information_gain,
    odds_ratio,
)
from miningflow.learn.selection.scores import Measure

MEASURES: tuple[Measure, ...] = get_args(Measure)


@parametrize_with_checks(  # type: ignore[untyped-decorator]  # scikit-learn has no types
    [
        ScoreSelector(),
        ScoreSelector("fisher", combine="mean"),
        ScoreSelector("ks", sparsity=2),
        ScoreSelector("pearson", threshold=0.0),
    ]
)
def test_scikit_learn_checks(
    estimator: ScoreSelector, check: Callable[[ScoreSelector], None]
) -> None:
    check(estimator)


def words(n: int = 200, m: int = 30, seed: int = 0) -> tuple[Matrix, Indices]:
    """Counts of words, most of them 0; the first three belong to the second class."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.intp)
    X = rng.poisson(0.2, size=(n, m)).astype(np.float64)
    X[y == 1, :3] += rng.poisson(1.0, size=(int(y.sum()), 3))
    return X, y


def numbers(n: int = 100, m: int = 8, seed: int = 0) -> tuple[Matrix, Indices]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m)) * 10 ** np.linspace(-2, 2, m) + 5
    y = ((X[:, 1] - 5) / X[:, 1].std() + rng.normal(size=n) > 0.3).astype(np.intp)
    return X, y


def tables(n: int) -> st.SearchStrategy[tuple[int, int, int, int]]:
    size = st.integers(1, n)
    return st.tuples(size, size).flatmap(
        lambda sizes: st.tuples(
            st.integers(0, sizes[0]), st.integers(0, sizes[1]), *map(st.just, sizes)
        )
    )


@settings(max_examples=drawn(200), deadline=None)
@given(tables(60))
def test_presence_scores_from_counts(counts: tuple[int, int, int, int]) -> None:
    a, b, positives, negatives = counts
    table = PresenceTable(np.array([a]), np.array([b]), positives, negatives)
    c, d = positives - a, negatives - b
    n = positives + negatives
    gain = 0.0
    for joint, row, column in [
        (a, positives, a + b),
        (c, positives, c + d),
        (b, negatives, a + b),
        (d, negatives, c + d),
    ]:
        if joint:
            gain += joint / n * np.log(joint * n / (row * column))
    assert information_gain(table)[0] == pytest.approx(gain, abs=1e-12)
    square = 0.0
    if 0 < a + b < n:
        square = chi2_contingency([[a, b], [c, d]], correction=False).statistic
    assert chi2(table)[0] == pytest.approx(square, abs=1e-9)
    odds = ((a + 0.5) / (c + 0.5)) / ((b + 0.5) / (d + 0.5))
    assert odds_ratio(table)[0] == pytest.approx(np.log(odds), abs=1e-12)
    rates = [min(max(x, 0.0005), 0.9995) for x in (a / positives, b / negatives)]
    assert bns(table)[0] == pytest.approx(abs(norm.ppf(rates[0]) - norm.ppf(rates[1])), abs=1e-9)


def test_information_gain_is_scikit_learns() -> None:
    X, y = words()
    expected = mutual_info_classif(X > 0, y, discrete_features=True)
    found = ScoreSelector("information_gain").fit(X, y).scores_
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_chi2_is_scikit_learns_over_the_share_of_rows_without_the_feature() -> None:
    X, y = words()
    present = X > 0
    expected = sklearn_chi2(present.astype(float), y)[0] / (1 - present.mean(axis=0))
    np.testing.assert_allclose(ScoreSelector("chi2").fit(X, y).scores_, expected)


def test_pearson_is_scikit_learns_f_value_in_other_words() -> None:
    X, y = numbers()
    scores = ScoreSelector("pearson").fit(X, y).scores_
    expected = [abs(pearsonr(column, y).statistic) for column in X.T]
    np.testing.assert_allclose(scores, expected, rtol=1e-9)
    f = scores**2 * (len(y) - 2) / (1 - scores**2)
    np.testing.assert_allclose(f, f_classif(X, y)[0], rtol=1e-8)


def test_fisher_is_the_squared_distance_over_the_variances() -> None:
    X, y = numbers()
    distance = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    expected = distance**2 / (X[y == 1].var(axis=0) + X[y == 0].var(axis=0))
    scores = ScoreSelector("fisher").fit(X, y).scores_
    np.testing.assert_allclose(scores, expected, rtol=1e-9)
    in_other_units = ScoreSelector("fisher").fit(X * np.arange(1, 9) - 3, y).scores_
    np.testing.assert_allclose(in_other_units, scores, rtol=1e-9)


def test_fisher_of_classes_of_one_size_is_the_f_value() -> None:
    X, _ = numbers()
    y = np.arange(100) % 2
    f = ScoreSelector("fisher").fit(X, y).scores_ * (100 - 2) / 2
    np.testing.assert_allclose(f, f_classif(X, y)[0], rtol=1e-8)


def test_kolmogorov_smirnov_is_scipys() -> None:
    for X, y in (numbers(), words()):
        expected = [ks_2samp(column[y == 1], column[y == 0]).statistic for column in X.T]
        np.testing.assert_allclose(ScoreSelector("ks").fit(X, y).scores_, expected)
    assert kolmogorov_smirnov([3, 0, 1], [0, 2, 2]) == 0.75


@pytest.mark.parametrize("measure", MEASURES)
def test_sparse_rows_have_the_same_scores(measure: Measure) -> None:
    X, y = words()
    X[:, 4], X[:, 5], X[:, 6] = 0, 1, -X[:, 7]
    dense, sparse = (ScoreSelector(measure).fit(each, y) for each in (X, csr_array(X)))
    np.testing.assert_allclose(sparse.scores_, dense.scores_, atol=1e-12)
    np.testing.assert_array_equal(sparse.support_, dense.support_)
    assert sparse.transform(csr_array(X)).shape == (200, 15)


def test_stored_zeros_are_not_present() -> None:
    X, y = words(60)
    stored = csr_array(X)
    stored.data[::3] = 0
    before = stored.data.copy()
    for measure in MEASURES:
        expected = ScoreSelector(measure).fit(stored.toarray(), y).scores_
        np.testing.assert_allclose(ScoreSelector(measure).fit(stored, y).scores_, expected)
    np.testing.assert_array_equal(stored.data, before)


@pytest.mark.parametrize("measure", MEASURES)
def test_more_classes_are_each_scored_against_the_rest(measure: Measure) -> None:
    X, y = words()
    y = np.where((y == 0) & (X[:, 8] > 0), 2, y)
    single = [ScoreSelector(measure).fit(X, y == code).scores_ for code in range(3)]
    highest = ScoreSelector(measure).fit(X, y).scores_
    np.testing.assert_allclose(highest, np.max(single, axis=0), atol=1e-12)
    mean = ScoreSelector(measure, combine="mean").fit(X, y).scores_
    np.testing.assert_allclose(mean, np.mean(single, axis=0), atol=1e-12)


def test_counts_of_classes_against_the_rest() -> None:
    counts = PresenceCounts(np.array([[1.0, 2], [3, 4], [5, 6]]), np.array([10.0, 20, 30]))
    table = counts.against_rest(1)
    assert table.positive.tolist() == [3, 4] and table.negative.tolist() == [6, 8]
    assert (table.positives, table.negatives) == (20, 40)


def test_moments_from_averages_and_variances() -> None:
    X, _ = numbers()
    codes = np.arange(100) % 3
    moments = ClassMoments(
        np.array([X[codes == code].mean(axis=0) for code in range(3)]),
        np.array([X[codes == code].var(axis=0) for code in range(3)]),
        np.bincount(codes).astype(float),
    )
    two = class_moments(X, (codes == 2).astype(np.intp))
    for score in (fisher, pearson):
        np.testing.assert_allclose(score(moments.against_rest(2)), score(two))


@pytest.mark.parametrize("measure", MEASURES)
def test_the_relevant_words_come_first(measure: Measure) -> None:
    X, y = words(400)
    selector = ScoreSelector(measure, keep=3).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1, 2]


def test_odds_ratio_prefers_the_positive_class() -> None:
    X, y = words(400)
    scores = ScoreSelector("odds_ratio").fit(X, y).scores_
    flipped = ScoreSelector("odds_ratio").fit(X, 1 - y).scores_
    assert (scores[:3] > 1).all()
    np.testing.assert_allclose(flipped, -scores)


def test_the_trace_has_the_features_in_order() -> None:
    X, y = words()
    selector = ScoreSelector(keep=4).fit(X, y)
    ranks = np.argsort(-selector.scores_, kind="stable")
    assert selector.trace_ == tuple(
        Ranked(int(feature), float(selector.scores_[feature]), rank < 4)
        for rank, feature in enumerate(ranks)
    )
    assert np.flatnonzero(selector.support_).tolist() == sorted(ranks[:4])


@pytest.mark.parametrize("measure", MEASURES)
def test_the_first_of_equals_is_kept(measure: Measure) -> None:
    X, y = words()
    X = np.column_stack([np.zeros(200), X[:, [0] * 6], np.ones(200)])
    selector = ScoreSelector(measure, keep=3).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [1, 2, 3]


def test_threshold() -> None:
    X, y = words()
    scores = ScoreSelector("pearson").fit(X, y).scores_
    support = ScoreSelector("pearson", threshold=0.2).fit(X, y).support_
    np.testing.assert_array_equal(support, scores >= 0.2)
    with pytest.warns(UserWarning, match="No features were selected"):
        assert ScoreSelector("pearson", threshold=2.0).fit_transform(X, y).shape == (200, 0)


@pytest.mark.parametrize("sparsity", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("measure", ["information_gain", "odds_ratio"])
def test_sparsity_is_the_mean_number_of_words_in_a_row(measure: Measure, sparsity: float) -> None:
    X, y = words()
    selector = ScoreSelector(measure, sparsity=sparsity).fit(X, y)
    chosen = selector.transform(csr_array(X))
    assert chosen.nnz / len(y) >= sparsity
    last = [each.feature for each in selector.trace_ if each.kept][-1]
    assert (chosen.nnz - np.count_nonzero(X[:, last])) / len(y) < sparsity


def test_a_sparsity_never_reached_keeps_everything() -> None:
    X, y = words()
    assert ScoreSelector(sparsity=100).fit(X, y).support_.all()


@pytest.mark.parametrize("measure", MEASURES)
def test_columns_that_say_nothing_score_nothing(measure: Measure) -> None:
    y = np.array([0, 1, 1] * 7)
    X = np.column_stack([np.zeros(21), np.full(21, 0.1), y])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = ScoreSelector(measure).fit(X, y).scores_
        sparse = ScoreSelector(measure).fit(csr_array(X), y).scores_
    np.testing.assert_array_equal(sparse, scores)
    # Adding one half to every cell of the odds ratio pulls the rate of the smaller class more.
    assert np.abs(scores[:2]).max() < (1e-12 if measure != "odds_ratio" else 1.0)
    assert scores[2] > 0.6
    assert measure != "fisher" or scores[2] == np.inf


@settings(max_examples=drawn(100), deadline=None)
@given(
    arrays(
        np.float64, st.tuples(st.integers(3, 12), st.integers(1, 4)), elements=st.integers(-2, 2)
    ),
    st.sampled_from(MEASURES),
    st.integers(2, 3),
)
def test_any_table_can_be_scored(X: Matrix, measure: Measure, classes: int) -> None:
    y = np.arange(len(X)) % classes
    dense = ScoreSelector(measure, keep=1).fit(X, y)
    sparse = ScoreSelector(measure, keep=1).fit(csr_array(X), y)
    assert not np.isnan(dense.scores_).any()
    np.testing.assert_allclose(sparse.scores_, dense.scores_, atol=1e-12)
    assert dense.support_.sum() == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keep": 2, "threshold": 0.1}, "n_features_to_select and threshold each decide"),
        ({"sparsity": 2, "threshold": 0.1}, "threshold and sparsity each decide"),
        ({"keep": 4}, "4 features cannot be kept; there are 3"),
        ({"measure": "gini"}, "'measure' parameter of ScoreSelector must be"),
        ({"sparsity": 0}, "'sparsity' parameter"),
    ],
)
def test_wrong_limits_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ScoreSelector(**arguments).fit(np.eye(3), [0, 1, 1])


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="one class"):
        ScoreSelector().fit(np.eye(3), [1, 1, 1])


def test_in_a_grid_search_and_with_pandas() -> None:
    X, y = words(400)
    frame = pd.DataFrame(X, columns=[f"word{at}" for at in range(30)])
    pipeline = make_pipeline(ScoreSelector(), LogisticRegression()).set_output(transform="pandas")
    grid = {"scoreselector__measure": list(MEASURES), "scoreselector__keep": [1, 3]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(frame, pd.Series(y).map({0: "no", 1: "yes"}))
    names = search.best_estimator_[0].get_feature_names_out()
    assert set(names) == {"word0", "word1", "word2"}
    assert list(search.best_estimator_[0].transform(frame).columns) == list(names)
