"""What the columns beside a column, and the tables beside its table, say about it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import miningflow


def types(frame: pd.DataFrame, folder: Path) -> dict[str, str | None]:
    started = miningflow.start({"Thing": frame}, folder / "mine")
    return {each.column: each.type for each in started.findings}


def test_families_have_one_type(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    pixels = {f"pixel_{i}": random.integers(0, 17, 200) for i in range(5)}
    dummies = {f"job.{i}": random.integers(0, 2, 200) for i in range(4)}
    frame = pd.DataFrame({**pixels, **dummies})
    frame["pixel_9"] = frame["job.0"]
    frame["job.none"] = 0
    frame["flag"] = random.integers(0, 2, 200)
    frame["always"] = 0
    found = types(frame, tmp_path)
    assert {found[c] for c in frame if c.startswith("pixel")} == {"numeric"}
    assert {found[c] for c in frame if c.startswith("job")} == {"binary"}
    assert (found["flag"], found["always"]) == ("binary", "numeric")


def test_numbers_without_a_gap_at_the_start_of_a_table_number_something(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "doc": np.repeat(np.arange(300), 4),
            "term": np.tile(np.arange(1, 151), 8),
            "size": random.poisson(200, 1200),
            "later": np.tile(np.arange(1, 151), 8),
        }
    )
    assert types(frame, tmp_path) == {
        "doc": "key",
        "term": "key",
        "size": "numeric",
        "later": "numeric",
    }


def test_codes_of_another_table_relate_whatever_they_are_called(tmp_path: Path) -> None:
    airports = pd.DataFrame({"faa": ["JFK", "LGA", "EWR", "ORD"], "alt": [13, 22, 18, 668]})
    flights = pd.DataFrame({"delay": range(90), "dest": ["JFK", "ORD", "LGA"] * 30})
    flights["kind"] = ["day", "night", "day"] * 30
    started = miningflow.start({"Airport": airports, "Flight": flights}, tmp_path / "mine")
    found = [(each.from_column, each.to_column) for each in started.relations]
    assert found == [("dest", "faa")]
