"""A join whose result has a key that repeats is an error, and not a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.small_case import Rows, frame, load, rows

from miningflow.errors import RunError

A = rows("id", {"id": "key", "x": "numeric"}, {"id": [1, 2, 3], "x": [1.0, 2.0, 3.0]})
MORE = rows("id", {"id": "key", "x": "numeric"}, {"id": [3, 4], "x": [3.0, 4.0]})
B = rows(
    "no",
    {"no": "key", "a": "key", "y": "numeric"},
    {"no": [1, 2, 3], "a": [1, 3, 3], "y": [1.0, 2.0, 3.0]},
)
C = rows("id", {"id": "key", "z": "numeric"}, {"id": [1, 3, 9], "z": [1.0, 2.0, 3.0]})
CONCEPTS: dict[str, Rows] = {"A": A, "More": MORE, "B": B, "C": C}
RELATIONS = {"of_a": {"from": "B.a", "to": "A.id"}}
ALL = {"operator": "Union", "concepts": ["A", "More"]}
ONCE = {"operator": "RemoveDuplicates", "input": "all", "targets": ["id"]}


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            {"operator": "JoinByKey", "concepts": ["C", "all"]},
            "the key 'id' of its result has 3 values, of which 2 are different; 3 occurs 2 times",
        ),
        (
            {"operator": "UnionByKey", "concepts": ["C", "all"]},
            "the key 'id' of its result has 6 values, of which 5 are different; 3 occurs 2 times",
        ),
    ],
)
def test_joins_by_key(tmp_path: Path, step: dict[str, Any], said: str) -> None:
    case = load(tmp_path, CONCEPTS, {"all": ALL, "joined": step}, RELATIONS)
    with pytest.raises(RunError) as error:
        case.run()
    assert "case.yml:" in str(error.value)
    assert f"step 'joined' repeats rows: {said}" in str(error.value)
    assert "RemoveDuplicates" in str(error.value)
    once = {**step, "concepts": ["C", "once"]}
    case = load(tmp_path, CONCEPTS, {"all": ALL, "once": ONCE, "joined": once}, RELATIONS)
    case.run()
    keys = list(frame(case, "joined")["id"])
    assert keys == ([1, 3] if step["operator"] == "JoinByKey" else [1, 2, 3, 4, 9])


def test_a_row_that_finds_several(tmp_path: Path) -> None:
    """Rows of B point to one row of A each, or a sum over B would count some of them twice."""
    steps: dict[str, Any] = {
        "large": {"operator": "RowSelectionByQuery", "input": "A", "where": "x > 2"},
        "all": {"operator": "Union", "concepts": ["A", "large"]},
        "found": {
            "operator": "MultiRelationalFeatureConstruction",
            "input": "B",
            "relations": ["of_a"],
            "rows_of": ["all"],
            "features": ["all.x"],
        },
    }
    case = load(tmp_path, CONCEPTS, steps, RELATIONS)
    with pytest.raises(RunError) as error:
        case.run()
    said = "the key 'no' of its result has 5 values, of which 3 are different; 2 occurs 2 times"
    assert f"step 'found' repeats rows: {said}" in str(error.value)
    steps["found"] |= {"rows_of": ["large"], "features": ["large.x"]}
    case = load(tmp_path, CONCEPTS, steps, RELATIONS)
    case.run()
    assert frame(case, "found", "no")["x"].fillna(0).tolist() == [0.0, 3.0, 3.0]


def test_an_input_that_repeats_keys_stays_as_it_is(tmp_path: Path) -> None:
    """A Union keeps duplicates, and aggregates along a relation add no rows to them."""
    steps = {
        "large": {"operator": "RowSelectionByQuery", "input": "A", "where": "x > 2"},
        "all": {"operator": "Union", "concepts": ["A", "large"]},
        "counted": {
            "operator": "AggregateByRelation",
            "input": "all",
            "relation": "of_a",
            "aggregates": {"n": "count()"},
        },
    }
    case = load(tmp_path, CONCEPTS, steps, RELATIONS)
    case.run()
    assert list(frame(case, "counted")["n"]) == [1.0, 0.0, 2.0, 2.0]
