"""Every operator in segments: each segment as if there were no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest
from support.example_case import OPERATORS, ExampleCase, example_of
from support.joined_examples import chosen, run_joined

from miningflow.declare import Operator, SegmentingOperator, UnsegmentingOperator

CHOSEN = [o for o in OPERATORS if not issubclass(o, SegmentingOperator | UnsegmentingOperator)]


HALVES = {"operator": "SegmentationByPartitioning", "partitions": 2, "output": "half", "seed": 3}


@dataclass(frozen=True)
class Segmented:
    """What an example made in two segments at once, and over the rows of each alone."""

    together: pa.Table
    alone: dict[str, pa.Table]


@pytest.fixture(scope="module")
def segmented(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Segmented]:
    """Runs the examples in two segments of the first concept they read, then in each alone."""
    operators = chosen(request)
    together = run_joined(map(_in_halves, operators), lambda: tmp_path_factory.mktemp("segments"))
    alone: dict[str, dict[str, pa.Table]] = {name: {} for name in together}
    for concept in sorted({_first(operator) for operator in operators}):
        reading = [o for o in operators if _first(o) == concept]
        halves = together[reading[0].__name__].table(_name(reading[0]))
        for label, ids in zip(("1", "2"), _halves(halves, _key(concept)), strict=True):
            examples = [_alone(o, concept, _key(concept), ids) for o in reading]
            ran = run_joined(examples, lambda: tmp_path_factory.mktemp("alone"))
            for name, one in ran.items():
                alone[name][label] = one.table()
    return {name: Segmented(ran.table(), alone[name]) for name, ran in together.items()}


def _first(operator: type[Operator]) -> str:
    concept, _ = example_of(operator).named_concepts()[0]
    return concept


def _name(operator: type[Operator]) -> str:
    return f"halves of {operator.__name__}"


def _in_halves(operator: type[Operator]) -> ExampleCase:
    example = example_of(operator)
    example.put_before(_first(operator), _name(operator), HALVES)
    return example


def _key(concept: str) -> str:
    key: str = example_of(OPERATORS[0]).concepts[concept]["key"]
    return key


@pytest.mark.parametrize("operator", CHOSEN, ids=lambda o: o.__name__)
@pytest.mark.slow
def test_it_runs_in_each_segment_by_itself(
    operator: type[Operator], segmented: dict[str, Segmented]
) -> None:
    found = segmented[operator.__name__]
    for label, expected in found.alone.items():
        rows = [_row(r) for r in found.together.to_pylist() if r["half"] == label]
        wanted = [_row({**_nulls(found.together), **r}) for r in expected.to_pylist()]
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


def _nulls(table: pa.Table) -> dict[str, None]:
    """Returns NULL for what this segment may have lost, and another kept."""
    return dict.fromkeys(table.column_names)


def _row(row: dict[str, Any]) -> list[tuple[str, Any]]:
    return [
        (name, float(f"{value:.9g}") if isinstance(value, float) else value)
        for name, value in sorted(row.items())
        if name != "half"
    ]
