"""Pivots, their reverse, statistics and tables against pandas and tables worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.small_case import Columns, Rows, column, frame, load, rows, run
from support.stores import query

from miningflow.errors import ResolveError
from miningflow.project import LoadedCase

# Customer 3 has no month that is listed, 4 only a NULL, and one row belongs to nobody.
CALL: Columns = {
    "call": list(range(10)),
    "who": [1, 1, 1, 2, 2, 3, 4, None, 2, 2],
    "month": [1.0, 1.0, 2.0, 2.0, None, 9.0, 1.0, 2.0, 2.0, 1.0],
    "minutes": [5.0, 7.0, 1.0, 2.0, 99.0, 4.0, None, 8.0, 2.5, 0.0],
    "kind": ["a", "b", "a", "it's", "a", None, "b", "a", "a", "it's"],
}
TYPES = {"call": "key", "who": "key", "month": "numeric", "minutes": "numeric", "kind": "nominal"}
WIDE: Columns = {
    "id": [1, 2],
    "x_1": [1.0, None],
    "x_2": [3.0, 4.0],
    "city": ["a", None],
    "jan": ["p", "q"],
    "feb": [None, "r"],
}
WIDE_TYPES = {
    "id": "key",
    "x_1": "numeric",
    "x_2": "numeric",
    "city": "nominal",
    "jan": "nominal",
    "feb": "nominal",
}
CONCEPTS = {
    "Call": rows("call", TYPES, CALL),
    "Wide": rows("id", WIDE_TYPES, WIDE),
    "Customer": rows("who", {"who": "key"}, {"who": [1, 2, 3, 4, 5]}),
}
RELATIONS = {"calls_of": {"from": "Call.who", "to": "Customer.who"}}
BY_MONTH = {"operator": "Pivotize", "input": "Call", "index": {"month": [1, 2]}}
STEPS: dict[str, Any] = {
    "sums": {**BY_MONTH, "values": ["minutes"], "group_by": ["who"]},
    "filled": {**BY_MONTH, "values": ["minutes"], "group_by": ["who"], "empty": -1},
    "means": {**BY_MONTH, "values": ["minutes"], "group_by": ["who"], "aggregate": "avg"},
    "counts": {**BY_MONTH, "values": ["minutes"], "group_by": ["who"], "aggregate": "count"},
    "words": {
        **BY_MONTH,
        "values": ["kind", "minutes"],
        "group_by": ["who"],
        "aggregate": "max",
    },
    "whole": {**BY_MONTH, "values": ["minutes"]},
    "by_two": {**BY_MONTH, "values": ["minutes"], "group_by": ["who", "kind"]},
    "by_call": {**BY_MONTH, "values": ["minutes"], "group_by": ["kind", "call"]},
    "none": {"operator": "RowSelectionByQuery", "input": "Call", "where": "minutes > 1000"},
    "of_none": {**BY_MONTH, "input": "none", "values": ["minutes"], "group_by": ["who"]},
    "all_of_none": {**BY_MONTH, "input": "none", "values": ["minutes"], "aggregate": "count"},
    "statistics": {
        "operator": "SpecifiedStatistics",
        "input": "Call",
        "sum": ["minutes"],
        "count": ["minutes", "month"],
        "unique": ["kind"],
        "distribution": {"kind": ["a", "it's", "z"], "month": [1, 2]},
        "rows": "calls",
        "group_by": ["who"],
    },
    "one_row": {
        "operator": "SpecifiedStatistics",
        "input": "none",
        "sum": ["minutes"],
        "unique": ["kind"],
    },
    "long": {
        "operator": "ReversePivotize",
        "input": "Wide",
        "columns": ["x_*"],
        "index": "month",
        "value": "x",
        "index_type": "numeric",
    },
    "words_long": {
        "operator": "ReversePivotize",
        "input": "Wide",
        "columns": {"jan": "January", "feb": "x_1 or 'feb'"},
        "index": "jan",
        "value": "feb",
        "empty": "drop",
    },
    "slim": {"operator": "FeatureSelectionByAttributes", "input": "Wide", "drop": ["x_1"]},
    "slim_long": {
        "operator": "ReversePivotize",
        "input": "slim",
        "columns": ["x_1", "x_2"],
        "index": "which",
        "value": "x",
    },
    "kept": {"operator": "Materialize", "input": "sums"},
    "totals": {
        "operator": "AggregateByRelation",
        "input": "Customer",
        "relation": "calls_of",
        "rows_of": "sums",
        "aggregates": {"first": "sum(minutes_1)"},
    },
}

calls = pd.DataFrame(CALL)


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    return run(tmp_path_factory.mktemp("shape"), CONCEPTS, STEPS, RELATIONS)


def cells(case: LoadedCase, step: str, *names: str) -> dict[Any, list[Any]]:
    found = case.table(step).to_pydict()
    columns = [found[name] for name in names]
    return {who: list(row) for who, *row in zip(found["who"], *columns, strict=True)}


def test_a_cell_is_the_sum_of_its_rows(case: LoadedCase) -> None:
    assert cells(case, "sums", "minutes_1", "minutes_2") == {
        1: [12.0, 1.0],
        2: [0.0, 4.5],
        3: [None, None],
        4: [None, None],
        None: [None, 8.0],
    }
    assert case.table("sums").column_names == ["who", "minutes_1", "minutes_2"]


@pytest.mark.parametrize(("step", "how"), [("sums", "sum"), ("means", "mean"), ("counts", "count")])
def test_cells_are_those_of_pandas(case: LoadedCase, step: str, how: str) -> None:
    kept = calls[calls["month"].isin([1, 2])]
    options: dict[str, Any] = {"min_count": 1} if how == "sum" else {}
    expected = getattr(kept.groupby(["who", "month"])["minutes"], how)(**options).unstack()
    found = frame(case, step, "who").dropna(subset=["who"]).set_index("who")
    for who, row in expected.iterrows():
        for month, value in row.items():
            cell = found.loc[who, f"minutes_{month:.0f}"]
            if how == "count":
                assert cell == (0 if pd.isna(value) else value)
            else:
                assert (pd.isna(cell) and pd.isna(value)) or cell == value


def test_empty_cells_are_filled(case: LoadedCase) -> None:
    found = cells(case, "filled", "minutes_1", "minutes_2")
    assert found == {1: [12.0, 1.0], 2: [0.0, 4.5], 3: [-1, -1], 4: [-1, -1], None: [-1, 8.0]}


def test_several_values_of_any_type(case: LoadedCase) -> None:
    assert case.table("words").column_names == [
        "who", "kind_1", "kind_2", "minutes_1", "minutes_2",
    ]  # fmt: skip
    assert cells(case, "words", "kind_1", "kind_2", "minutes_2")[2] == ["it's", "it's", 2.5]
    types = {n: f.type for n, f in case.bound.steps["words"].output.features.items()}
    assert types["kind_1"] == "nominal"
    assert types["minutes_1"] == "numeric"


def test_without_groups_there_is_one_row(case: LoadedCase) -> None:
    assert case.table("whole").to_pylist() == [{"minutes_1": 12.0, "minutes_2": 13.5}]
    assert case.table("of_none").num_rows == 0
    assert case.table("all_of_none").to_pylist() == [{"minutes_1": 0.0, "minutes_2": 0.0}]


def test_the_key_is_what_identifies_a_group(case: LoadedCase) -> None:
    steps = case.bound.steps
    assert steps["sums"].output.key == "who"
    assert steps["sums"].output.reach("Customer") == "who"
    assert steps["by_two"].output.key is None
    assert steps["by_two"].output.reach("Customer") == "who"
    assert steps["by_call"].output.key == "call"
    assert steps["whole"].output.key is None
    assert steps["long"].output.key is None
    assert steps["long"].output.reach("Wide") == "id"


def test_what_was_pivoted_stands_in_for_its_rows(case: LoadedCase) -> None:
    assert column(case, "totals", "first", "who") == [12.0, 0.0, None, None, None]


def test_statistics_by_group(case: LoadedCase) -> None:
    names = case.table("statistics").column_names
    assert names == [
        "who", "calls", "minutes_sum", "minutes_count", "month_count", "kind_unique",
        "kind_a", "kind_it's", "kind_z", "month_1", "month_2",
    ]  # fmt: skip
    found = cells(case, "statistics", *names[1:])
    assert found[1] == [3, 13.0, 3, 3, 2, 2, 0, 0, 2, 1]
    assert found[2] == [4, 103.5, 4, 3, 2, 2, 2, 0, 1, 2]
    assert found[3] == [1, 4.0, 1, 1, 0, 0, 0, 0, 0, 0]
    assert found[4] == [1, None, 0, 1, 1, 0, 0, 0, 1, 0]
    assert found[None] == [1, 8.0, 1, 1, 1, 1, 0, 0, 0, 1]


def test_statistics_of_nothing_are_a_row(case: LoadedCase) -> None:
    assert case.table("one_row").to_pylist() == [{"minutes_sum": None, "kind_unique": 0.0}]


def test_columns_become_rows(case: LoadedCase) -> None:
    expected = pd.DataFrame(WIDE).melt(["id", "city", "jan", "feb"], ["x_1", "x_2"])
    expected["month"] = expected.pop("variable").str.removeprefix("x_").astype(float)
    found = case.table("long").to_pandas()
    assert list(found.columns) == ["id", "city", "jan", "feb", "month", "x"]
    by = ["id", "month"]
    expected = expected.rename(columns={"value": "x"}).sort_values(by, ignore_index=True)
    found = found.sort_values(by, ignore_index=True)
    pd.testing.assert_frame_equal(found, expected[list(found.columns)], check_dtype=False)


def test_new_names_may_be_those_of_the_columns(case: LoadedCase) -> None:
    found = case.table("words_long").to_pydict()
    assert list(found) == ["id", "x_1", "x_2", "city", "jan", "feb"]
    rows = sorted(zip(found["id"], found["jan"], found["feb"], strict=True))
    assert rows == [(1, "January", "p"), (2, "January", "q"), (2, "x_1 or 'feb'", "r")]


def test_rows_of_a_deselected_column_fall_out(case: LoadedCase) -> None:
    found = case.table("slim_long").to_pydict()
    assert sorted(zip(found["id"], found["which"], found["x"], strict=True)) == [
        (1, "x_2", 3.0),
        (2, "x_2", 4.0),
    ]


def test_a_pivot_and_back(tmp_path: Path) -> None:
    steps = {
        "pivoted": {**STEPS["sums"], "empty": 0},
        "long": {
            "operator": "ReversePivotize",
            "input": "pivoted",
            "columns": ["minutes_*"],
            "index": "month",
            "value": "minutes",
            "index_type": "numeric",
        },
        "again": {**STEPS["sums"], "input": "long"},
    }
    case = run(tmp_path, CONCEPTS, steps, RELATIONS)
    names = ("minutes_1", "minutes_2")
    assert cells(case, "again", *names) == cells(case, "pivoted", *names)


def test_materialize_makes_a_table(case: LoadedCase) -> None:
    folder = case.path.parent
    (kind,) = query(
        folder / "store.duckdb",
        "SELECT table_type FROM information_schema.tables WHERE table_name LIKE 'kept__%'",
    )
    assert kind == ("BASE TABLE",)
    assert case.table("kept").sort_by("who") == case.table("sums").sort_by("who")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"values": ["kind"]}, "sum needs numbers, but 'kind' is nominal"),
        ({"index": {"month": ["may"]}}, "takes a number, got 'may'"),
        ({"index": {"month": [1, 1]}}, "names '1' twice"),
        ({"index": {"month": []}}, "has no value for 'month'"),
        ({"index": {"month": [1], "kind": ["a"]}}, "takes at most 1 features"),
        ({"index": {"mnth": [1]}}, "did you mean 'month'?"),
        ({"index": "month"}, "takes a map of features to values"),
        ({"index": {"call": [1]}}, "feature 'call' is key"),
        ({"index": {"kind": ["\t"]}}, "is not a name that databases can use"),
        ({"index": {"kind": ["a", "A"]}}, "'minutes_A' would be made, but 'minutes_a' exists"),
        ({"aggregate": "count", "empty": 0}, "a count of no rows is 0"),
        ({"aggregate": "median"}, "cannot be 'median'"),
        ({"empty": "x"}, "takes a number, got 'x'"),
        ({"values": ["minutes", "minutes"]}, "names 'minutes' twice"),
    ],
)
def test_a_wrong_pivot_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    step = {**STEPS["sums"], **changes}
    with pytest.raises(ResolveError) as refused:
        load(tmp_path, CONCEPTS, {"pivoted": step}, RELATIONS)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": ["x_1", "jan"]}, "the features have different types: nominal, numeric"),
        ({"columns": ["y_*"]}, "no feature of 'Wide' fits 'y_*'"),
        ({"columns": []}, "takes at least 1 features, got 0"),
        ({"columns": ["x_1", "x_*"]}, "names 'x_1' twice"),
        ({"columns": {"x_1": "a", "x_2": "a"}}, "gives the label 'a' to two features"),
        ({"columns": ["id"]}, "feature 'id' is key"),
        ({"columns": ["x_1", "x_2"]}, "'x_1' is not a number, but `index_type` is numeric"),
        ({"columns": {"x_1": "nan"}}, "'nan' is not a number, but `index_type` is numeric"),
        ({"index": "city"}, "'city' would be made, but 'city' exists"),
        ({"value": "ID"}, "only in case"),
        ({"index": "x"}, "'x' is already the name of the index"),
    ],
)
def test_a_wrong_reverse_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ResolveError) as refused:
        load(tmp_path, CONCEPTS, {"long": {**STEPS["long"], **changes}}, RELATIONS)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"group_by": ["who"]}, "give 'sum', 'count', 'unique', 'distribution' or 'rows'"),
        ({"sum": ["kind"]}, "feature 'kind' is nominal"),
        ({"rows": "who", "group_by": ["who"]}, "'who' would be made, but 'who' exists"),
        ({"rows": "kind_unique", "unique": ["kind"]}, "'kind_unique' would be made"),
    ],
)
def test_wrong_statistics_are_refused(tmp_path: Path, step: dict[str, Any], message: str) -> None:
    body = {"operator": "SpecifiedStatistics", "input": "Call", **step}
    with pytest.raises(ResolveError) as refused:
        load(tmp_path, CONCEPTS, {"sums": body}, RELATIONS)
    assert message in str(refused.value)


def test_names_may_be_odd(tmp_path: Path) -> None:
    odd: dict[str, Rows] = {
        'R"ow s': rows(
            "ö",
            {"ö": "key", 'gro"up by': "nominal", "'x'": "numeric"},
            {"ö": [1, 2, 3], 'gro"up by': ['ü "1"', "%s", None], "'x'": [1.0, 2.0, None]},
        )
    }
    steps = {
        "wi de": {
            "operator": "Pivotize",
            "input": 'R"ow s',
            "index": {'gro"up by': ['ü "1"', "%s"]},
            "values": ["'x'"],
            "group_by": ["ö"],
        },
        "back": {
            "operator": "ReversePivotize",
            "input": "wi de",
            "columns": ["'x'_*"],
            "index": "--",
            "value": "select",
            "empty": "drop",
        },
    }
    case = run(tmp_path, odd, steps)
    found = case.table("back").to_pydict()
    assert sorted(zip(found["ö"], found["--"], found["select"], strict=True)) == [
        (1, 'ü "1"', 1.0),
        (2, "%s", 2.0),
    ]
