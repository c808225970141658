"""A search for features on all rows of a database, against the same in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_case import Columns, load, rows

from miningflow.errors import MiningFlowError
from miningflow.project import LoadedCase

N = 800
TYPES = {
    "id": "key",
    "a": "numeric",
    "b": "numeric",
    "noise": "numeric",
    "other": "numeric",
    "kind": "nominal",
    "label": "binary",
}
STEP: dict[str, Any] = {
    "operator": "FeatureSelectionWithSVM",
    "input": "T",
    "target": "label",
    "positive": "yes",
    "attributes": ["a", "b", "noise", "other", "kind"],
    "nulls": "drop_rows",
    "C": 0.5,
    "sample_size": N,
}


def _case(folder: Path, steps: dict[str, Any]) -> LoadedCase:
    random = np.random.default_rng(12)
    a, b = random.normal(size=N), random.normal(size=N)
    kind = random.choice(["p", "q", "r"], N)
    side = 1.5 * a - b + 1.2 * (kind == "q") + 0.5 * random.normal(size=N)
    table: Columns = {
        "id": list(range(N)),
        "a": [None if i % 90 == 3 else float(v) for i, v in enumerate(a)],
        "b": [float(v) for v in b],
        "noise": [float(v) for v in random.normal(size=N)],
        "other": [float(v) for v in random.exponential(size=N)],
        "kind": [str(v) for v in kind],
        "label": ["yes" if v > 0.4 else "no" for v in side],
    }
    return load(folder, {"T": rows("id", TYPES, table)}, steps)


@pytest.mark.parametrize("strategy", ["greedy", pytest.param("beam", marks=pytest.mark.slow)])
@pytest.mark.parametrize("direction", ["backward", "forward"])
def test_it_finds_what_a_search_in_memory_finds(
    tmp_path: Path, direction: str, strategy: str
) -> None:
    step = {**STEP, "direction": direction, "strategy": strategy, "estimate": "xi_alpha"}
    steps = {"memory": step, "database": {**step, "use_db_svm": "always"}}
    report = _case(tmp_path, steps).run()
    notes = {stage.name: " / ".join(stage.notes) for stage in report.stages}
    assert "on all 791 rows, in the database (use_db_svm: always)" in notes["database"]
    assert "subsets tried on 791 rows" in notes["memory"]
    found: dict[str, set[str]] = {name: set() for name in steps}
    for dropped in report.dropped:
        found[dropped.step].add(dropped.feature)
    assert found["database"] == found["memory"]
    assert "noise" in found["database"]
    words = [notes[name].split("; ")[0].rsplit("/ ", 1)[-1].split(" ") for name in steps]
    for left, right in zip(*words, strict=True):
        if left.startswith("0."):
            assert float(left) == pytest.approx(float(right), abs=0.006)
        else:
            assert left == right


@pytest.mark.slow
def test_auto_takes_the_database_above_the_sample_size(tmp_path: Path) -> None:
    step = {**STEP, "use_db_svm": "auto"}
    steps = {"below": step, "above": {**step, "sample_size": 300}}
    notes = {s.name: " / ".join(s.notes) for s in _case(tmp_path, steps).run().stages}
    assert "backward guided search" in notes["below"]
    assert "in the database (use_db_svm: auto)" in notes["above"]


def test_what_the_database_cannot_do_is_said_before(tmp_path: Path) -> None:
    wrong = {"kernel": "radial", "estimate": "span", "strategy": "guided", "screen": 2}
    with pytest.raises(MiningFlowError) as raised:
        _case(tmp_path, {"s": {**STEP, **wrong, "use_db_svm": "always"}})
    for name, value in wrong.items():
        assert f"a search inside the database does not support {name} {value!r}" in str(
            raised.value
        )
