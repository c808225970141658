"""How many rows satisfy a condition is judged by statistics, within bounds that hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import tested_case
from support.command_line import accepted

import miningflow
from miningflow.declare.estimates import Amount
from miningflow.project import LoadedCase

N = 400


def _case(folder: Path, steps: dict[str, Any]) -> LoadedCase:
    lines = ["id,x,few,word,at"]
    for i in range(N):
        x = "" if i % 8 == 3 else f"{(i * 37 % 400) / 4}"
        word = "" if i % 10 == 1 else ["north", "south", "north", "east"][i % 4]
        lines.append(f"{i},{x},{i % 5},{word},2024-{1 + i % 12:02}-01")
    (folder / "t.csv").write_text("\n".join(lines))
    content = {
        "case": "judged",
        "concepts": {
            "T": {
                "key": "id",
                "features": {
                    "id": "key",
                    "x": "numeric",
                    "few": "numeric",
                    "word": "nominal",
                    "at": "time",
                },
            }
        },
        "steps": steps,
        "connect": {"store": "duckdb:///s.duckdb", "concepts": {"T": {"file": "t.csv"}}},
    }
    (folder / "case.yml").write_text(json.dumps(content))
    return miningflow.load(folder / "case.yml")


def _where(condition: str, **more: Any) -> dict[str, Any]:
    return {"operator": "RowSelectionByQuery", "input": "T", "where": condition, **more}


EXACT = [
    "few = 2",
    "few <> 2",
    "few < 2",
    "few <= 2",
    "few > 2",
    "few >= 2",
    "few between 1 and 3",
    "few in (0, 4, 7)",
    "few = 9",
    "word = 'north'",
    "word <> 'north'",
    "word in ('north', 'east')",
    "word = 'west'",
    "word is null",
    "x is not null",
    "not few = 2",
    "x > 1000",
    "x >= 0",
    "-1 > 3 or few = 1",
]
GUESSED = [
    "x < 30",
    "x >= 12.5",
    "x between 20 and 40",
    "x < 30 and word = 'north'",
    "x < 30 or word = 'north'",
    "not (x < 30)",
    "at < timestamp '2024-06-15 00:00:00'",
    "at >= date '2024-03-01' and few = 1",
]
UNKNOWN = ["x + few > 3", "length(word) > 4", "word < 'm'", "x > few"]


@pytest.mark.slow
def test_conditions_are_judged(tmp_path: Path) -> None:
    conditions = [*EXACT, *GUESSED, *UNKNOWN]
    steps = {f"s{i}": _where(c) for i, c in enumerate(conditions)}
    case = _case(tmp_path, steps)
    estimates = case.estimate()
    case.run()
    for i, condition in enumerate(conditions):
        rows = estimates[f"s{i}"].estimate.rows
        real = case.table(f"s{i}").num_rows
        assert rows.low <= real <= (rows.high or 0), condition
        if condition in GUESSED:
            assert rows.likely == pytest.approx(real, abs=0.06 * N), condition
        if condition in UNKNOWN:
            assert (rows.likely, rows.low, rows.high) == (None, 0, N), condition
        if condition in EXACT[:-1]:
            assert rows.certain, condition


def test_what_follows_a_choice_is_not_certain(tmp_path: Path) -> None:
    """North and few depend on each other, so the counts of all rows do not bind."""
    steps = {
        "north": _where("word = 'north'"),
        "first": _where("few = 2", input="north"),
        "filled": {"operator": "AssignAverageValue", "input": "north", "target": "x"},
    }
    case = _case(tmp_path, steps)
    found = case.estimate()
    case.run()
    assert found["north"].estimate.rows.certain
    rows = found["first"].estimate.rows
    assert (rows.low, rows.high) == (0, case.table("north").num_rows)
    assert found["filled"].estimate.features["x"].missing == Amount.exactly(0)


def test_the_command_shows_estimated_beside_real(tmp_path: Path) -> None:
    tested_case.write(tmp_path, "")
    said = accepted(tmp_path, "stats", "case.yml", "--estimate")
    assert "with_claims" in said
    assert "only a run can tell which" in said
    accepted(tmp_path, "run", "case.yml")
    accepted(tmp_path, "stats", "case.yml", "adults")
    told = json.loads(accepted(tmp_path, "stats", "case.yml", "adults", "--estimate", "--json"))
    (adults,) = told["concepts"]
    assert adults["rows"]["real"] == 4
    assert adults["features"]["income"]["missing"] == {"likely": 0, "low": 0, "high": 0, "real": 0}
    assert adults["features"]["region"]["may_be_deselected"]
    shown = accepted(tmp_path, "stats", "case.yml", "adults", "--estimate")
    assert "missing estimated" in shown
