"""Windows and moving averages against pandas and against loops."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.small_case import Columns, Rows, frame, load, rows, run

from miningflow.errors import ResolveError
from miningflow.project import LoadedCase

N = 400
RANDOM = np.random.default_rng(3)
TYPES = {
    "id": "key",
    "at": "time",
    "t": "numeric",
    "shop": "nominal",
    "x": "numeric",
    "y": "numeric",
}
START = datetime(2025, 1, 1)
_DAYS = RANDOM.integers(0, 150, N)  # with ties and gaps
TABLE: Columns = {
    "id": [int(i) for i in RANDOM.permutation(N)],
    "at": [None if i % 37 == 5 else START + timedelta(days=int(d)) for i, d in enumerate(_DAYS)],
    "t": [float(d) for d in _DAYS],
    "shop": [None if i % 41 == 7 else str(s) for i, s in enumerate(RANDOM.choice(list("abc"), N))],
    "x": RANDOM.normal(100, 20, N).tolist(),
    "y": [None if i % 6 == 1 else v for i, v in enumerate(RANDOM.normal(0, 1, N).tolist())],
}
SERIES: dict[str, Any] = {"input": "T", "time": "at", "value": "x", "within": ["shop"]}
SIMPLE = {**SERIES, "operator": "SimpleMovingFunction", "size": 5, "output": "mean"}
WEIGHTED = {**SERIES, "operator": "WeightedMovingFunction", "weights": [0.2, 0.3, 0.5]}
EXPONENTIAL = {**SERIES, "operator": "ExponentialMovingFunction", "head": 0.25, "output": "mean"}
WINDOWS = {**SERIES, "operator": "Windowing", "size": 4}
STEPS = {
    "simple": SIMPLE,
    "simple_nulls": {**SIMPLE, "value": "y"},
    "simple_all": {**SIMPLE, "within": None, "time": "t"},
    "weighted": {**WEIGHTED, "output": "mean"},
    "weighted_nulls": {**WEIGHTED, "value": "y", "output": "mean"},
    "exponential": EXPONENTIAL,
    "exponential_nulls": {**EXPONENTIAL, "value": "y", "tail": 0.75},
    "exponential_some": {**EXPONENTIAL, "value": "y", "distance": 7},
    "windows": WINDOWS,
    "windows_apart": {**WINDOWS, "distance": 4, "value": "y", "output": "v", "start": "since"},
}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    steps = {n: {k: v for k, v in s.items() if v is not None} for n, s in STEPS.items()}
    return run(tmp_path_factory.mktemp("series"), {"T": rows("id", TYPES, TABLE)}, steps)


def _in_order(time: str = "at", within: str | None = "shop") -> list[pd.DataFrame]:
    """Returns the series that there are, each in its order."""
    table = pd.DataFrame(TABLE).sort_values([time, "id"])
    table = table[table[time].notna()]
    if within is None:
        return [table]
    return [series for _, series in table.groupby(within)]


def _together(parts: list[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(parts).sort_values("id").reset_index(drop=True)


def _compare(case: LoadedCase, step: str, parts: list[pd.DataFrame], names: list[str]) -> None:
    found, expected = frame(case, step), _together(parts)
    assert len(expected) > 20
    assert found["id"].tolist() == expected["id"].tolist()
    for name in names:
        pd.testing.assert_series_equal(found[name], expected[name], rtol=1e-12, check_dtype=False)


@pytest.mark.parametrize(
    ("step", "value", "time", "within"),
    [
        ("simple", "x", "at", "shop"),
        ("simple_nulls", "y", "at", "shop"),
        ("simple_all", "x", "t", None),
    ],
)
def test_a_simple_average_is_that_of_pandas(
    case: LoadedCase, step: str, value: str, time: str, within: str | None
) -> None:
    parts = []
    for series in _in_order(time, within):
        start = series[time].shift(4).rename("start")
        parts.append(series.assign(mean=series[value].rolling(5).mean(), start=start).iloc[4:])
    _compare(case, step, parts, ["mean", "at", "x"])
    assert frame(case, step)[f"{time}_start"].tolist() == _together(parts)["start"].tolist()


@pytest.mark.parametrize(("step", "value"), [("weighted", "x"), ("weighted_nulls", "y")])
def test_a_weighted_average_counts_the_oldest_value_first(
    case: LoadedCase, step: str, value: str
) -> None:
    parts = []
    for series in _in_order():
        x = series[value]
        mean = 0.2 * x.shift(2) + 0.3 * x.shift(1) + 0.5 * x
        parts.append(series.assign(mean=mean).iloc[2:])
    _compare(case, step, parts, ["mean"])


def _recursive(values: list[float], head: float) -> list[float]:
    """Averages one row after the other; a missing value leaves the average as it is."""
    found: list[float] = []
    average = float("nan")
    for value in values:
        if not np.isnan(value):
            average = value if np.isnan(average) else head * value + (1 - head) * average
        found.append(average)
    return found


@pytest.mark.parametrize(
    ("step", "value", "distance"),
    [("exponential", "x", 1), ("exponential_nulls", "y", 1), ("exponential_some", "y", 7)],
)
def test_an_exponential_average_is_the_recursive_one(
    case: LoadedCase, step: str, value: str, distance: int
) -> None:
    parts = [
        series.assign(mean=_recursive(series[value].tolist(), 0.25)).iloc[::distance]
        for series in _in_order()
    ]
    _compare(case, step, parts, ["mean"])


@pytest.mark.parametrize("head", [1e-6, 0.01, 0.5, 0.999999])
def test_an_exponential_average_forgets_exactly(head: float, tmp_path: Path) -> None:
    n = 20_000
    # a huge value long ago is what a careless sum would keep
    values = np.where(np.arange(n) == 100, 1e12, RANDOM.normal(0, 1, n)).tolist()
    given = rows(
        "id",
        {"id": "key", "t": "numeric", "x": "numeric"},
        {"id": list(range(n)), "t": [float(i) for i in range(n)], "x": values},
    )
    step = {
        "operator": "ExponentialMovingFunction",
        "input": "T",
        "time": "t",
        "value": "x",
        "head": head,
        "output": "mean",
    }
    found = frame(run(tmp_path, {"T": given}, {"s": step}), "s")["mean"].to_numpy()
    expected = np.array(_recursive(values, head))
    size = np.array(_recursive(np.abs(values).tolist(), head))  # what rounding is relative to
    assert (np.abs(found - expected) <= 1e-12 * size).all()


def test_windows_hold_the_values_that_follow_each_other(case: LoadedCase) -> None:
    parts, apart = [], []
    for series in _in_order():
        x, y = series["x"], series["y"]
        columns = {f"x_{i + 1}": x.shift(3 - i) for i in range(4)}
        parts.append(series.assign(at_start=series["at"].shift(3), **columns).iloc[3:])
        columns = {f"v_{i + 1}": y.shift(3 - i) for i in range(4)}
        apart.append(series.assign(since=series["at"].shift(3), **columns).iloc[3::4])
    _compare(case, "windows", parts, ["at_start", "x_1", "x_2", "x_3", "x_4", "at"])
    _compare(case, "windows_apart", apart, ["since", "v_1", "v_2", "v_3", "v_4"])
    assert case.bound.steps["windows"].output.key == "id"


def _few(count: int) -> Rows:
    moments = [START + timedelta(days=i) for i in range(count)]
    table: Columns = {
        "id": list(range(count)),
        "at": moments,
        "x": [float(i) for i in range(count)],
    }
    return rows("id", {"id": "key", "at": "time", "x": "numeric"}, table)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_short_series_has_no_window(count: int, tmp_path: Path) -> None:
    series = {"input": "T", "time": "at", "value": "x"}
    steps = {
        "windows": {**series, "operator": "Windowing", "size": 3},
        "simple": {**series, "operator": "SimpleMovingFunction", "size": 3, "output": "m"},
        "weighted": {
            **series,
            "operator": "WeightedMovingFunction",
            "weights": [0, 0.5, 0.5],
            "output": "m",
        },
        "exponential": {
            **series,
            "operator": "ExponentialMovingFunction",
            "head": 0.5,
            "output": "m",
        },
    }
    case = run(tmp_path, {"T": _few(count)}, steps)
    for name in ("windows", "simple", "weighted"):
        assert case.table(name).num_rows == max(0, count - 2)
    assert case.table("exponential").column("m").to_pylist() == [0.0, 0.5, 1.25][:count]


def test_a_concept_without_key_has_series_too(tmp_path: Path) -> None:
    types = {"t": "numeric", "x": "numeric"}
    given = rows(None, types, {"t": [1.0, 1.0, 2.0, 3.0], "x": [1.0, 1.0, 5.0, 9.0]})
    steps = {
        "windows": {"operator": "Windowing", "input": "T", "time": "t", "value": "x", "size": 2},
        "average": {
            "operator": "ExponentialMovingFunction",
            "input": "T",
            "time": "t",
            "value": "x",
            "head": 0.5,
            "output": "m",
        },
    }
    case = run(tmp_path, {"T": given}, steps)
    assert frame(case, "windows", "x_2")["x_1"].tolist() == [1.0, 1.0, 5.0]
    assert frame(case, "average", "m")["m"].tolist() == [1.0, 1.0, 3.0, 6.0]


@pytest.mark.parametrize(
    ("step", "message", "hint"),
    [
        (
            {**WEIGHTED, "weights": [0.5, 0.4], "output": "m"},
            "takes numbers that add up to 1, got a sum of 0.9",
            "divide each by 0.9",
        ),
        ({**WEIGHTED, "weights": [1], "output": "m"}, "takes at least 2 numbers", ""),
        (
            {**EXPONENTIAL, "tail": 0.7},
            "`head` and `tail` must add up to 1, got 0.95",
            "set it to 0.75",
        ),
        ({**EXPONENTIAL, "head": 1}, "must be at most 0.999999", ""),
        ({**SIMPLE, "output": "y"}, "'T' already has a feature 'y'", "name with `output`"),
        ({**WINDOWS, "output": "at", "start": "at_2"}, "already has a feature 'at_2'", "different"),
        ({**WINDOWS, "start": "y"}, "'T' already has a feature 'y'", "name with `start`"),
        ({**SIMPLE, "within": ["t"], "time": "t"}, "the time 't' cannot separate series", "shop"),
        ({**SIMPLE, "value": "shop"}, "feature 'shop' is nominal", "x, y"),
    ],
)
def test_mistakes_are_told(step: dict[str, Any], message: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(ResolveError) as refused:
        load(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"s": step})
    (diagnostic,) = refused.value.diagnostics
    assert message in diagnostic.message
    assert hint in diagnostic.hint
    assert diagnostic.place is not None


def test_a_function_stops_at_what_needs_more_than_a_row(tmp_path: Path) -> None:
    model = {
        "operator": "SupportVectorMachineForRegression",
        "input": "s",
        "target": "y",
        "predictors": ["mean", "x"],
        "kernel": "linear",
        "output": "p",
    }
    case = run(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"s": SIMPLE, "m": model})
    assert "p(x, mean)" in case.explain("m").topics["functions"]
