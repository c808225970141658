"""What is estimated of an operator's output before it runs holds when it has run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from example_case import OPERATORS, example_of

from miningflow.catalog import installed
from miningflow.declare import Operator
from miningflow.declare.estimates import Amount

FURTHER: list[tuple[str, dict[str, Any]]] = [
    ("RowSelectionByRandomSampling", {"how_many": 20}),
    ("RowSelectionByUnbiasing", {"how_many": None}),
    ("RowSelectionByUnbiasing", {"how_many": None, "counts": {"yes": 7, "no": 3}}),
    ("RemoveDuplicates", {"targets": ["region"]}),
    ("RemoveDuplicates", {"targets": None}),
    ("JoinByKey", {"keys": ["Customer.region", "Rating.grade"]}),
    ("DeleteRecordsWithMissingValues", {"targets": ["income"]}),
]


def _within(amount: Amount, real: int) -> bool:
    return amount.low <= real <= (real if amount.high is None else amount.high)


@pytest.mark.parametrize(
    ("operator", "changes"),
    [*((o, {}) for o in OPERATORS), *((installed()[n], c) for n, c in FURTHER)],
    ids=lambda v: v.__name__ if isinstance(v, type) else "",
)
def test_bounds_hold(operator: type[Operator], changes: dict[str, Any], tmp_path: Path) -> None:
    example = example_of(operator, changes)
    case = example.load(tmp_path)
    before = case.estimate(example.step)[example.step]
    assert before.rows is None
    case.run()
    real = case.stats(example.step)[example.step]
    assert _within(before.estimate.rows, real.rows)
    outline = case.project.bound.steps[example.step].output.features
    assert list(before.estimate.features) == list(outline)
    gone = set(outline) - {f.feature for f in real.features}
    for name, estimate in before.estimate.features.items():
        found = real.of(name)
        if found is None:
            assert estimate.may_go
            continue
        assert _within(estimate.missing, found.missing), name
        assert _within(estimate.distinct, found.distinct), name
    assert gone <= {n for n, f in before.estimate.features.items() if f.may_go}
    after = case.estimate(example.step)[example.step]
    assert (after.rows, after.statistics) == (real.rows, real)
    assert after.estimate == before.estimate
