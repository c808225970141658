"""Aggregates and features along relations, 1:n and n:m, against tables worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.small_case import Columns, column, frame, load, rows, run

from miningflow.errors import RunError
from miningflow.project import LoadedCase

PERSON: Columns = {
    "id": [1, 2, 3, 4],
    "age": [30.0, None, 50.0, 60.0],
    "boss": [None, 1, 1, 2],
    "office": ["x", "y", "none", None],
}
OFFICE: Columns = {"office": ["x", "y"], "rent": [100.0, None], "town": ["a", "b"]}
TOWN: Columns = {"town": ["a", "c"], "tax": [0.1, 0.3]}
CLUB: Columns = {"club": [10, 20, 30], "fee": [5.0, 7.0, None], "sport": ["golf", "chess", "golf"]}
# Two has joined chess twice, three a club that does not exist; nobody is in club 30 but four.
MEMBER: Columns = {
    "member": [1, 1, 2, 2, 3, 4, None],
    "of": [10, 20, 20, 20, 99, 30, 10],
    "since": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
}
CONCEPTS = {
    "Person": rows("id", {"id": "key", "age": "numeric", "boss": "key", "office": "key"}, PERSON),
    "Office": rows("office", {"office": "key", "rent": "numeric", "town": "key"}, OFFICE),
    "Town": rows("town", {"town": "key", "tax": "numeric"}, TOWN),
    "Club": rows("club", {"club": "key", "fee": "numeric", "sport": "nominal"}, CLUB),
    "Member": rows(None, {"member": "key", "of": "key", "since": "numeric"}, MEMBER),
}
RELATIONS: dict[str, dict[str, Any]] = {
    "boss_of": {"from": "Person.boss", "to": "Person.id"},
    "works_in": {"from": "Person.office", "to": "Office.office"},
    "lies_in": {"from": "Office.town", "to": "Town.town"},
    "joined": {"from": "Person.id", "to": "Club.club", "through": ["Member.member", "Member.of"]},
    "entries_of": {"from": "Member.member", "to": "Person.id"},
}
COLLECT = "MultiRelationalFeatureConstruction"


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    fees = {"fees": "sum(fee)", "clubs": "count()", "sports": "count(distinct sport)"}
    steps: dict[str, Any] = {
        "fees": {
            "operator": "AggregateByRelation",
            "input": "Person",
            "relation": "joined",
            "aggregates": fees,
        },
        "ages": {
            "operator": "AggregateByRelation",
            "input": "Club",
            "relation": "joined",
            "aggregates": {"oldest": "max(age)", "people": "count()"},
        },
        "golf": {"operator": "RowSelectionByQuery", "input": "Club", "where": "sport = 'golf'"},
        "golf_fees": {
            "operator": "AggregateByRelation",
            "input": "Person",
            "relation": "joined",
            "rows_of": "golf",
            "aggregates": fees,
        },
        "late": {"operator": "RowSelectionByQuery", "input": "Member", "where": "since > 3"},
        "late_fees": {
            "operator": "AggregateByRelation",
            "input": "Person",
            "relation": "joined",
            "rows_of": "late",
            "aggregates": fees,
        },
        "placed": {
            "operator": COLLECT,
            "input": "Person",
            "relations": ["works_in", "lies_in"],
            "features": {"Town.tax": "tax", "Office.rent": "rent", "Office.town": "town"},
        },
        "led": {
            "operator": COLLECT,
            "input": "Person",
            "relations": ["boss_of"],
            "features": {"Person.age": "boss_age"},
        },
        "team": {
            "operator": "AggregateByRelation",
            "input": "Person",
            "relation": "boss_of",
            "aggregates": {"size": "count()"},
        },
        "entries": {
            "operator": COLLECT,
            "input": "Person",
            "relations": ["entries_of"],
            "features": ["Member.since"],
            "rows": "multiply",
        },
        "clubs": {
            "operator": COLLECT,
            "input": "Person",
            "relations": ["joined"],
            "features": ["Club.sport"],
            "rows": "multiply",
        },
        "slim": {"operator": "FeatureSelectionByAttributes", "input": "Office", "drop": ["rent"]},
        "without_rent": {
            "operator": COLLECT,
            "input": "Person",
            "relations": ["works_in", "lies_in"],
            "rows_of": ["slim"],
            "features": {"slim.rent": "rent", "Town.tax": "tax"},
        },
    }
    return run(tmp_path_factory.mktemp("relations"), CONCEPTS, steps, RELATIONS)


def test_an_n_to_m_relation_is_aggregated_through_its_cross_table(case: LoadedCase) -> None:
    assert column(case, "fees", "fees") == [12.0, 14.0, None, None]
    assert column(case, "fees", "clubs") == [2.0, 2.0, 0.0, 1.0]
    assert column(case, "fees", "sports") == [2.0, 1.0, 0.0, 1.0]


def test_it_is_aggregated_from_its_other_side(case: LoadedCase) -> None:
    assert column(case, "ages", "people", "club") == [1.0, 3.0, 1.0]
    assert column(case, "ages", "oldest", "club") == [30.0, 30.0, 60.0]


def test_both_the_many_side_and_the_cross_table_have_stand_ins(case: LoadedCase) -> None:
    assert column(case, "golf_fees", "clubs") == [1.0, 0.0, 0.0, 1.0]
    assert column(case, "golf_fees", "fees") == [5.0, None, None, None]
    assert column(case, "late_fees", "clubs") == [0.0, 1.0, 0.0, 1.0]


def test_a_chain_keeps_every_row_in_its_place(case: LoadedCase) -> None:
    found = frame(case, "placed")
    assert list(found.columns) == ["id", "age", "boss", "office", "tax", "rent", "town"]
    assert case.bound.steps["placed"].output.key == "id"
    assert column(case, "placed", "tax") == [0.1, None, None, None]
    assert column(case, "placed", "rent") == [100.0, None, None, None]
    assert column(case, "placed", "town") == ["a", "b", None, None]


def test_it_agrees_with_pandas(case: LoadedCase) -> None:
    offices = pd.DataFrame(OFFICE).merge(pd.DataFrame(TOWN), on="town", how="left")
    expected = pd.DataFrame(PERSON).merge(offices, on="office", how="left").sort_values("id")
    found = frame(case, "placed")
    for name in ("tax", "rent", "town"):
        pd.testing.assert_series_equal(found[name], expected[name], check_dtype=False)


def test_a_relation_may_lead_to_the_concept_itself(case: LoadedCase) -> None:
    assert column(case, "led", "boss_age") == [None, 30.0, 30.0, None]
    assert column(case, "team", "size") == [2.0, 1.0, 0.0, 0.0]


def test_rows_multiply_if_that_is_wanted(case: LoadedCase) -> None:
    assert case.bound.steps["entries"].output.key is None
    found = case.table("entries").to_pandas().sort_values(["id", "since"])
    assert list(found["id"]) == [1, 1, 2, 2, 3, 4]
    assert list(found["since"]) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_rows_multiply_through_a_cross_table(case: LoadedCase) -> None:
    found = case.table("clubs").to_pydict()
    pairs = sorted(zip(found["id"], found["sport"], strict=True), key=repr)
    assert pairs == [(1, "chess"), (1, "golf"), (2, "chess"), (2, "chess"), (3, None), (4, "golf")]


def test_deselected_features_fall_out(case: LoadedCase) -> None:
    assert case.table("without_rent").column_names == ["id", "age", "boss", "office", "tax"]
    features = case.features()
    assert features.cells["without_rent", "rent"].status == "deselected"
    assert features.cells["without_rent", "rent"].by_step == "slim"


def test_a_collected_pointer_can_be_followed_on(tmp_path: Path) -> None:
    steps: dict[str, Any] = {
        "placed": {
            "operator": COLLECT,
            "input": "Person",
            "relations": ["works_in"],
            "features": {"Office.town": "where"},
        },
        "taxed": {
            "operator": COLLECT,
            "input": "placed",
            "relations": ["lies_in"],
            "features": ["Town.tax"],
        },
    }
    case = run(tmp_path, CONCEPTS, steps, RELATIONS)
    assert column(case, "taxed", "tax") == [0.1, None, None, None]


def test_an_n_to_m_relation_may_lead_to_the_concept_itself(tmp_path: Path) -> None:
    concepts = {
        "Person": rows("id", {"id": "key", "age": "numeric"}, {"id": [1, 2, 3], "age": [1, 2, 3]}),
        "Likes": rows(None, {"a": "key", "b": "key"}, {"a": [1, 1, 2], "b": [2, 3, 3]}),
    }
    likes = {"from": "Person.id", "to": "Person.id", "through": ["Likes.a", "Likes.b"]}
    oldest = {"n": "count()", "oldest": "max(age)"}
    liked = {"operator": "AggregateByRelation", "input": "Person", "relation": "likes"}
    steps: dict[str, Any] = {
        "liked": {**liked, "aggregates": oldest},
        "some": {"operator": "RowSelectionByQuery", "input": "Likes", "where": "a = b or a <> b"},
        "liked_by_some": {**liked, "rows_of": "some", "aggregates": oldest},
        "pairs": {
            "operator": COLLECT,
            "input": "Person",
            "relations": ["likes"],
            "features": {"Person.age": "liked_age"},
            "rows": "multiply",
        },
    }
    case = run(tmp_path, concepts, steps, {"likes": likes})
    for step in ("liked", "liked_by_some"):
        assert column(case, step, "n") == [2.0, 1.0, 0.0]
        assert column(case, step, "oldest") == [3.0, 3.0, None]
    found = case.table("pairs").to_pydict()
    pairs = sorted(zip(found["id"], found["liked_age"], strict=True), key=repr)
    assert pairs == [(1, 2.0), (1, 3.0), (2, 3.0), (3, None)]


def test_keys_of_different_kinds_are_explained(tmp_path: Path) -> None:
    concepts = {
        "One": rows("id", {"id": "key", "x": "numeric"}, {"id": ["p1", "p2"], "x": [1.0, 2.0]}),
        "Many": rows("m", {"m": "key", "of": "key"}, {"m": [1, 2], "of": [1, 2]}),
    }
    step = {"operator": COLLECT, "input": "Many", "relations": ["of"], "features": ["One.x"]}
    relations = {"of": {"from": "Many.of", "to": "One.id"}}
    case = load(tmp_path, concepts, {"s": step}, relations)
    with pytest.raises(RunError) as refused:
        case.run()
    assert "relation 'of' brings together keys of different types: Many.of is integer" in str(
        refused.value
    )


def test_rows_of_held_out_rows_are_held_out_through_a_cross_table(tmp_path: Path) -> None:
    people: Columns = {"id": list(range(200)), "x": [float(i) for i in range(200)]}
    held = rows("id", {"id": "key", "x": "numeric"}, people, {"share": 0.5, "seed": 1})
    numbers = [float(i) for i in range(200)]
    entries: Columns = {"who": list(range(200)), "what": [1] * 200, "y": numbers}
    concepts = {
        "Person": held,
        "Thing": rows("thing", {"thing": "key"}, {"thing": [1]}),
        "Entry": rows(None, {"who": "key", "what": "key", "y": "numeric"}, entries),
    }
    relations = {
        "has": {"from": "Person.id", "to": "Thing.thing", "through": ["Entry.who", "Entry.what"]}
    }
    steps = {
        "scaled": {"operator": "LinearScaling", "input": "Entry", "target": "y"},
        "same": {"operator": "LinearScaling", "input": "Person", "target": "x"},
    }
    case = load(tmp_path, concepts, steps, relations)
    assert not case.warnings
    case.run()
    # both learned their range from the same people
    assert column(case, "scaled", "y", "who") == column(case, "same", "x")
    assert min(column(case, "same", "x")) < 0 or max(column(case, "same", "x")) > 1
