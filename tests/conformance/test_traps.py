"""Order, rounding, division, times and texts are the same on every engine, and are right."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from support import trap_case
from support.postgres_stores import Database
from support.spark_stores import Warehouse

import miningflow
from miningflow.verbs.verify.stores import Verification


def differing(found: list[Verification]) -> dict[str, Any]:
    """Returns the steps that differ, each with the first rows that do."""
    (only,) = found
    assert len(only.steps) == 15
    return {step.name: step.rows.first for step in only.steps if not step.equal}


def test_postgresql_gives_the_same(tmp_path: Path, database: Database) -> None:
    case = miningflow.load(trap_case.write(tmp_path))
    assert differing(case.verify(database.url)) == {}


@pytest.mark.slow
def test_spark_gives_the_same(tmp_path: Path, warehouse: Warehouse) -> None:
    path = trap_case.write(tmp_path)
    concepts = path.read_text(encoding="utf-8").partition("store: duckdb://\n")[2]
    elsewhere = tmp_path / "spark.yml"
    elsewhere.write_text(
        f"store: {warehouse.master}\nrepository: sqlite:///repository.db\n"
        + "\n".join(line.removeprefix("  ") for line in concepts.splitlines()),
        encoding="utf-8",
    )
    assert differing(miningflow.load(path).verify(elsewhere)) == {}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What the case returns on DuckDB, by step, in the order of keys."""
    folder = tmp_path_factory.mktemp("traps")
    path = trap_case.write(folder)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("store: duckdb://\n", "store: duckdb:///s.duckdb\n"), "utf-8")
    case = miningflow.load(path)
    case.run()
    found = {}
    for step in ("numbers", "texts", "times", "noted", "usual", "late"):
        listed = case.table(step).to_pylist()
        found[step] = sorted(listed, key=lambda row: row["id"])
    return found


def test_numbers_are_what_one_computes_by_hand(rows: dict[str, list[dict[str, Any]]]) -> None:
    for row, x, y in zip(rows["numbers"], trap_case.XS, trap_case.YS, strict=True):
        if x is None or y is None or y == 0:
            assert row["quotient"] is None
            assert row["rest"] is None
        else:
            assert row["quotient"] == x / y
            if abs(x / y) < 1e12:
                assert row["rest"] == pytest.approx(math.fmod(x, y), abs=1e-12)
        if x is not None:
            assert row["whole"] == math.copysign(math.floor(abs(x) + 0.5), x)
            assert row["steps"] == pytest.approx(math.floor(x) + 10 * math.ceil(x), rel=1e-15)
        known = [v for v in (x, y) if v is not None]
        assert row["most"] == max([*known, 0.0]) - min(known)


def test_texts_are_compared_byte_by_byte(rows: dict[str, list[dict[str, Any]]]) -> None:
    for row, word in zip(rows["texts"], trap_case.WORDS, strict=True):
        if word is None:
            assert row["side"] is None
            continue
        assert row["side"] == ("before" if word.encode() < b"b" else "after")
        assert row["letters"] == len(word) + 100 * len(word.strip(" "))
        assert row["middle"] == word[1:3]
    words = sorted((w for w in trap_case.WORDS if w is not None), key=str.encode)
    assert words[0] == ""  # what engines may take for NULL


def test_times_do_not_shift(rows: dict[str, list[dict[str, Any]]]) -> None:
    for row, number in zip(rows["times"], range(len(trap_case.WORDS)), strict=True):
        at = trap_case.TIMES[number % len(trap_case.TIMES)]
        assert row["at"] == at
        if at is None:
            assert row["clock"] is None
            continue
        clock = at.hour * 10_000 + at.minute * 100 + at.second + at.year * 1_000_000
        assert row["clock"] == clock
        months = (2024 - at.year) * 12 + 3 - at.month
        assert row["months"] == months + 1000 * at.isoweekday()


def test_the_most_frequent_text_is_the_first_of_equals(
    rows: dict[str, list[dict[str, Any]]],
) -> None:
    missing = [r for r, w in zip(rows["usual"], trap_case.WORDS, strict=True) if w is None]
    assert [row["word"] for row in missing] == ["a"]
