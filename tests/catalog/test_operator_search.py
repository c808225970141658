"""Operators are found by the words that people use for what they do."""

from __future__ import annotations

import pytest

from miningflow.catalog import installed, operator_hint, search, search_hint


def found(*words: str) -> list[str]:
    return [cls.alias or cls.__name__ for cls in search(words, installed())]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("missing", "FillMean"),
        ("imputation", "FillMean"),
        ("fill mean", "FillMean"),
        ("dropna", "DropMissing"),
        ("rare", "GroupRare"),
        ("rare values", "GroupRare"),
        ("lag", "Window"),
        ("lags", "Window"),
        ("one-hot", "OneHot"),
        ("onehot encoding", "OneHot"),
        ("quantile bins", "BinQuantile"),
        ("balance classes", "Balance"),
        ("duplicates", "Dedupe"),
        ("pivot", "Pivot"),
        ("melt", "Unpivot"),
        ("join", "Join"),
        ("left join", "JoinRelations"),
        ("outer join", "FullJoin"),
        ("GROUP BY", "Aggregate"),
        ("k-means", "KMeans"),
        ("normalise", "ScaleMinMax"),
        ("anomaly", "OneClassSVM"),
        ("accuracy", "Evaluate"),
        ("where", "Filter"),
        ("market basket", "Apriori"),
        ("correlated", "SelectUncorrelated"),
        ("rolling mean", "MovingAverage"),
    ],
)
def test_the_best_one_comes_first(words: str, first: str) -> None:
    assert found(words)[0] == first
    assert found(*words.split())[0] == first


def test_every_operator_comes_first_for_its_own_name() -> None:
    for cls in installed().values():
        for name in filter(None, (cls.__name__, cls.alias)):
            assert search([name.lower()], installed())[0] is cls


def test_all_that_replace_missing_values_are_found() -> None:
    fills = {cls.alias for cls in installed().values() if cls.alias.startswith("Fill")}
    assert len(fills) >= 9
    assert fills <= set(found("missing")) & set(found("impute"))


def test_words_that_fit_together_beat_words_that_fit_alone() -> None:
    assert "Tree" in found("tree")
    assert found("missing", "tree") == ["FillTree"]


def test_what_is_not_found_leads_to_similar_words() -> None:
    assert found("zork") == found("") == found("x;y") == []
    assert search_hint(["missng"], installed()) == "did you mean 'missing'?"
    assert search_hint(["Unoin"], installed()) == "did you mean 'Union'?"
    assert "lists all of them" in search_hint(["zork"], installed())


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("svm", "did you mean 'SVM'?"),
        ("FillMaen", "did you mean 'FillMean'?"),
        ("LeftJoin", "did you mean 'JoinRelations'?"),
        ("Impute", "these may do: FillMean, FillConstant, FillMedian"),
        ("Zork", "known operators: AggregateByRelation"),
    ],
)
def test_a_wrong_operator_in_a_case_leads_to_the_right_one(word: str, hint: str) -> None:
    assert hint in operator_hint(word, installed())
