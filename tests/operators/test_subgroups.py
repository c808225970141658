"""Subgroups against looking at every one of them."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.small_case import Columns, frame, load, rows, run

from miningflow.errors import ResolveError, RunError

N = 900
RANDOM = np.random.default_rng(21)
TYPES = {
    "id": "key",
    "x": "numeric",
    "y": "numeric",
    "town": "nominal",
    "flag": "binary",
    "kind": "nominal",
}
X = RANDOM.normal(size=N).round(1)
Y = RANDOM.integers(0, 3, N).astype(float)
TOWN = RANDOM.choice(["a", "b'c", "d e"], N, p=[0.5, 0.3, 0.2])
FLAG = RANDOM.choice(["no", "yes"], N)
CHANCE = np.where((X > 0.3) & (TOWN == "b'c"), 0.9, np.where(FLAG == "yes", 0.3, 0.15))
KIND = np.where(RANDOM.random(N) < CHANCE, "good", RANDOM.choice(["bad", "ugly"], N))


def _holes(values: Any, every: int) -> list[Any]:
    return [None if i % every == 2 else v for i, v in enumerate(values.tolist())]


TABLE: Columns = {
    "id": list(range(N)),
    "x": _holes(X, 11),
    "y": _holes(Y, 17),
    "town": _holes(TOWN, 13),
    "flag": FLAG.tolist(),
    "kind": _holes(KIND, 19),
}
STEP: dict[str, Any] = {
    "operator": "SubgroupMining",
    "input": "T",
    "target": "kind",
    "value": "good",
    "attributes": ["x", "y", "town", "flag"],
    "depth": 3,
    "min_support": 0.03,
    "keep": 25,
}


def _parts(table: pd.DataFrame, name: str, intervals: int) -> dict[str, Any]:
    """Returns the conditions on an attribute, each with the rows that satisfy it."""
    known = table[name].dropna()
    if not pd.api.types.is_numeric_dtype(known):
        return {f"{name} = {v}": (table[name] == v).to_numpy() for v in sorted(set(known))}
    ordered = np.sort(known.to_numpy())
    last = [
        ordered[int(np.ceil(len(ordered) * i / intervals)) - 1] for i in range(1, intervals + 1)
    ]
    ends = [-np.inf, *sorted(set(last))[:-1], np.inf]
    found: dict[str, Any] = {}
    for low, high in combinations(ends, 2):
        if (low, high) == (-np.inf, np.inf):
            continue
        words = f"{low:g} < {name} ≤ {high:g}"
        words = f"{name} ≤ {high:g}" if low == -np.inf else words
        words = f"{name} > {low:g}" if high == np.inf else words
        found[words] = ((table[name] > low) & (table[name] <= high)).to_numpy()
    return found


def _expected(depth: int, support: float, exponent: float, keep: int) -> pd.DataFrame:
    table = pd.DataFrame(TABLE)
    table = table[table["kind"].notna()]
    good = (table["kind"] == "good").to_numpy()
    usual, n = good.mean(), len(table)
    parts = {name: _parts(pd.DataFrame(table), name, 4) for name in STEP["attributes"]}
    quality: dict[tuple[str, ...], float] = {}
    found = []
    for size in range(1, depth + 1):
        for names in combinations(STEP["attributes"], size):
            for words in product(*(parts[name] for name in names)):
                member = np.ones(n, dtype=bool)
                for name, word in zip(names, words, strict=True):
                    member &= parts[name][word]
                if member.sum() < support * n:
                    continue
                share = good[member].mean()
                value = (member.sum() / n) ** exponent * (share - usual)
                quality[words] = value
                smaller = [quality.get(words[:i] + words[i + 1 :], 0.0) for i in range(size)]
                if value > 0 and (size == 1 or value > max(smaller) + 1e-12):
                    row = (size, member.sum(), good[member].sum(), member.mean(), share)
                    found.append((" and ".join(words), *row, share / usual, value))
    features = ["description", "conditions", "size", "positives", "coverage", "share", "lift"]
    frame = pd.DataFrame(found, columns=[*features, "quality"])
    return frame.sort_values("quality", ascending=False)[:keep].reset_index(drop=True)


@pytest.mark.parametrize("exponent", [1.0, 0.5])
@pytest.mark.parametrize(("depth", "keep"), [(1, 100), (2, 10), (3, 25), (3, 3)])
def test_the_best_subgroups_are_found(
    depth: int, keep: int, exponent: float, tmp_path: Path
) -> None:
    step = {**STEP, "depth": depth, "keep": keep, "exponent": exponent}
    case = run(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"s": step})
    found = frame(case, "s", "subgroup")
    expected = _expected(depth, 0.03, exponent, keep)
    assert len(expected) >= 3
    assert found["subgroup"].tolist() == list(range(1, len(expected) + 1))
    np.testing.assert_allclose(found["quality"], expected["quality"], rtol=1e-9)
    clear = ~expected["quality"].round(12).duplicated(keep=False)  # equals may swap
    for name in expected.columns:
        pd.testing.assert_series_equal(found[name][clear], expected[name][clear], check_dtype=False)


def test_what_was_hidden_comes_first(tmp_path: Path) -> None:
    case = run(tmp_path, {"T": rows("id", TYPES, TABLE)}, {"s": {**STEP, "exponent": 0.5}})
    first = frame(case, "s", "subgroup").iloc[0]
    assert first["description"].endswith("and town = b'c")
    assert first["description"].startswith("x > ")
    assert first["share"] > 0.7
    assert case.explain("s").topics["subgroup 1"].startswith(first["description"])


def test_a_value_that_is_nowhere_more_frequent(tmp_path: Path) -> None:
    table: Columns = {**TABLE, "kind": ["good"] * N}
    case = run(tmp_path, {"T": rows("id", TYPES, table)}, {"s": STEP})
    assert case.table("s").num_rows == 0


def test_an_attribute_that_says_nothing_is_no_obstacle(tmp_path: Path) -> None:
    table: Columns = {**TABLE, "x": [None] * N, "y": [1.0] * N, "town": [None] * N}
    case = run(tmp_path, {"T": rows("id", TYPES, table)}, {"s": STEP})
    assert frame(case, "s", "subgroup")["description"].tolist() == ["flag = yes"]


def test_held_out_rows_are_not_counted(tmp_path: Path) -> None:
    given = rows("id", TYPES, TABLE, {"share": 0.5, "seed": 1})
    case = run(tmp_path, {"T": given}, {"s": STEP})
    learned = int(case.explain("s").topics["learned"].split()[1])
    assert 0.4 * N < learned < 0.6 * N


def test_mistakes_are_told(tmp_path: Path) -> None:
    given = {"T": rows("id", TYPES, TABLE)}
    with pytest.raises(ResolveError, match="the target 'kind' is among the attributes"):
        load(tmp_path, given, {"s": {**STEP, "attributes": ["x", "kind"]}})
    with pytest.raises(ResolveError, match="must be at most 4"):
        load(tmp_path, given, {"s": {**STEP, "depth": 5}})
    with pytest.raises(RunError, match="no training row has 'kind' = 'god'"):
        load(tmp_path, given, {"s": {**STEP, "value": "god"}}).run()
