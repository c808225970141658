"""Selections by score, alignment and normal agree with the estimators on the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import ks_2samp
from support.small_case import load, rows, run
from support.word_cases import (
    TYPES,
    WORDS,
    N,
    selected,
    selecting,
    selection_of,
    word_counts,
    word_table,
)

from miningflow.declare.selection import Selection
from miningflow.errors import MiningFlowError
from miningflow.learn.selection import (
    AlignmentSelector,
    MarginBoundSelector,
    NormalSelector,
    ScoreSelector,
)

MEASURES = ["information_gain", "odds_ratio", "chi2", "bns", "fisher", "pearson"]
METHODS = ["one_shot", "incremental", "decremental"]
BY_SCORE, BY_ALIGNMENT = "FeatureSelectionByScore", "FeatureSelectionByAlignment"
BOUNDS = ["radius_margin", "span"]


def _steps_for_any_classes() -> dict[str, dict[str, Any]]:
    steps = {
        measure: selecting(BY_SCORE, score=measure, keep=3)
        for measure in (*MEASURES, "kolmogorov_smirnov")
    }
    for method in METHODS:
        steps[method] = selecting(BY_ALIGNMENT, method=method, keep=3, balanced=False)
    return steps


def _steps_for_two_classes() -> dict[str, dict[str, Any]]:
    steps = _steps_for_any_classes()
    for method in METHODS:
        steps[f"{method}_balanced"] = selecting(BY_ALIGNMENT, method=method, keep=3, balanced=True)
        steps[f"{method}_quadratic"] = selecting(
            BY_ALIGNMENT, kernel="quadratic", method=method, keep=3
        )
    for bound in BOUNDS:
        steps[bound] = selecting(
            "FeatureSelectionByMarginBound", keep=3, bound=bound, sample_size=1000
        )
    return steps | {
        "sampled": selecting(BY_SCORE, score="kolmogorov_smirnov", keep=3, sample_size=50),
        "k0": selecting(BY_SCORE, score="odds_ratio", keep=1, positive="k0"),
        "k1": selecting(BY_SCORE, score="odds_ratio", keep=1, positive="k1"),
        "sparse": selecting(BY_SCORE, score="information_gain", sparsity=1.5),
        "explained": selecting(BY_ALIGNMENT, explained=0.9),
        "three": selecting(BY_ALIGNMENT, keep=3),
        "normal": selecting("FeatureSelectionByNormal", keep=3, C=0.1),
        "correlated": _repeats(threshold=1),
        "uncorrelated": _repeats(threshold=0),
    }


def _steps_for_three_classes() -> dict[str, dict[str, Any]]:
    steps = _steps_for_any_classes()
    for method in METHODS:
        steps[f"{method}_quadratic"] = selecting(
            BY_ALIGNMENT, kernel="quadratic", method=method, explained=0.9
        )
    return steps


def _repeats(**more: Any) -> dict[str, Any]:
    step = {"operator": "StatisticalFeatureSelection", "input": "T", "attributes": WORDS}
    return step | more


Selections = Mapping[str, Selection]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Selections]:
    """Runs what selects among the same words of two, and of three classes, in one case each."""
    by_classes = {2: _steps_for_two_classes(), 3: _steps_for_three_classes()}
    return {
        classes: run(
            tmp_path_factory.mktemp("words"), {"T": rows("id", TYPES, word_table(classes))}, steps
        ).selections()
        for classes, steps in by_classes.items()
    }


def _scores(selection: Selection) -> npt.NDArray[np.float64]:
    return np.array([selection.scores[word] for word in WORDS])


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("measure", MEASURES)
def test_scores_counted_in_the_database_are_those_of_the_estimator(
    found: dict[int, Selections], measure: Any, classes: int
) -> None:
    selection = found[classes][measure]
    counts, kinds = word_counts(classes)
    expected = ScoreSelector(measure, keep=3).fit(counts, kinds)
    np.testing.assert_allclose(_scores(selection), expected.scores_, rtol=1e-9, atol=1e-12)
    assert selection.kept == tuple(np.array(WORDS)[expected.get_support()])
    assert [t.changed for t in selection.trace if t.accepted] == [
        WORDS[r.feature] for r in expected.trace_ if r.kept
    ]


@pytest.mark.parametrize("classes", [2, 3])
def test_distances_of_distributions_are_those_of_scipy(
    found: dict[int, Selections], classes: int
) -> None:
    selection = found[classes]["kolmogorov_smirnov"]
    counts, kinds = word_counts(classes)
    labels = np.array(kinds)
    expected = [
        max(ks_2samp(x[labels == k], x[labels != k]).statistic for k in set(kinds))
        for x in counts.T
    ]
    np.testing.assert_allclose(_scores(selection), expected, rtol=1e-12)
    best = sorted(range(len(WORDS)), key=lambda i: -expected[i])[:3]
    assert selection.kept == tuple(WORDS[i] for i in sorted(best))


def test_distributions_that_differ_in_spread_only_are_seen(tmp_path: Path) -> None:
    table = word_table()
    random = np.random.default_rng(5)
    wide = np.array([k == "k1" for k in table["kind"]])
    values = random.normal(0, 1, N) * np.where(wide, 4.0, 1.0)
    values[wide] -= values[wide].mean()
    values[~wide] -= values[~wide].mean()
    table |= {word: random.normal(0, 1, N).tolist() for word in WORDS}
    table["w7"] = values.tolist()
    seen = {}
    for score in ("fisher", "pearson", "kolmogorov_smirnov"):
        step = selecting("FeatureSelectionByScore", score=score, keep=1)
        seen[score] = selected(tmp_path / score, table, step).kept
    assert seen["kolmogorov_smirnov"] == ("w7",)
    assert seen["fisher"] != ("w7",)
    assert seen["pearson"] != ("w7",)


def test_a_sample_is_drawn_for_distances(found: dict[int, Selections], tmp_path: Path) -> None:
    all_rows, some = found[2]["kolmogorov_smirnov"], found[2]["sampled"]
    again = selected(tmp_path, word_table(), _steps_for_two_classes()["sampled"])
    assert some == again
    assert some.scores != all_rows.scores


def test_the_positive_class_decides_the_sign(found: dict[int, Selections]) -> None:
    first, second = found[2]["k0"], found[2]["k1"]
    np.testing.assert_allclose(_scores(first), -_scores(second), rtol=1e-12)
    assert first.kept != second.kept


def test_rows_with_missing_values_do_not_count(tmp_path: Path) -> None:
    table = word_table(holes=20)
    step = selecting("FeatureSelectionByScore", score="fisher", keep=3, nulls="drop_rows")
    selection = selected(tmp_path, table, step)
    matrix = np.array([table[word] for word in WORDS], dtype=float).T
    known = ~np.isnan(matrix).any(axis=1)
    kinds = np.array(table["kind"])[known]
    expected = ScoreSelector("fisher", keep=3).fit(matrix[known], kinds)
    np.testing.assert_allclose(_scores(selection), expected.scores_, rtol=1e-9)


def test_sparsity_and_threshold_limit_the_scores(
    found: dict[int, Selections], tmp_path: Path
) -> None:
    counts, kinds = word_counts()
    sparse = found[2]["sparse"]
    expected = ScoreSelector("information_gain", sparsity=1.5).fit(counts, kinds)
    assert sparse.kept == tuple(np.array(WORDS)[expected.get_support()])
    limit = sorted(expected.scores_)[-2]
    best = selected(
        tmp_path,
        word_table(),
        selecting(BY_SCORE, score="information_gain", threshold=float(limit) - 1e-9),
    )
    assert len(best.kept) == 2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("classes", "balanced"), [(2, False), (2, True), (3, False)])
def test_alignment_from_streamed_sums_is_that_of_the_estimator(
    found: dict[int, Selections], method: Any, classes: int, balanced: bool
) -> None:
    selection = found[classes][f"{method}_balanced" if balanced else method]
    counts, kinds = word_counts(classes)
    expected = AlignmentSelector(method, keep=3, balanced=balanced, standardize=True)
    expected.fit(counts, kinds)
    assert selection.kept == tuple(np.array(WORDS)[expected.get_support()])
    assert selection.trace[2].value == pytest.approx(expected.trace_[2].alignment, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("classes", "limit"), [(2, {"keep": 3}), (3, {"explained": 0.9})])
def test_a_quadratic_kernel_is_that_of_the_estimator(
    found: dict[int, Selections], method: Any, classes: int, limit: dict[str, Any]
) -> None:
    selection = found[classes][f"{method}_quadratic"]
    counts, kinds = word_counts(classes)
    expected = AlignmentSelector(method, kernel="quadratic", **limit).fit(counts, kinds)
    assert selection.kept == tuple(np.array(WORDS)[expected.get_support()])
    np.testing.assert_allclose(_scores(selection), expected.scores_, rtol=1e-7, atol=1e-12)
    taken = [t.value for t in selection.trace if t.accepted]
    assert taken[-1] == pytest.approx(expected.alignment_, rel=1e-9)


@pytest.mark.parametrize("kernel", ["", "_quadratic"])
@pytest.mark.parametrize("method", METHODS)
def test_the_trace_of_alignment_has_features_and_sets(
    found: dict[int, Selections], method: str, kernel: str
) -> None:
    selection = found[2][method + kernel]
    before = set(WORDS) if method == "decremental" else set()
    for trial in selection.trace:
        changed = {name for name in trial.changed.split(", ") if name}
        assert set(trial.kept) == before ^ changed
        before = set(trial.kept)
    *_, last = [trial for trial in selection.trace if trial.accepted]
    assert set(last.kept) == set(selection.kept)


def test_a_quadratic_kernel_sees_a_pair_that_a_linear_one_does_not(tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    numbers = random.normal(size=(N, len(WORDS)))
    kinds = np.where(numbers[:, 2] * numbers[:, 5] > 0, "k1", "k0")
    table: dict[str, list[Any]] = {"id": list(range(N)), "kind": kinds.tolist()}
    table |= {word: numbers[:, i].tolist() for i, word in enumerate(WORDS)}
    step = selecting("FeatureSelectionByAlignment", method="decremental", keep=2)
    linear = selected(tmp_path / "a", table, step)
    quadratic = selected(tmp_path / "b", table, step | {"kernel": "quadratic"})
    assert quadratic.kept == ("w2", "w5")
    assert linear.kept != ("w2", "w5")


def test_alignment_keeps_the_share_that_was_asked_for(found: dict[int, Selections]) -> None:
    selection = found[2]["explained"]
    counts, kinds = word_counts()
    expected = AlignmentSelector(explained=0.9, standardize=True).fit(counts, kinds)
    assert selection.kept == tuple(np.array(WORDS)[expected.get_support()])


def test_large_means_do_not_spoil_the_streamed_sums(
    found: dict[int, Selections], tmp_path: Path
) -> None:
    table = word_table()
    for word in WORDS:
        table[word] = [value + 1e7 for value in table[word]]
    far = selected(tmp_path, table, selecting("FeatureSelectionByAlignment", keep=3))
    near = found[2]["three"]
    assert far.kept == near.kept
    assert far.trace[0].value == pytest.approx(near.trace[0].value, rel=1e-6)


def test_weights_are_those_of_the_estimator(found: dict[int, Selections]) -> None:
    selection = found[2]["normal"]
    counts, kinds = word_counts()
    standard = (counts - counts.mean(axis=0)) / counts.std(axis=0)
    expected = NormalSelector(keep=3, C=0.1, random_state=0).fit(standard, kinds)
    np.testing.assert_allclose(_scores(selection), expected.scores_, rtol=0.02, atol=1e-3)
    assert set(selection.kept) == set(np.array(WORDS)[expected.get_support()])


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_margin_bound_is_that_of_the_estimator(
    found: dict[int, Selections], bound: Any
) -> None:
    selection = found[2][bound]
    counts, kinds = word_counts()
    expected = MarginBoundSelector(3, bound=bound).fit(counts, kinds)
    assert selection.kept == tuple(np.array(WORDS)[expected.get_support()])
    last = [t.value for t in selection.trace if t.accepted][-1]
    assert last == pytest.approx(expected.bound_, rel=1e-3)


def test_the_margin_bound_wants_two_classes(tmp_path: Path) -> None:
    with pytest.raises(MiningFlowError, match="'kind' has 3 classes; two are needed"):
        selected(tmp_path, word_table(3), selecting("FeatureSelectionByMarginBound", keep=3))


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (selecting("FeatureSelectionByScore"), "needs 'keep' or 'threshold' or 'sparsity'"),
        (selecting("FeatureSelectionByScore", keep=2, threshold=1), "and only one of them"),
        (
            selecting("FeatureSelectionByAlignment", keep=9),
            "'keep' must be at most 8, the number of attributes, got 9",
        ),
        (selecting("FeatureSelectionByNormal", keep=0), "'keep' of FeatureSelectionByNormal"),
        (selecting("FeatureSelectionByAlignment", keep=1, attributes=["kind"]), "takes numeric"),
    ],
)
def test_wrong_limits_are_found_before_the_run(
    tmp_path: Path, step: dict[str, Any], message: str
) -> None:
    with pytest.raises(MiningFlowError, match=message):
        load(tmp_path, {"T": rows("id", TYPES, word_table())}, {"chosen": step})


@pytest.mark.parametrize(
    "operator",
    [
        "FeatureSelectionByScore",
        "FeatureSelectionByAlignment",
        "FeatureSelectionByNormal",
        "FeatureSelectionByMarginBound",
    ],
)
@pytest.mark.parametrize(
    ("kinds", "more", "message"),
    [
        ({"k0": "x", "k1": "x"}, {}, "has 1 classes|at least two are needed"),
        ({}, {"positive": "zz"}, "the positive value 'zz' of 'kind' never occurs"),
        ({"k0": None, "k1": None}, {}, "at least two are needed"),
    ],
)
def test_labels_that_teach_nothing_are_refused(
    tmp_path: Path, operator: str, kinds: dict[str, Any], more: dict[str, Any], message: str
) -> None:
    table = word_table()
    table["kind"] = [kinds.get(k, k) for k in table["kind"]]
    with pytest.raises(MiningFlowError, match=message):
        selected(tmp_path, table, selecting(operator, keep=2, **more))


def test_a_threshold_that_nothing_reaches_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MiningFlowError, match="no feature has a score of at least 99"):
        selected(
            tmp_path,
            word_table(),
            selecting("FeatureSelectionByScore", score="fisher", threshold=99),
        )


def test_keep_bends_where_earlier_steps_left_fewer(tmp_path: Path) -> None:
    steps = {
        "fewer": {
            "operator": "FeatureSelectionByAttributes",
            "input": "T",
            "drop": WORDS[2:],
        },
        "chosen": selecting("FeatureSelectionByAlignment", keep=5) | {"input": "fewer"},
    }
    case = run(tmp_path, {"T": rows("id", TYPES, word_table())}, steps)
    assert selection_of(case).kept == ("w0", "w1")


def _repeated() -> dict[str, list[Any]]:
    table = word_table()
    table["w1"] = [value * -2 + 3 for value in table["w0"]]  # the same, turned round
    table["w5"] = [7.0] * N  # constant
    return table


def test_what_repeats_another_feature_is_dropped(tmp_path: Path) -> None:
    selection = selected(tmp_path / "a", _repeated(), _repeats())
    assert selection.dropped == ("w1",)
    assert selection.scores["w1"] == pytest.approx(1.0)
    assert selection.scores["w5"] == 0.0
    other = selected(tmp_path / "b", _repeated(), _repeats(attributes=["w1", "w0", "w5"]))
    assert other.dropped == ("w0",)


def test_correlations_are_those_of_numpy(found: dict[int, Selections]) -> None:
    selection = found[2]["correlated"]
    expected = np.abs(np.corrcoef(word_counts()[0].T))
    highest = [0.0, *(expected[i, :i].max() for i in range(1, len(WORDS)))]
    np.testing.assert_allclose(_scores(selection), highest, atol=1e-12)
    assert found[2]["uncorrelated"].kept == ("w0",)


def test_correlations_of_unknown_values_are_refused(tmp_path: Path) -> None:
    table = word_table()
    table["w3"] = [None] * N
    with pytest.raises(MiningFlowError, match="fewer than two training rows"):
        selected(tmp_path, table, _repeats(nulls="drop_rows"))


def test_keep_limits_a_search_with_a_machine(tmp_path: Path) -> None:
    table = word_table()
    steps = {
        "three": selecting("FeatureSelectionWithSVM", positive="k1", keep=3),
        "chosen": selecting("FeatureSelectionWithSVM", positive="k1"),
    }
    case = run(tmp_path, {"T": rows("id", TYPES, table)}, steps)
    assert len(case.selections()["three"].kept) == 3
    assert case.bound.steps["three"].given["keep"] == 3
    assert "keep" not in case.bound.steps["chosen"].given  # stores are older than the parameter
    with pytest.raises(MiningFlowError, match="'keep' must be at most 8"):
        selected(tmp_path / "many", table, {**steps["three"], "keep": 9})
