"""Searches with a support vector machine agree with the estimators on the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_case import load, rows
from support.word_cases import TYPES, WORDS, N, selected, selecting, word_counts, word_table

from miningflow.errors import MiningFlowError
from miningflow.learn.selection import (
    XiAlphaSelector,
)


@pytest.mark.parametrize(
    ("operator", "search", "direction"),
    [
        ("SimpleForwardFeatureSelectionGivenNoOfAttributes", "greedy", "forward"),
        ("SimpleBackwardFeatureSelectionGivenNoOfAttributes", "greedy", "backward"),
        ("FloatingForwardFeatureSelectionGivenNoOfAttributes", "floating", "forward"),
        ("FloatingBackwardFeatureSelectionGivenNoOfAttributes", "floating", "backward"),
    ],
)
def test_searches_to_a_given_number_are_those_of_the_estimator(
    tmp_path: Path, operator: str, search: Any, direction: Any
) -> None:
    step = selecting(operator, positive="k1", keep=3, sample_size=1000)
    selection = selected(tmp_path, word_table(), step)
    counts, kinds = word_counts()
    standard = (counts - counts.mean(axis=0)) / counts.std(axis=0)
    expected = XiAlphaSelector(search=search, direction=direction, keep=3)
    expected.fit(standard, kinds)
    assert len(selection.kept) == 3
    assert selection.trace[-1].value == pytest.approx(expected.trace_[-1].error, abs=3 / N)
    assert selection.kept == tuple(np.array(WORDS)[expected.get_support()])


def test_a_screened_search_looks_at_the_best_aligned_only(tmp_path: Path) -> None:
    operator = "SimpleBackwardFeatureSelectionGivenNoOfAttributes"
    step = selecting(operator, positive="k1", keep=2, screen=4)
    selection = selected(tmp_path / "a", word_table(), step)
    aligned = selected(
        tmp_path / "b",
        word_table(),
        selecting("FeatureSelectionByAlignment", method="one_shot", positive="k1", keep=4),
    )
    assert len(selection.kept) == 2
    assert set(selection.kept) <= set(aligned.kept)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"keep": 9}, "'keep' must be at most 8, the number of attributes, got 9"),
        ({"keep": 4, "screen": 3}, "'screen' must be at least 4, like 'keep', got 3"),
    ],
)
def test_a_search_that_cannot_end_is_refused(
    tmp_path: Path, more: dict[str, Any], message: str
) -> None:
    operator = "SimpleForwardFeatureSelectionGivenNoOfAttributes"
    with pytest.raises(MiningFlowError, match=message):
        load(
            tmp_path,
            {"T": rows("id", TYPES, word_table())},
            {"chosen": selecting(operator, positive="k1", **more)},
        )


@pytest.mark.parametrize(
    "more", [{"strategy": "beam"}, {"strategy": "floating"}, {"estimate": "span"}]
)
def test_broader_searches_and_other_estimates_run_in_a_case(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    search = {"strategy": "greedy", "positive": "k1", "accept_equal": True}
    greedy = selected(tmp_path / "a", word_table(), selecting("FeatureSelectionWithSVM", **search))
    step = selecting("FeatureSelectionWithSVM", **{**search, **more})
    other = selected(tmp_path / "b", word_table(), step)
    assert other.kept
    if "strategy" in more:
        best = [min(t.value for t in s.trace if t.accepted) for s in (other, greedy)]
        assert best[0] <= best[1]
    else:
        assert other.measure == "span error"
