"""A seed decides: the same one repeats a fresh run, another one changes it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
from support import stores
from support.example_case import OPERATORS, ExampleCase, example_of
from support.joined_examples import chosen, run_joined

from miningflow.declare import Operator
from miningflow.declare.kinds.numbers import Integer

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
    kind = {p.name: p.kind for p in operator.parameters()}.get("sample_size")
    if isinstance(kind, Integer):
        changes["sample_size"] = max(kind.minimum or 0, 30)
    return example_of(operator, {**changes, "seed": seed})


Result = tuple[Any, Any]
Results = Callable[[int, str], dict[str, Result]]


@pytest.fixture(scope="module")
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Returns what the examples learn and compute with a seed in fresh stores, by operator."""

    @functools.cache
    def found(seed: int, stores_of: str) -> dict[str, Result]:
        examples = [_example(operator, seed) for operator in chosen(request)]
        ran = run_joined(examples, lambda: tmp_path_factory.mktemp(stores_of))
        learned = {r.folder: stores.artifacts(r.folder / "store.duckdb") for r in ran.values()}
        return {
            name: (
                {step: learned[r.folder].get(step) for step in r.example.steps},
                sorted(map(repr, zip(*r.table().to_pydict().values(), strict=True))),
            )
            for name, r in ran.items()
        }

    return found


@seeded
@pytest.mark.slow
def test_the_same_seed_gives_the_same(operator: type[Operator], results: Results) -> None:
    name = operator.__name__
    assert results(5, "first")[name] == results(5, "second")[name]


@seeded
@pytest.mark.slow
def test_another_seed_gives_something_else(operator: type[Operator], results: Results) -> None:
    name = operator.__name__
    first = results(5, "first")[name]
    assert any(results(6 + i, "other")[name] != first for i in range(4))
