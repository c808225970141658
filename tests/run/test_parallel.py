"""Independent stages run side by side, and learn what they would learn one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import WriteCase
from support.stores import HELD_OUT, TWO_FILES, artifacts, ran, results

import miningflow
from miningflow.run import stage_pool

MACHINE = """
machine_{i}:
  operator: SupportVectorMachineForClassification
  input: filled
  target: lapsed
  positive: 'yes'
  predictors: [age, household, income]
  kernel: {kernel}
  C: {cost}
  output: risk
"""
STEPS = "filled: {operator: AssignAverageValue, input: Customer, target: income}\n" + "".join(
    MACHINE.format(i=i, kernel=("linear", "radial")[i % 2], cost=0.5 + i) for i in range(12)
)


@pytest.mark.slow
def test_many_workers_learn_what_one_does(
    write_case: WriteCase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = write_case(STEPS, concepts=HELD_OUT, connect=TWO_FILES)
    store = tmp_path / "store.duckdb"
    found = []
    for workers in (1, 4):
        monkeypatch.setattr(stage_pool, "WORKERS", workers)
        assert len(ran(miningflow.load(case).run(full=True))) == 15
        found.append((artifacts(store), results(store)))
    assert len(found[0][0]) == 13
    assert found[0] == found[1]
