"""Keys and relations of many rows are looked for in parts, and are the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import miningflow
from miningflow.inspect import in_parts

ROWS = 3000


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_parts, "ROWS_OF_A_PART", 400)


def test_a_key_is_unique_in_every_part(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).permutation(ROWS) * 7
    unique = pd.DataFrame({"thing_id": numbers, "code": [f"c{n}" for n in numbers]})
    twice = unique.assign(thing_id=np.where(numbers == 14, 21, numbers))
    gap = unique.assign(thing_id=pd.array(numbers).astype("Int64"))
    gap.loc[9, "thing_id"] = None
    for name, frame, key in (
        ("unique", unique, "thing_id"),
        ("twice", twice, "code"),
        ("gap", gap, "code"),
    ):
        started = miningflow.start({"Thing": frame}, tmp_path / name)
        keys = [f.column for f in started.findings if f.why == "unique, never missing"]
        assert keys == [key], name


def test_a_csv_key_is_read_as_the_case_reads_it(tmp_path: Path) -> None:
    lines = ["thing_id,size", *(f"k{i},{i}" for i in range(ROWS)), " k5 ,1"]
    (tmp_path / "things.csv").write_text("\n".join(lines), encoding="utf-8")
    started = miningflow.start(tmp_path / "things.csv", tmp_path / "mine")
    assert started.findings[0].why != "unique, never missing"


def test_rows_of_a_relation_are_counted_over_all_parts(tmp_path: Path) -> None:
    owners = pd.DataFrame({"owner_id": np.arange(ROWS) + 5})
    pets = pd.DataFrame({"pet_id": np.arange(2 * ROWS), "owner_id": np.arange(2 * ROWS) % ROWS})
    pets.loc[:99, "owner_id"] = -1
    pets["owner_id"] = pets["owner_id"].astype("Int64")
    pets.loc[100:149, "owner_id"] = None
    (found,) = miningflow.start({"Owner": owners, "Pet": pets}, tmp_path / "mine").relations
    points = pets["owner_id"].dropna()
    assert (found.rows, found.matched) == (len(points), points.isin(owners["owner_id"]).sum())
    assert found.matched < found.rows
