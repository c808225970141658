"""A case on two stores: copied, run on both, and compared.

Keys, labels, counts and categories are equal; doubles agree to nine digits.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pyarrow as pa

import miningflow
from miningflow.errors import RunError
from miningflow.project import LoadedCase
from support.ran_cases import RanCases, copy_cases
from support.trusting import load_trusted


def copied(name: str, folder: Path, store: str) -> tuple[LoadedCase, LoadedCase]:
    """Copies a case of cases/, once as it is and once with another store."""
    copy_cases(folder)
    text = (folder / f"{name}.yml").read_text(encoding="utf-8")
    moved = re.sub(r"store: duckdb:\S+", lambda _: f"store: {store}", text)
    assert moved != text
    (folder / f"elsewhere_{name}.yml").write_text(moved, encoding="utf-8")
    return miningflow.load(folder / f"{name}.yml"), load_trusted(folder / f"elsewhere_{name}.yml")


def run_on_both(
    ran_cases: RanCases, name: str, folder: Path, store: str
) -> tuple[LoadedCase, LoadedCase, int]:
    """Runs a case on another store, which must agree with DuckDB in all that one can ask.

    Returns both, and how many concepts were compared.
    """
    here, there = copied(name, folder, store)
    ran_cases.copy_results(name, folder)
    first, second = here.run(target=folder / "target"), there.run(target=folder / "there")
    assert first.run is None
    assert second.dropped == first.dropped
    assert [(s.name, s.rows) for s in second.stages] == [(s.name, s.rows) for s in first.stages]
    compared = 0
    shown = [name for name, step in here.bound.steps.items() if not step.hidden]
    for concept in [*here.bound.sources, *shown]:
        expected = published(here, concept)
        if expected is not None:
            compared += 1
            assert_equal(published(there, concept), expected, concept)
    assert there.run().run is None
    assert there.test().passed
    if here.bound.scoring:
        assert_equal(there.score(), here.score(), "scores")
    exported = sorted((folder / "target" / name).rglob("*.csv"))
    for path in exported:
        assert_same_lines(folder / "there" / path.relative_to(folder / "target"), path)
    return here, there, compared


def published(case: LoadedCase, concept: str) -> pa.Table | None:
    """Reads what is published; a fused step has nothing."""
    try:
        return case.table(concept)
    except RunError:
        return None


def assert_equal(found: pa.Table | None, expected: pa.Table, what: str) -> None:
    assert found is not None, what
    assert found.column_names == expected.column_names, what
    rows, wanted = _rows(found), _rows(expected)
    assert len(rows) == len(wanted), what
    for row, other in zip(rows, wanted, strict=True):
        same = (_same(a, b) for a, b in zip(row, other, strict=True))
        assert all(same), (what, row, other)


def _rows(table: pa.Table) -> list[list[Any]]:
    """Returns rows in an order that neither NULL nor the last digits of a double change."""
    rows = [list(row.values()) for row in table.to_pylist()]
    return sorted(rows, key=lambda r: [f"{v:.6g}" if isinstance(v, float) else repr(v) for v in r])


def _same(found: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(found, float):
        if math.isnan(expected) or math.isnan(found):
            return math.isnan(expected) and math.isnan(found)
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12)
    return type(found) is type(expected) and bool(found == expected)


def assert_same_lines(found: Path, expected: Path) -> None:
    lines, wanted = (p.read_text(encoding="utf-8").splitlines() for p in (found, expected))
    assert len(lines) == len(wanted)
    for line, other in zip(lines, wanted, strict=True):
        for a, b in zip(line.split(","), other.split(","), strict=True):
            assert a == b or math.isclose(float(a), float(b), rel_tol=1e-9), (line, other)
