"""Intervals of a series against a loop over its rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.small_case import Columns, frame, load, rows, run

from miningflow.errors import ResolveError

RANDOM = np.random.default_rng(8)
N = 600
TYPES = {"id": "key", "at": "time", "shop": "nominal", "x": "numeric"}
START = datetime(2025, 3, 1)
HOURS = RANDOM.integers(0, 4_000, N)  # some twice
TABLE: Columns = {
    "id": [int(i) for i in RANDOM.permutation(N)],
    "at": [None if i % 50 == 3 else START + timedelta(hours=int(h)) for i, h in enumerate(HOURS)],
    "shop": [None if i % 60 == 9 else str(s) for i, s in enumerate(RANDOM.choice(["p", "q's"], N))],
    "x": [
        None if i % 40 == 7 else float(10 * np.sin(h / 300) + e)
        for i, (h, e) in enumerate(zip(HOURS, RANDOM.normal(0, 0.5, N), strict=True))
    ],
}
STEP: dict[str, Any] = {
    "operator": "SignalToSymbolProcessing",
    "input": "T",
    "time": "at",
    "value": "x",
    "within": ["shop"],
    "tolerance": 1.5,
    "output": "symbol",
}


def _cut(moments: list[float], values: list[float], tolerance: float) -> list[list[int]]:
    """Goes through a series and gathers the positions of each interval."""
    found: list[list[int]] = []
    low, high = -np.inf, np.inf
    for i, (moment, value) in enumerate(zip(moments, values, strict=True)):
        if found:
            first = found[-1][0]
            passed, rise = moment - moments[first], value - values[first]
            if passed > 0:
                low, high = (
                    max(low, (rise - tolerance) / passed),
                    min(high, (rise + tolerance) / passed),
                )
            if low <= high and (passed > 0 or abs(rise) <= tolerance):
                found[-1].append(i)
                continue
        found.append([i])
        low, high = -np.inf, np.inf
    return found


def _expected(table: pd.DataFrame, tolerance: float) -> pd.DataFrame:
    parts = []
    known = table.dropna().sort_values(["at", "id"])
    for _, series in known.groupby("shop"):
        moments = ((series["at"] - pd.Timestamp(1970, 1, 1)) / pd.Timedelta(days=1)).tolist()
        values = series["x"].tolist()
        for members in _cut(moments, values, tolerance):
            m = np.array(moments)[members] - moments[members[0]]
            x = np.array(values)[members]
            later = m > 0
            slope = float("nan")
            if later.any():
                rise = x[later] - x[0]
                low, high = (rise - tolerance) / m[later], (rise + tolerance) / m[later]
                slope = (low.max() + high.min()) / 2
                assert (np.abs(x[0] + slope * m - x) <= tolerance + 1e-9).all()
            height = 0.0 if np.isnan(slope) else slope * m[-1]
            moved = "rising" if height > 0 else "falling"
            symbol = moved if abs(height) > tolerance else "steady"
            first, last = series.iloc[members[0]], series.iloc[members[-1]]
            parts.append((first["id"], first["at"], last["at"], x.mean(), slope, symbol))
    names = ["id", "at", "at_end", "x_average", "x_slope", "symbol"]
    return pd.DataFrame(parts, columns=names).sort_values("id").reset_index(drop=True)


@pytest.mark.parametrize("tolerance", [0, 0.7, 1.5, 100])
def test_intervals_are_those_of_a_loop(tolerance: float, tmp_path: Path) -> None:
    case = run(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"s": {**STEP, "tolerance": tolerance}})
    found, expected = frame(case, "s"), _expected(pd.DataFrame(TABLE), tolerance)
    assert len(expected) > (1 if tolerance == 100 else 20)
    for name in expected.columns:
        pd.testing.assert_series_equal(
            found[name], expected[name], rtol=1e-9, check_dtype=False, check_exact=False
        )
    if tolerance == 1.5:
        assert set(found["symbol"]) == {"rising", "falling", "steady"}


def _walk(folder: Path, values: Sequence[float | None]) -> list[tuple[Any, ...]]:
    count = len(values)
    times = [float(i) for i in range(count)]
    table: Columns = {"id": list(range(count)), "t": times, "x": list(values)}
    given = rows("id", {"id": "key", "t": "numeric", "x": "numeric"}, table)
    step = {k: v for k, v in STEP.items() if k != "within"} | {"time": "t", "tolerance": 1}
    case = run(folder, {"T": given}, {"s": step})
    found = frame(case, "s")
    names = ["t", "t_end", "x_average", "x_slope", "symbol"]
    return [
        tuple(None if pd.isna(v) else v for v in row) for row in found[names].to_numpy().tolist()
    ]


def test_intervals_by_hand(tmp_path: Path) -> None:
    values = [0.0, 2.0, 4.0, 6.0, 6.0, 6.0, 6.0, 6.0]
    assert _walk(tmp_path, values) == [
        # up to 4 a line can rise by 5/3 to 7/4, and the value at 5 wants at most 7/5
        (0.0, 4.0, 3.6, pytest.approx((5 / 3 + 7 / 4) / 2), "rising"),
        (5.0, 7.0, 6.0, 0.0, "steady"),
    ]


@pytest.mark.parametrize(("values", "intervals"), [([None, None], 0), ([5.0], 1)])
def test_little_or_nothing(values: list[float | None], intervals: int, tmp_path: Path) -> None:
    found = _walk(tmp_path, values)
    assert found == [(0.0, 0.0, 5.0, None, "steady")][:intervals]


def test_new_rows_have_intervals_of_their_own(tmp_path: Path) -> None:
    model = {
        "operator": "SupportVectorMachineForRegression",
        "input": "s",
        "target": "x",
        "predictors": ["x_average"],
        "kernel": "linear",
        "output": "p",
    }
    concepts = {"T": rows("id", TYPES, TABLE)}
    case = run(tmp_path, concepts, {"s": STEP, "m": model})
    some = concepts["T"].table.slice(0, 200)
    scored = case.score({"T": some})
    assert (
        sorted(scored.column("id").to_pylist()) == _expected(some.to_pandas(), 1.5)["id"].tolist()
    )


def test_a_step_may_have_the_name_of_a_part(tmp_path: Path) -> None:
    concepts = {"series in order": rows("id", TYPES, TABLE)}
    case = run(tmp_path, concepts, {"intervals so far": {**STEP, "input": "series in order"}})
    assert case.table("intervals so far").num_rows == len(_expected(pd.DataFrame(TABLE), 1.5))


def test_mistakes_are_told(tmp_path: Path) -> None:
    for changes, message in (
        ({"tolerance": -1}, "must be at least 0"),
        ({"output": "x"}, "already has a feature 'x'"),
        ({"average": "x_slope"}, "already has a feature 'x_slope'"),
    ):
        with pytest.raises(ResolveError, match=message):
            load(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"s": {**STEP, **changes}})
