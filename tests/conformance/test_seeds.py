"""A seed decides: the same one gives the same on a second fresh run, another one something else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import stores
from example_case import OPERATORS, ExampleCase, example_of

from miningflow.declare import Operator

SEEDED = [o for o in OPERATORS if any(p.name == "seed" for p in o.parameters())]
# What makes chance matter for sixty rows, besides a small sample.
CHANCE: dict[str, dict[str, Any]] = {
    "RowSelectionByRandomSampling": {"how_many": 20},
    "RowSelectionByUnbiasing": {"how_many": 5},
    "FeatureSelectionByAlignment": {"kernel": "quadratic"},
    "FeatureSelectionByScore": {"score": "kolmogorov_smirnov"},
    "MissingValuesWithRegressionSVM": {"use_db_svm": "never"},
    "SupportVectorMachineForRegression": {"use_db_svm": "never"},
}

seeded = pytest.mark.parametrize("operator", SEEDED, ids=lambda o: o.__name__)


def _example(operator: type[Operator], seed: int) -> ExampleCase:
    changes = dict(CHANCE.get(operator.__name__, {}))
    parameters = {p.name: p for p in operator.parameters()}
    if "sample_size" in parameters:
        changes["sample_size"] = int(max(parameters["sample_size"].minimum or 0, 30))
    return example_of(operator, {**changes, "seed": seed})


def _result(example: ExampleCase, folder: Path) -> tuple[Any, Any]:
    """Gives what was learned and all rows, as they are in a fresh store."""
    example.load(folder).run()
    store = folder / "store.duckdb"
    return stores.artifacts(store), stores.results(store)[example.step]


@seeded
def test_the_same_seed_gives_the_same(operator: type[Operator], tmp_path: Path) -> None:
    first = _result(_example(operator, 5), tmp_path / "first")
    assert first == _result(_example(operator, 5), tmp_path / "second")


@seeded
def test_another_seed_gives_something_else(operator: type[Operator], tmp_path: Path) -> None:
    first = _result(_example(operator, 5), tmp_path / "0")
    others = (_result(_example(operator, 6 + i), tmp_path / str(i + 1)) for i in range(4))
    assert any(other != first for other in others)
