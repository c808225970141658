"""Every operator in segments: each segment as if there were no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from example_case import OPERATORS, ExampleCase, example_of

from miningflow.declare import Operator, SegmentingOperator, UnsegmentingOperator
from miningflow.errors import RunError

CHOSEN = [o for o in OPERATORS if not issubclass(o, SegmentingOperator | UnsegmentingOperator)]


@pytest.mark.parametrize("operator", CHOSEN, ids=lambda o: o.__name__)
def test_it_runs_in_each_segment_by_itself(operator: type[Operator], tmp_path: Path) -> None:
    example = example_of(operator)
    concept, _ = example.named_concepts()[0]
    example.put_before(
        concept,
        "halves",
        {"operator": "SegmentationByPartitioning", "partitions": 2, "output": "half", "seed": 3},
    )
    key = example.concepts[concept]["key"]
    whole = example.load(tmp_path / "segments")
    try:
        whole.run()
    except RunError as error:
        whole.run(to_step="halves")
        halves = _halves(whole.table("halves"), key)
        refusals = [_refusal(_alone(operator, concept, key, ids), tmp_path) for ids in halves]
        (mistake,) = error.mistakes
        assert any(r and mistake.message.endswith(r) for r in refusals), "alone it learns"
        return
    halves = _halves(whole.table("halves"), key)
    found = whole.table(example.step)
    for label, ids in zip(("1", "2"), halves, strict=True):
        alone = _alone(operator, concept, key, ids).load(tmp_path / f"alone {label}")
        alone.run()
        expected = alone.table(example.step)
        rows = [_row(r) for r in found.to_pylist() if r["half"] == label]
        wanted = [_row({**_nulls(found), **r}) for r in expected.to_pylist()]
        assert sorted(rows, key=repr) == sorted(wanted, key=repr)


def _halves(table: pa.Table, key: str) -> list[set[Any]]:
    rows = table.to_pylist()
    halves = [{r[key] for r in rows if r["half"] == label} for label in ("1", "2")]
    assert all(halves)
    return halves


def _alone(operator: type[Operator], concept: str, key: str, ids: set[Any]) -> ExampleCase:
    example = example_of(operator)
    rows = example.data[concept]
    mask = pa.array([value in ids for value in rows.column(key).to_pylist()])
    example.data = {**example.data, concept: rows.filter(mask)}
    return example


def _refusal(example: ExampleCase, folder: Path) -> str:
    try:
        example.load(folder / "refused").run()
    except RunError as error:
        return error.mistakes[0].message.partition("cannot learn: ")[2]
    return ""


def _nulls(table: pa.Table) -> dict[str, None]:
    """Gives NULL for what this segment may have lost, and another kept."""
    return dict.fromkeys(table.column_names)


def _row(row: dict[str, Any]) -> list[tuple[str, Any]]:
    return [
        (name, float(f"{value:.9g}") if isinstance(value, float) else value)
        for name, value in sorted(row.items())
        if name != "half"
    ]
