"""Features turned into numbers: parts of times, logarithms, indicators."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.small_case import column, load, rows, run

from miningflow.errors import ResolveError
from miningflow.project import LoadedCase

N = 60
TYPES = {"id": "key", "at": "time", "x": "numeric", "w": "nominal"}
# Years before 1970, leap days, the last second of a year, fractions of a second.
AT = [
    None,
    datetime(1969, 12, 28, 23, 59, 59),
    datetime(2024, 2, 29, 0, 0, 0),
    datetime(2025, 12, 31, 23, 59, 59, 999_999),
    *(datetime(1960, 1, 1) + timedelta(days=611 * i, seconds=7919 * i) for i in range(N - 4)),
]
X = [None, 0.0, -0.0, -3.0, 1.0, 1e-300, 1e300, *np.linspace(0.1, 9000, N - 7).tolist()]
W = [None if i % 7 == 2 else ["a", "b", "it's", ""][i % 4] for i in range(N)]
PARTS = ["year", "month", "day", "hour", "minute", "second", "weekday"]


def _part(part: str) -> dict[str, Any]:
    return {"operator": "DateToNumeric", "input": "T", "target": "at", "part": part, "output": "y"}


def _log(**more: Any) -> dict[str, Any]:
    return {"operator": "LogScaling", "input": "T", "target": "x", **more}


def _indicators(**more: Any) -> dict[str, Any]:
    return {"operator": "Binarify", "input": "T", "target": "w", "values": ["a", "it's"], **more}


def _order(**more: Any) -> dict[str, Any]:
    ordered = {"target": "w", "categories": ["it's", "b", "never"]}
    return {"operator": "OrdinalEncoding", "input": "T", **ordered, **more}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    table = rows("id", TYPES, {"id": range(N), "at": AT, "x": X, "w": W})
    steps = {part: _part(part) for part in PARTS} | {
        "ten": _log(output="y"),
        "two": _log(base=2),
        "natural": _log(base=math.e, output="y"),
        "indicators": _indicators(),
        "ordered": _order(),
        "ordered_with_unseen": _order(unseen=-1.5, output="y"),
        "prefixed": _indicators(prefix="is", values=["", "never"]),
    }
    return run(tmp_path_factory.mktemp("conversion"), {"T": table}, steps)


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_time_is_what_pandas_says(case: LoadedCase, part: str) -> None:
    times = pd.Series(pd.to_datetime(AT))
    expected = times.dt.day_of_week + 1 if part == "weekday" else getattr(times.dt, part)
    assert column(case, part, "y") == [None if math.isnan(v) else v for v in expected]


@pytest.mark.parametrize(
    ("step", "name", "base"), [("ten", "y", 10), ("two", "x", 2), ("natural", "y", math.e)]
)
def test_a_logarithm_is_null_where_it_does_not_exist(
    case: LoadedCase, step: str, name: str, base: float
) -> None:
    expected = [math.log(v) / math.log(base) if v is not None and v > 0 else None for v in X]
    found = column(case, step, name)
    assert [v is None for v in found] == [v is None for v in expected]
    assert found[4:] == pytest.approx(expected[4:], rel=1e-14)
    assert found[:4] == [None] * 4


def test_indicators_are_one_zero_or_null(case: LoadedCase) -> None:
    assert case.table("indicators").column_names == [*TYPES, "w_a", "w_it's"]
    for value in ("a", "it's"):
        expected = [None if v is None else float(v == value) for v in W]
        assert column(case, "indicators", f"w_{value}") == expected
        assert set(expected) == {None, 0.0, 1.0}


def test_a_prefix_names_the_indicators(case: LoadedCase) -> None:
    assert case.table("prefixed").column_names == [*TYPES, "is_", "is_never"]
    assert column(case, "prefixed", "is_") == [None if v is None else float(v == "") for v in W]
    assert set(column(case, "prefixed", "is_never")) == {None, 0.0}


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (_indicators(prefix="X", values=["1"]), "'X_1', but feature 'x_1' already exists"),
        (_indicators(values=["a", "A"]), "'w_A', but feature 'w_a' already exists"),
        (_indicators(values=["v" * 200]), "a name that databases reject"),
        (_indicators(values=["a\nb"]), "a name that databases reject"),
        (_indicators(values=["a", "a"]), "names 'a' twice"),
        (_log(base=1), "must be at least 1.001"),
        (_part("week"), "cannot be 'week'"),
    ],
)
def test_what_cannot_be_made_is_refused(step: dict[str, Any], message: str, tmp_path: Path) -> None:
    types = {**TYPES, "x_1": "numeric"}
    table = rows("id", types, {"id": [1], "at": [None], "x": [1.0], "w": ["a"], "x_1": [1.0]})
    with pytest.raises(ResolveError, match=message):
        load(tmp_path, {"T": table}, {"s": step})


def test_categories_are_numbered_in_the_given_order(case: LoadedCase) -> None:
    places = {"it's": 1.0, "b": 2.0, "never": 3.0}
    assert column(case, "ordered", "w") == [places.get(w) if w else None for w in W]
    expected = [None if w is None else places.get(w, -1.5) for w in W]
    assert column(case, "ordered_with_unseen", "y") == expected
    assert column(case, "ordered_with_unseen", "w") == W


def test_a_category_cannot_have_two_places(tmp_path: Path) -> None:
    table = rows("id", TYPES, {"id": range(N), "at": AT, "x": X, "w": W})
    steps = {"ordered": _order(categories=["a", "b", "a"])}
    with pytest.raises(ResolveError, match="names 'a' twice"):
        load(tmp_path, {"T": table}, steps)
