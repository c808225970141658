"""Association rules against counting by hand."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_case import Columns, frame, load, rows, run

from miningflow.errors import ResolveError, RunError
from miningflow.project import LoadedCase

TYPES = {"line": "key", "receipt": "key", "article": "nominal"}
STEP = {
    "operator": "Apriori",
    "input": "Line",
    "transaction": "receipt",
    "item": "article",
    "min_support": 0.05,
    "min_confidence": 0.4,
    "at_most": 4,
}
NAMES = ["beer", "bread", "it's milk", 'the "good" oil', "crème, fresh", "rice", "tea"]


def _lines(seed: int, count: int = 300) -> Columns:
    """Makes receipts; who buys beer often buys rice, and some lines are there twice or empty."""
    random = np.random.default_rng(seed)
    receipt: list[int | None] = []
    article: list[str | None] = []
    for number in range(count):
        bought = {n for n in NAMES if random.random() < 0.3}
        if "beer" in bought and random.random() < 0.8:
            bought |= {"rice", "tea"}
        for name in bought:
            times = 1 + int(random.random() < 0.2)
            receipt += [number] * times
            article += [name] * times
    receipt += [None, 5]
    article += ["beer", None]
    return {"line": list(range(len(receipt))), "receipt": receipt, "article": article}


def _expected(lines: Columns, support: float, confidence: float, longest: int) -> set[Any]:
    baskets: dict[int, set[str]] = {}
    for number, name in zip(lines["receipt"], lines["article"], strict=True):
        if number is not None and name is not None:
            baskets.setdefault(number, set()).add(name)
    counts = Counter(
        items
        for basket in baskets.values()
        for size in range(1, longest + 1)
        for items in combinations(sorted(basket), size)
    )
    n = len(baskets)
    found = set()
    for items, together in counts.items():
        for size in range(1, len(items)):
            for before in combinations(items, size):
                after = tuple(i for i in items if i not in before)
                sure = together / counts[before]
                if together >= support * n and sure >= confidence:
                    lift = sure / (counts[after] / n)
                    measures = [together / n, sure, lift, together, counts[before], counts[after]]
                    numbers = tuple(round(float(m), 9) for m in measures)
                    found.add((", ".join(before), ", ".join(after), len(items), *numbers))
    return found


def _found(case: LoadedCase, step: str = "rules") -> set[Any]:
    table = frame(case, step, "rule")
    names = ["antecedent", "consequent", "items", "support", "confidence", "lift"]
    names += ["together", "with_antecedent", "with_consequent"]
    return {
        (*row[:2], *(round(v, 9) for v in row[2:]))
        for row in table[names].itertuples(index=False, name=None)
    }


@pytest.mark.parametrize("longest", [2, 3, 4])
def test_rules_are_those_of_counting_everything(longest: int, tmp_path: Path) -> None:
    lines = _lines(longest)
    step = {**STEP, "at_most": longest}
    case = run(tmp_path, {"Line": rows("line", TYPES, lines)}, {"rules": step})
    expected = _expected(lines, 0.05, 0.4, longest)
    assert len(expected) > 10
    assert _found(case) == expected


def test_rules_are_in_order(tmp_path: Path) -> None:
    case = run(tmp_path, {"Line": rows("line", TYPES, _lines(1))}, {"rules": STEP})
    table = frame(case, "rules", "rule")
    assert table["rule"].tolist() == list(range(1, len(table) + 1))
    order = table[["confidence", "together"]].to_numpy()
    assert all(tuple(a) >= tuple(b) for a, b in pairwise(order))
    assert case.bound.steps["rules"].output.key == "rule"
    assert case.explain("rules").topics["model"] == f"{len(table)} rules"


def test_only_the_best_rules_are_kept(tmp_path: Path) -> None:
    steps = {"all": STEP, "few": {**STEP, "keep": 3}}
    case = run(tmp_path, {"Line": rows("line", TYPES, _lines(2))}, steps)
    every, few = frame(case, "all", "rule"), frame(case, "few", "rule")
    assert few.equals(every[:3])


def test_no_rule_is_a_concept_without_rows(tmp_path: Path) -> None:
    step = {**STEP, "min_support": 1}
    case = run(tmp_path, {"Line": rows("line", TYPES, _lines(2))}, {"rules": step})
    table = case.table("rules")
    assert table.num_rows == 0
    assert "antecedent" in table.column_names


def test_keys_can_be_items(tmp_path: Path) -> None:
    lines: Columns = {"line": [1, 2, 3, 4], "receipt": [1, 1, 2, 2], "article": [10, 20, 10, 20]}
    types = {**TYPES, "article": "key"}
    case = run(tmp_path, {"Line": rows("line", types, lines)}, {"rules": STEP})
    assert {row[:2] for row in _found(case)} == {("10", "20"), ("20", "10")}


def test_held_out_rows_are_not_counted(tmp_path: Path) -> None:
    held = {"share": 0.4, "seed": 2}
    given = rows("line", TYPES, _lines(3), held)
    case = run(tmp_path, {"Line": given}, {"rules": STEP})
    whole = run(tmp_path / "all", {"Line": rows("line", TYPES, _lines(3))}, {"rules": STEP})
    counted = frame(case, "rules", "rule")["together"].max()
    assert counted < 0.7 * frame(whole, "rules", "rule")["together"].max()


def test_mistakes_are_told(tmp_path: Path) -> None:
    given = {"Line": rows("line", TYPES, _lines(1))}
    for changes, message in (
        ({"item": "receipt"}, "`transaction` and `item` are both 'receipt'"),
        ({"min_support": 2}, "must be at most 1"),
        ({"at_most": 1}, "must be at least 2"),
    ):
        with pytest.raises(ResolveError, match=message):
            load(tmp_path, given, {"rules": {**STEP, **changes}})
    nothing: Columns = {"line": [1, 2], "receipt": [1, 1], "article": [None, None]}
    case = load(tmp_path, {"Line": rows("line", TYPES, nothing)}, {"rules": STEP})
    with pytest.raises(RunError, match="no training row has both"):
        case.run()
