"""Numbers whose squares are no doubles: a message with step, feature and value, no traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_case import load, rows

from miningflow.errors import MiningFlowError

TYPES = {"id": "key", "x": "numeric", "y": "numeric", "c": "binary"}
STEPS: dict[str, dict[str, Any]] = {
    "regression": {
        "operator": "SupportVectorMachineForRegression",
        "target": "y",
        "predictors": ["x"],
        "output": "estimate",
    },
    "in_database": {
        "operator": "SupportVectorMachineForRegression",
        "target": "y",
        "predictors": ["x"],
        "output": "estimate",
        "kernel": "linear",
        "use_db_svm": "always",
    },
    "clusters": {"operator": "SegmentationWithKMeans", "predictors": ["x", "y"], "at_most": 3},
    "classes": {
        "operator": "SupportVectorMachineForClassification",
        "target": "c",
        "positive": "a",
        "predictors": ["x", "y"],
        "output": "risk",
    },
    "tree": {
        "operator": "PredictionWithDecisionTree",
        "target": "y",
        "predictors": ["x"],
        "output": "leaf",
    },
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("size", [1e155, 1e307, 5e-324])
def test_it_is_learned_or_refused_by_name(step: str, size: float, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    x = random.integers(1, 90, 40).astype(float)
    columns: dict[str, Any] = {
        "id": range(40),
        "x": x * size,
        "y": x * 2,
        "c": np.where(x > 40, "a", "b"),
    }
    for spoilt in ("x", "y"):
        given = columns if spoilt == "x" else {**columns, "x": x, "y": x * size}
        case = load(
            tmp_path / spoilt,
            {"T": rows("id", TYPES, given)},
            {"made": {"input": "T", **STEPS[step]}},
        )
        try:
            case.run()
        except MiningFlowError as error:
            assert f"{spoilt!r}" in str(error), str(error)
            assert "step 'made'" in str(error)
