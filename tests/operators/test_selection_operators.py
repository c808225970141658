"""Features are selected by hand and by search; a loop leaves out what is gone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.small_case import column, rows, run

from miningflow.project import LoadedCase

N = 120
TYPES = {
    "id": "key",
    "signal": "numeric",
    "noise": "numeric",
    "hiss": "numeric",
    "group": "nominal",
    "label": "binary",
}


def _table() -> dict[str, list[Any]]:
    random = np.random.default_rng(1)
    signal, group = random.normal(size=N), random.choice(["a", "b", "c"], N)
    label = np.where(signal + 1.5 * (group == "a") + random.normal(0, 0.2, N) > 0.5, "yes", "no")
    return {
        "id": list(range(N)),
        "signal": signal.tolist(),
        "noise": random.normal(size=N).tolist(),
        "hiss": random.normal(size=N).tolist(),
        "group": group.tolist(),
        "label": label.tolist(),
    }


def _by_hand(**more: Any) -> dict[str, Any]:
    return {"operator": "FeatureSelectionByAttributes", "input": "T", **more}


def _search(**more: Any) -> dict[str, Any]:
    return {
        "operator": "FeatureSelectionWithSVM",
        "input": "T",
        "target": "label",
        "positive": "yes",
        "attributes": ["type:numeric", "group"],
        "accept_equal": True,
        **more,
    }


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    steps = {
        "dropped": _by_hand(drop=["noise", "label"]),
        "kept": _by_hand(keep=["signal"]),
        "kept_of": _by_hand(keep=["signal"], attributes=["signal", "noise", "hiss"]),
        "pattern": _by_hand(drop=["*is*"]),
        "twice": _by_hand(input="pattern", drop=["hiss", "group"]),
        "backward": _search(),
        "forward": _search(direction="forward"),
        "scaled": {
            "operator": "LinearScaling",
            "input": "pattern",
            "for_each": {"target": ["signal", "noise"]},
            "output": "{target}_scaled",
        },
    }
    return run(tmp_path_factory.mktemp("selection"), {"T": rows("id", TYPES, _table())}, steps)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("dropped", ["id", "signal", "hiss", "group"]),
        ("kept", ["id", "signal"]),
        ("kept_of", ["id", "signal", "group", "label"]),
        ("pattern", ["id", "signal", "group", "label"]),
        ("twice", ["id", "signal", "label"]),
    ],
)
def test_features_are_selected_by_hand(case: LoadedCase, step: str, expected: list[str]) -> None:
    assert case.table(step).column_names == expected


@pytest.mark.parametrize("step", ["backward", "forward"])
def test_a_search_finds_what_matters(case: LoadedCase, step: str) -> None:
    assert case.table(step).column_names == ["id", "signal", "group", "label"]
    selection = case.selections()[step]
    assert sorted(selection.kept) == ["group", "signal"]
    assert sorted(selection.dropped) == ["hiss", "noise"]
    accepted = [t for t in selection.trace if t.accepted]
    assert sorted(accepted[-1].kept) == ["group", "signal"]
    assert accepted[-1].value == min(t.value for t in selection.trace)


def test_a_loop_leaves_out_what_is_gone(case: LoadedCase) -> None:
    assert case.table("scaled").column_names == ["id", "signal", "group", "label", "signal_scaled"]
    assert min(column(case, "scaled", "signal_scaled")) == 0
