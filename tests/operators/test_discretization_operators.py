"""Numbers and times become categories: by hand, by width, by count."""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.small_case import Columns, column, load, rows, run

from miningflow.errors import ResolveError, RunError
from miningflow.project import LoadedCase

N = 500
RANDOM = np.random.default_rng(8)
TYPES = {"id": "key", "x": "numeric", "tied": "numeric", "one": "numeric", "at": "time"}
X = [None if i % 11 == 3 else float(v) for i, v in enumerate(RANDOM.normal(0, 20, N))]
TIED = [None if i % 7 == 3 else float(v) for i, v in enumerate(RANDOM.poisson(1.3, N))]
# The ends of the intervals below, and their neighbours on either side.
EDGES = [-30.0, -10.0, 0.0, 5.0, 10.0]
for edge_at, edge in enumerate(EDGES):
    X[20 * edge_at : 20 * edge_at + 3] = [math.nextafter(edge, -99), edge, math.nextafter(edge, 99)]
AT: list[datetime | None] = [datetime(2024, 1, 1) + timedelta(hours=31 * i) for i in range(N)]
AT[:4] = [None, datetime(2024, 3, 1), datetime(2024, 3, 1, microsecond=1), datetime(1969, 1, 1)]
TABLE: Columns = {"id": list(range(N)), "x": X, "tied": TIED, "one": [7.0] * N, "at": AT}


def _step(operator: str, target: str = "x", **more: Any) -> dict[str, Any]:
    return {"operator": operator, "input": "T", "target": target, "output": "y", **more}


def _given(**more: Any) -> dict[str, Any]:
    return _step("NumericIntervalManualDiscretization", **more)


def _times(**more: Any) -> dict[str, Any]:
    return _step("TimeIntervalManualDiscretization", "at", **more)


def _width(**more: Any) -> dict[str, Any]:
    return _step("EquidistantDiscretizationGivenWidth", **more)


def _count(**more: Any) -> dict[str, Any]:
    return _step("EquifrequentDiscretizationGivenNoOfIntervals", **more)


def _cardinality(**more: Any) -> dict[str, Any]:
    return _step("EquifrequentDiscretizationGivenCardinality", **more)


def _cut(**more: Any) -> dict[str, Any]:
    return _step("UserDefinedDiscretization", **more)


INTERVALS = {"cold": "(-30, -10]", "mild": ["(-10, 0)", "[ 5 ,10 )"], "zero": "[0, 0]"}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    steps = {
        "given": _given(intervals=INTERVALS),
        "with_default": _given(intervals=INTERVALS, default="it's else"),
        "half_open": _given(intervals={"below": "(, 0)", "rest": "[0, )"}),
        "everything": _given(intervals={"number": "(, )"}, output=None),
        "times": _times(
            intervals={"first": "(,2024-03-01]", "second": "(2024-03-01, 2024-06-01 12:30:00)"}
        ),
        "width": _width(width=10, start=5),
        "width_right": _width(width=10, start=5, closed="right"),
        "width_thirds": _width(width=0.1, target="tied"),
        "width_one": _width(width=3, target="one"),
        "count": _count(intervals=7),
        "count_tied": _count(intervals=6, target="tied"),
        "count_one": _count(intervals=4, target="one"),
        "cardinality": _cardinality(cardinality=60),
        "cardinality_tied": _cardinality(cardinality=90, target="tied"),
        "cardinality_huge": _cardinality(cardinality=10_000),
        "cut": _cut(cuts=EDGES),
        "cut_right": _cut(cuts=EDGES, closed="right", labels=list("abcdef")),
    }
    for step in steps.values():
        if step["output"] is None:
            del step["output"]
    return run(tmp_path_factory.mktemp("discretization"), {"T": rows("id", TYPES, TABLE)}, steps)


def _label(x: float | None, otherwise: str | None) -> str | None:
    if x is None:
        return None
    if -30 < x <= -10:
        return "cold"
    if -10 < x < 0 or 5 <= x < 10:
        return "mild"
    return "zero" if x == 0 else otherwise


def test_every_end_belongs_where_its_bracket_says(case: LoadedCase) -> None:
    assert column(case, "given", "y") == [_label(x, None) for x in X]
    assert column(case, "with_default", "y") == [_label(x, "it's else") for x in X]


def test_an_end_that_is_left_out_is_open(case: LoadedCase) -> None:
    expected = [None if x is None else "below" if x < 0 else "rest" for x in X]
    assert column(case, "half_open", "y") == expected
    assert column(case, "everything", "x") == [None if x is None else "number" for x in X]


def test_times_fall_into_intervals(case: LoadedCase) -> None:
    march, june = datetime(2024, 3, 1), datetime(2024, 6, 1, 12, 30)
    expected = [
        None if at is None or at >= june else "first" if at <= march else "second" for at in AT
    ]
    assert column(case, "times", "y") == expected
    assert set(expected[1:4]) == {"first", "second"}


def _places(values: list[float | None], cuts: list[float], right: bool) -> list[int | None]:
    return [None if x is None else int(np.digitize(x, cuts, right=right)) for x in values]


def _codes(labels: list[str | None], values: list[float | None]) -> list[int | None]:
    """Numbers labels in the order of the values they stand for."""
    pairs = sorted((x, y) for x, y in zip(values, labels, strict=True) if x is not None and y)
    order = list(dict.fromkeys(y for _, y in pairs))
    return [None if y is None else order.index(y) for y in labels]


@pytest.mark.parametrize(("step", "right"), [("width", False), ("width_right", True)])
def test_cuts_are_a_width_apart(case: LoadedCase, step: str, right: bool) -> None:
    low, high = min(v for v in X if v is not None), max(v for v in X if v is not None)
    cuts = [c for c in np.arange(-205.0, 206.0, 10) if low < c <= high]
    found = column(case, step, "y")
    assert _codes(found, X) == _places(X, cuts, right)
    assert found[X.index(5.0)] == ("-5 to 5" if right else "5 to 15")


def test_a_width_that_is_no_binary_fraction(case: LoadedCase) -> None:
    found = column(case, "width_thirds", "y")
    whole = {x: y for x, y in zip(TIED, found, strict=True) if x is not None}
    assert whole[0.0] == "below 0.1"
    assert whole[1.0] == "1 to 1.1"
    assert len(set(whole.values())) == len(whole)


def test_one_value_is_one_category(case: LoadedCase) -> None:
    assert set(column(case, "width_one", "y")) == {"all"}
    assert set(column(case, "count_one", "y")) == {"all"}
    assert set(column(case, "cardinality_huge", "y")) == {"all", None}


def test_categories_have_equally_many_rows(case: LoadedCase) -> None:
    found = column(case, "count", "y")
    expected = pd.qcut(pd.Series(X, dtype=float), 7, labels=False)
    sizes = Counter(y for y in found if y is not None)
    assert max(sizes.values()) - min(sizes.values()) <= 1
    assert len(sizes) == 7
    codes = _codes(found, X)
    differing = sum(c != e for c, e in zip(codes, expected, strict=True) if c is not None)
    assert differing <= 6, "qcut interpolates, so a row at a cut may fall on the other side"


def test_equal_values_stay_together(case: LoadedCase) -> None:
    known = np.array([v for v in TIED if v is not None])
    ends = np.unique(np.quantile(known, np.arange(1, 6) / 6, method="inverted_cdf"))
    cuts = [end for end in ends.tolist() if end < known.max()]
    found = column(case, "count_tied", "y")
    assert _codes(found, TIED) == _places(TIED, cuts, right=True)
    assert 2 < len(set(found)) - 1 < 6


@pytest.mark.parametrize(
    ("step", "name", "least"), [("cardinality", "x", 60), ("cardinality_tied", "tied", 90)]
)
def test_every_category_has_enough_rows(case: LoadedCase, step: str, name: str, least: int) -> None:
    found = column(case, step, "y")
    sizes = Counter(y for y in found if y is not None)
    assert min(sizes.values()) >= least
    assert len(sizes) > 1
    if name == "x":
        assert len(sizes) == sum(v is not None for v in X) // least
    assert [y is None for y in found] == [v is None for v in TABLE[name]]


def test_cuts_by_hand(case: LoadedCase) -> None:
    assert _codes(column(case, "cut", "y"), X) == _places(X, EDGES, right=False)
    assert column(case, "cut", "y")[X.index(5.0)] == "5 to 10"
    places = _places(X, EDGES, right=True)
    assert column(case, "cut_right", "y") == [None if p is None else "abcdef"[p] for p in places]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (_given(intervals={}), "takes a map of labels to intervals, such as {young"),
        (_given(intervals={"a": "0 to 5"}), "'0 to 5' is not an interval"),
        (_given(intervals={"a": [0, 18]}), "'0' is not an interval"),
        (_given(intervals={"a": "[0, x)"}), "the end 'x' of an interval is not a number"),
        (_given(intervals={"a": "[0, inf)"}), "must be finite, or left out"),
        (_given(intervals={"a": "[5, 0]"}), r"the interval '\[5, 0\]' is empty"),
        (_given(intervals={"a": "[5, 5)"}), r"the interval .* is empty"),
        (_given(intervals={"a": "[0, 5]", "b": "[5, 9)"}), "overlap: those of 'a' and 'b'"),
        (_given(intervals={"a": "(, 5)", "b": "(, )"}), "overlap: those of 'a' and 'b'"),
        (_given(intervals={"a": "[4, 5)", "b": "[0, 4.5)"}), "overlap: those of 'a' and 'b'"),
        (_times(intervals={"a": "[2024-13-01, )"}), "'2024-13-01' of an interval is not a time"),
        (_times(intervals={"a": "(, 2024-01-01T00:00+01:00)"}), "has a time zone"),
        (_times(intervals={"a": "[2024-03-01, 2024-02-01]"}), r"the interval .* is empty"),
        (_cut(cuts=[1, 3, 3]), "takes increasing numbers, got 3 after 3"),
        (_cut(cuts=[]), "takes at least 1 numbers"),
        (_cut(cuts=["a"]), "takes a number, got 'a'"),
        (_cut(cuts=[1, 2], labels=["a", "b"]), "2 cuts make 3 categories, got 2 labels"),
        (_width(width=0), "must be at least 1e-12"),
        (_count(intervals=1), "must be at least 2"),
    ],
)
def test_what_cannot_be_cut_is_refused(step: dict[str, Any], message: str, tmp_path: Path) -> None:
    first = {name: values[:3] for name, values in TABLE.items()}
    with pytest.raises(ResolveError, match=message) as refused:
        load(tmp_path, {"T": rows("id", TYPES, first)}, {"s": step})
    assert all(m.place is not None for m in refused.value.diagnostics)


@pytest.mark.parametrize(
    ("step", "values", "message"),
    [
        (_width(width=0.01), [0.0, 10.0], "needs more than 1,000"),
        (_width(width=1e-9, start=1e15), [0.0, 1e-9], "needs more than 1,000"),
        (_cardinality(cardinality=1), list(map(float, range(1_001))), "at least 2"),
        (_count(intervals=3), [1.0, math.nan], "NaN or infinite"),
        (_cardinality(cardinality=3), [None, None], "no known value"),
    ],
)
def test_what_cannot_be_learned_is_refused(
    step: dict[str, Any], values: list[float | None], message: str, tmp_path: Path
) -> None:
    table = rows("id", {"id": "key", "x": "numeric"}, {"id": range(len(values)), "x": values})
    with pytest.raises(RunError, match=message):
        load(tmp_path, {"T": table}, {"s": step}).run()
