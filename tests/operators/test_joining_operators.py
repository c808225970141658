"""Joins, unions and aggregates against pandas."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.small_case import Columns, column, frame, load, rows, run

from miningflow.errors import ResolveError
from miningflow.project import LoadedCase

LEFT: Columns = {
    "id": [1, 2, 3, 4, 5],
    "x": [1.0, None, 3.0, 4.0, 5.0],
    "city": ["a", "b", None, "a", "c"],
}
AGAIN: Columns = {"id": [5, 6], "x": [5.0, 6.0], "city": ["c", None]}
RIGHT: Columns = {
    "who": [2, 3, 5, 9],
    "x": [20.0, 30.0, None, 90.0],
    "tag": ["t2", "t3", "t5", "t9"],
}
THIRD: Columns = {"whose": [5, 2, 7], "z": [55.0, 22.0, 77.0]}
TOWN: Columns = {"town": ["a", "b", "d"], "size": [10.0, 20.0, 40.0]}
HOME: Columns = {"hid": [1, 2, 3], "place": ["a", "a", "z"]}
MANY: Columns = {
    "m": list(range(9)),
    "of": [1, 1, 1, 2, 2, 4, 9, None, 4],
    "amount": [10.0, None, 5.0, None, None, 7.0, 99.0, 98.0, -7.0],
    "kind": ["p", "q", "p", "p", None, "q", "p", "p", "q"],
}
LEFT_TYPES = {"id": "key", "x": "numeric", "city": "nominal"}
CONCEPTS = {
    "Left": rows("id", LEFT_TYPES, LEFT),
    "Again": rows("id", LEFT_TYPES, AGAIN),
    "Right": rows("who", {"who": "key", "x": "numeric", "tag": "nominal"}, RIGHT),
    "Third": rows("whose", {"whose": "key", "z": "numeric"}, THIRD),
    "Town": rows("town", {"town": "key", "size": "numeric"}, TOWN),
    "Home": rows(
        "hid", {"hid": "key", "place": "key"}, {"hid": [1, 2, 3], "place": ["a", "a", "z"]}
    ),
    "Many": rows("m", {"m": "key", "of": "key", "amount": "numeric", "kind": "nominal"}, MANY),
}
RELATIONS = {"many_of": {"from": "Many.of", "to": "Left.id"}}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    steps = {
        "two": {
            "operator": "JoinByKey",
            "concepts": ["Left", "Right"],
            "rename": {"Right.x": "right_x"},
        },
        "three": {
            "operator": "JoinByKey",
            "concepts": ["Left", "Right", "Third"],
            "rename": {"Right.x": "right_x"},
        },
        "by_feature": {
            "operator": "JoinByKey",
            "concepts": ["Home", "Town"],
            "keys": ["Home.place", "Town.town"],
        },
        "any": {
            "operator": "UnionByKey",
            "concepts": ["Left", "Right"],
            "rename": {"Right.x": "right_x"},
        },
        "any_of_three": {
            "operator": "UnionByKey",
            "concepts": ["Third", "Left", "Right"],
            "rename": {"Right.x": "right_x"},
        },
        "any_by_feature": {
            "operator": "UnionByKey",
            "concepts": ["Home", "Town"],
            "keys": ["Home.place", "Town.town"],
        },
        "nobody": {"operator": "RowSelectionByQuery", "input": "Right", "where": "x > 1000"},
        "any_or_nobody": {
            "operator": "UnionByKey",
            "concepts": ["nobody", "Third"],
        },
        "both": {"operator": "Union", "concepts": ["Left", "Again"]},
        "slim": {"operator": "FeatureSelectionByAttributes", "input": "Again", "drop": ["x"]},
        "both_slim": {"operator": "Union", "concepts": ["Left", "slim"]},
        "totals": {
            "operator": "AggregateByRelation",
            "input": "Left",
            "relation": "many_of",
            "aggregates": {
                "total": "sum(amount)",
                "mean": "avg(amount)",
                "least": "min(amount)",
                "most": "max(amount)",
                "spread": "stddev(amount)",
                "how_many": "count()",
                "known": "count(amount)",
                "kinds": "count(distinct kind)",
                "last": "max(kind)",
            },
        },
        "clashing": {
            "operator": "AggregateByRelation",
            "input": "Left",
            "relation": "many_of",
            "aggregates": {"OF": "sum(amount)", "m": "count()"},
        },
        "only_p": {"operator": "RowSelectionByQuery", "input": "Many", "where": "kind = 'p'"},
        "totals_of_p": {
            "operator": "AggregateByRelation",
            "input": "Left",
            "relation": "many_of",
            "rows_of": "only_p",
            "aggregates": {"total": "sum(amount)", "how_many": "count()"},
        },
        "of_sample": {
            "chain": {
                "most_of_them": {
                    "operator": "RowSelectionByRandomSampling",
                    "input": "Left",
                    "how_many": 3,
                },
                "sample_totals": {
                    "operator": "AggregateByRelation",
                    "relation": "many_of",
                    "aggregates": {"how_many": "count()"},
                },
            }
        },
    }
    return run(tmp_path_factory.mktemp("joining"), CONCEPTS, steps, RELATIONS)


left, right, third = pd.DataFrame(LEFT), pd.DataFrame(RIGHT), pd.DataFrame(THIRD)


def _equal(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    found = found.astype(object).where(found.notna(), None)
    expected = expected.astype(object).where(expected.notna(), None).reset_index(drop=True)
    assert list(found.columns) == list(expected.columns)
    assert found.values.tolist() == expected.values.tolist()


def test_keys_that_one_side_lacks_are_left_out(case: LoadedCase) -> None:
    renamed = right.rename(columns={"x": "right_x"})
    expected = left.merge(renamed, left_on="id", right_on="who").drop(columns="who")
    assert list(expected["id"]) == [2, 3, 5]
    _equal(frame(case, "two"), expected.sort_values("id"))


def test_three_concepts_are_joined(case: LoadedCase) -> None:
    renamed = right.rename(columns={"x": "right_x"})
    expected = left.merge(renamed, left_on="id", right_on="who").drop(columns="who")
    expected = expected.merge(third, left_on="id", right_on="whose").drop(columns="whose")
    assert list(expected["id"]) == [2, 5]
    _equal(frame(case, "three"), expected.sort_values("id"))


def test_a_join_can_use_another_feature(case: LoadedCase) -> None:
    assert case.table("by_feature").column_names == ["hid", "place", "size"]
    assert column(case, "by_feature", "hid", "hid") == [1, 2]
    assert column(case, "by_feature", "size", "hid") == [10.0, 10.0]


def test_keys_that_one_side_lacks_are_kept(case: LoadedCase) -> None:
    renamed = right.rename(columns={"x": "right_x", "who": "id"})
    expected = left.merge(renamed, on="id", how="outer").sort_values("id")
    assert list(expected["id"]) == [1, 2, 3, 4, 5, 9]
    _equal(frame(case, "any"), expected)
    assert case.bound.steps["any"].output.key == "id"


def test_any_of_three_concepts(case: LoadedCase) -> None:
    renamed = right.rename(columns={"x": "right_x", "who": "whose"})
    expected = third.merge(left.rename(columns={"id": "whose"}), on="whose", how="outer")
    expected = expected.merge(renamed, on="whose", how="outer").sort_values("whose")
    assert list(expected["whose"]) == [1, 2, 3, 4, 5, 7, 9]  # 9 is in the last alone
    _equal(frame(case, "any_of_three", "whose"), expected)


def test_rows_are_repeated_where_a_feature_is(case: LoadedCase) -> None:
    found = case.table("any_by_feature").to_pydict()
    assert sorted(zip(found["place"], found["hid"], found["size"], strict=True), key=repr) == [
        ("a", 1, 10.0),
        ("a", 2, 10.0),
        ("b", None, 20.0),
        ("d", None, 40.0),
        ("z", 3, None),
    ]
    assert case.bound.steps["any_by_feature"].output.key is None


def test_one_side_may_be_empty(case: LoadedCase) -> None:
    assert column(case, "any_or_nobody", "who", "who") == [2, 5, 7]
    assert column(case, "any_or_nobody", "z", "who") == [22.0, 55.0, 77.0]
    assert column(case, "any_or_nobody", "tag", "who") == [None] * 3


def test_features_of_the_same_name_must_be_renamed(tmp_path: Path) -> None:
    step = {"operator": "JoinByKey", "concepts": ["Left", "Right"]}
    with pytest.raises(ResolveError, match="two of the concepts have a feature 'x'") as refused:
        load(tmp_path, CONCEPTS, {"two": step}, RELATIONS)
    assert "rename: {Right.x: right_x}" in str(refused.value)


def test_a_union_appends_and_keeps_duplicates(case: LoadedCase) -> None:
    again = pd.DataFrame(AGAIN)
    expected = pd.concat([left, again]).sort_values("id", kind="stable")
    _equal(frame(case, "both"), expected)
    assert column(case, "both", "id").count(5) == 2


def test_what_one_side_lost_is_lost(case: LoadedCase) -> None:
    assert case.table("both_slim").column_names == ["id", "city"]
    assert case.table("both_slim").num_rows == 7


def test_aggregates_without_rows(case: LoadedCase) -> None:
    totals = frame(case, "totals").set_index("id")
    for nobody in (3, 5):
        assert list(totals.loc[nobody, ["how_many", "known", "kinds"]]) == [0.0, 0.0, 0.0]
        others = totals.loc[nobody, ["total", "mean", "least", "most", "spread", "last"]]
        assert others.isna().all()


def test_aggregates_are_those_of_pandas(case: LoadedCase) -> None:
    groups = pd.DataFrame(MANY).dropna(subset=["of"]).groupby("of")
    expected = pd.DataFrame(
        {
            "total": groups["amount"].sum(min_count=1),
            "mean": groups["amount"].mean(),
            "least": groups["amount"].min(),
            "most": groups["amount"].max(),
            "spread": groups["amount"].std(),
            "how_many": groups.size().astype(float),
            "known": groups["amount"].count().astype(float),
            "kinds": groups["kind"].nunique().astype(float),
            "last": groups["kind"].max(),
        }
    ).loc[[1, 2, 4]]
    totals = frame(case, "totals").set_index("id").loc[[1, 2, 4]]
    numbers = list(expected.columns[:-1])
    np.testing.assert_allclose(
        totals[numbers].astype(float), expected[numbers].astype(float), rtol=1e-14
    )
    assert list(totals["last"]) == list(expected["last"])
    assert totals.loc[2, "how_many"] == 2
    assert totals["total"].isna().loc[2]
    assert totals.loc[4, "total"] == 0


def test_every_row_of_the_one_side_stays(case: LoadedCase) -> None:
    assert column(case, "totals", "id") == LEFT["id"]
    assert column(case, "totals", "x") == LEFT["x"]


def test_an_aggregate_may_be_called_like_the_column_it_groups_by(case: LoadedCase) -> None:
    assert column(case, "clashing", "OF") == [15.0, None, None, 0.0, None]
    assert column(case, "clashing", "m") == [3.0, 2.0, 0.0, 2.0, 0.0]


def test_another_concept_stands_in_for_the_many_side(case: LoadedCase) -> None:
    assert column(case, "totals_of_p", "how_many") == [2.0, 1.0, 0.0, 0.0, 0.0]
    assert column(case, "totals_of_p", "total") == [15.0, None, None, None, None]


def test_a_sample_is_aggregated_too(case: LoadedCase) -> None:
    known = dict(zip(LEFT["id"], [3.0, 2.0, 0.0, 2.0, 0.0], strict=True))
    ids = column(case, "sample_totals", "id")
    assert len(ids) == 3
    assert column(case, "sample_totals", "how_many") == [known[i] for i in ids]
