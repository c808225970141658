"""Constructed features: expressions, scaling, mapping, discretisation."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.small_case import column, frame, load, rows, run

from miningflow.errors import RunError
from miningflow.project import LoadedCase

N = 200
RANDOM = np.random.default_rng(3)
A = [None if i % 17 == 4 else float(v) for i, v in enumerate(RANDOM.normal(0, 30, N).round(2))]
B = [0.0 if i % 13 == 0 else float(v) for i, v in enumerate(RANDOM.integers(-5, 6, N))]
W = [None if i % 19 == 2 else str(v) for i, v in enumerate(RANDOM.choice(["p", "q", "r's"], N))]
# Both ends, every cut between five intervals, and their neighbours on either side.
CUTS = [2.0, 4.0, 6.0, 8.0]
EDGES = [
    0.0,
    10.0,
    *CUTS,
    *(math.nextafter(c, 0) for c in CUTS),
    *(math.nextafter(c, 9) for c in CUTS),
]
OUTSIDE = [-3.0, 0.0, 10.0, 25.0, None]


def _construct(sql: str) -> dict[str, Any]:
    return {"operator": "GenericFeatureConstruction", "input": "T", "sql": sql, "output": "y"}


def _scale(**more: Any) -> dict[str, Any]:
    return {"operator": "LinearScaling", "input": "T", "target": "a", **more}


def _map(**more: Any) -> dict[str, Any]:
    return {"operator": "Mapping", "input": "T", "target": "w", **more}


def _cut(**more: Any) -> dict[str, Any]:
    cut = "EquidistantDiscretizationGivenNoOfIntervals"
    return {"operator": cut, "input": "Edges", "target": "e", "intervals": 5, "output": "c", **more}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    types = {"id": "key", "a": "numeric", "b": "numeric", "w": "nominal", "one": "numeric"}
    table = {"id": range(N), "a": A, "b": B, "w": W, "one": [None, *[7.0] * (N - 1)]}
    edge = {"id": "key", "e": "numeric"}
    concepts = {
        "T": rows("id", types, table),
        "Edges": rows("id", edge, {"id": range(len(EDGES)), "e": EDGES}),
        "Outside": rows("id", edge, {"id": range(len(OUTSIDE)), "e": OUTSIDE}),
    }
    on_edges = {"input": "Outside", "target": "e", "learn_on": "Edges"}
    steps = {
        "ratio": _construct("a / b + 1"),
        "logarithm": _construct("ln(b) + sqrt(abs(a))"),
        "condition": _construct("a > b and w <> 'p'"),
        "nested": _construct("case when a > 0 then b - (a - 2) else -b * (a + 1) end"),
        "replaced": {**_construct("w || '!'"), "output": "w"},
        "scaled": _scale(),
        "to_range": _scale(range=[-2, 3], output="y"),
        "constant": _scale(target="one", range=[-2, 3], output="y"),
        "beyond": {"operator": "LinearScaling", **on_edges, "range": [0, 1]},
        "mapped": _map(map={"p": "P", "r's": "it's"}),
        "with_default": _map(map={"p": "P"}, default="else", output="y"),
        "to_null": _map(map={"p": None, "q": "Q"}, default="else", output="y"),
        "left": _cut(),
        "right": _cut(closed="right"),
        "one_value": _cut(input="T", target="one"),
        "cut_beyond": _cut(**on_edges),
        "many": {
            "chain": {
                "m1": {**_construct("coalesce(a, 0)"), "output": "a"},
                "m2": {**_construct("a * b - a"), "input": None, "output": "b"},
                "m3": {**_construct("b - a"), "input": None, "output": "y"},
                "m4": {**_construct("y / b"), "input": None, "output": "a"},
            }
        },
    }
    for step in steps["many"]["chain"].values():
        if step["input"] is None:
            del step["input"]
    return run(tmp_path_factory.mktemp("construction"), concepts, steps)


def _numbers(values: list[float | None]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


a, b = _numbers(A), _numbers(B)  # type: ignore[arg-type]  # None becomes NaN


def _same(found: list[float | None], expected: Any) -> None:
    np.testing.assert_allclose(_numbers(found), np.asarray(expected), rtol=1e-14, atol=0)


def test_division_by_zero_gives_null(case: LoadedCase) -> None:
    _same(column(case, "ratio", "y"), a / np.where(b == 0, np.nan, b) + 1)


def test_a_logarithm_of_what_is_not_positive_gives_null(case: LoadedCase) -> None:
    _same(column(case, "logarithm", "y"), np.log(np.where(b > 0, b, np.nan)) + np.sqrt(np.abs(a)))


def test_a_condition_gives_true_false_or_null(case: LoadedCase) -> None:
    expected: list[str | None] = []
    for x, y, word in zip(A, B, W, strict=True):
        left = None if x is None else x > y
        right = None if word is None else word != "p"
        if left is False or right is False:
            expected.append("false")
        else:
            expected.append(None if left is None or right is None else "true")
    assert column(case, "condition", "y") == expected
    assert {"true", "false", None} == set(expected)


def test_operations_keep_their_order(case: LoadedCase) -> None:
    expected = np.where(np.nan_to_num(a) > 0, b - (a - 2), -b * (a + 1))
    _same(column(case, "nested", "y"), expected)


def test_an_existing_feature_is_replaced_in_its_place(case: LoadedCase) -> None:
    assert column(case, "replaced", "w") == [None if v is None else f"{v}!" for v in W]
    assert case.table("replaced").column_names == ["id", "a", "b", "w", "one"]


def test_scaling_spans_the_range(case: LoadedCase) -> None:
    low, high = np.nanmin(a), np.nanmax(a)
    _same(column(case, "to_range", "y"), (a - low) * (5 / (high - low)) - 2)
    scaled = _numbers(column(case, "scaled", "a"))
    assert np.nanmin(scaled) == 0
    assert np.nanmax(scaled) == pytest.approx(1, abs=1e-15)


def test_one_value_is_scaled_to_the_lower_end(case: LoadedCase) -> None:
    assert column(case, "constant", "y") == [None, *[-2.0] * (N - 1)]


def test_values_never_seen_are_scaled_by_the_same_rule(case: LoadedCase) -> None:
    _same(column(case, "beyond", "e"), [-0.3, 0.0, 1.0, 2.5, np.nan])


def test_mapping_without_default_leaves_the_others(case: LoadedCase) -> None:
    expected = [{"p": "P", "r's": "it's"}.get(v, v) if v else None for v in W]
    assert column(case, "mapped", "w") == expected


def test_a_default_is_for_values_not_for_null(case: LoadedCase) -> None:
    expected = [None if v is None else "P" if v == "p" else "else" for v in W]
    assert column(case, "with_default", "y") == expected
    assert column(case, "with_default", "w") == W


def test_a_value_can_be_mapped_to_null(case: LoadedCase) -> None:
    expected = [{"p": None, "q": "Q", None: None}.get(v, "else") for v in W]
    assert column(case, "to_null", "y") == expected


LEFT = ["below 2", "2 to 4", "4 to 6", "6 to 8", "8 or more"]
RIGHT = ["up to 2", "2 to 4", "4 to 6", "6 to 8", "above 8"]


@pytest.mark.parametrize(("step", "labels"), [("left", LEFT), ("right", RIGHT)])
def test_a_cut_belongs_to_the_closed_side(case: LoadedCase, step: str, labels: list[str]) -> None:
    places = np.digitize(EDGES, CUTS, right=step == "right")
    assert column(case, step, "c") == [labels[i] for i in places]


def test_one_value_is_one_category(case: LoadedCase) -> None:
    assert column(case, "one_value", "c") == [None, *["all"] * (N - 1)]


def test_values_never_seen_fall_into_the_outer_intervals(case: LoadedCase) -> None:
    assert column(case, "cut_beyond", "c") == [LEFT[0], LEFT[0], LEFT[-1], LEFT[-1], None]


def test_a_chain_is_the_steps_one_after_the_other(case: LoadedCase) -> None:
    expected = pd.DataFrame({"a": a, "b": b})
    expected["a"] = expected["a"].fillna(0)
    expected["b"] = expected["a"] * expected["b"] - expected["a"]
    expected["y"] = expected["b"] - expected["a"]
    expected["a"] = expected["y"] / expected["b"].replace(0, np.nan)
    found = frame(case, "m4")[["a", "b", "y"]].astype(float)
    pd.testing.assert_frame_equal(found, expected[["a", "b", "y"]], rtol=1e-14, atol=0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([-1.7e308, 1.7e308], "the range of 'e' is too wide"),
        ([0.0, 5e-324], "the values of 'e' are too close together"),
        ([None, None], "'e' has no known value"),
    ],
)
def test_a_range_that_cannot_be_scaled_is_refused(
    values: list[float | None], message: str, tmp_path: Path
) -> None:
    table = rows("id", {"id": "key", "e": "numeric"}, {"id": [1, 2], "e": values})
    step = {"operator": "LinearScaling", "input": "T", "target": "e"}
    with pytest.raises(RunError, match=message):
        load(tmp_path, {"T": table}, {"scaled": step}).run()


def test_a_range_of_two_doubles_is_cut_once(tmp_path: Path) -> None:
    values = [1.0, math.nextafter(1.0, 2)]
    table = rows("id", {"id": "key", "e": "numeric"}, {"id": [1, 2], "e": values})
    case = run(tmp_path, {"T": table}, {"cut": _cut(input="T", intervals=9)})
    low, high = column(case, "cut", "c")
    assert low != high
