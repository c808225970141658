"""Training inside the database that was interrupted goes on from where it was."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.small_case import Columns, load, rows

from miningflow.catalog import installed
from miningflow.engines import open_engine
from miningflow.project import LoadedCase
from miningflow.run import training_rows as training
from miningflow.run.events import Event

N = 45_000
TYPES = {"id": "key", "a": "numeric", "b": "numeric", "label": "binary", "size": "numeric"}

CLASSES: dict[str, Any] = {
    "operator": "SupportVectorMachineForClassification",
    "input": "T",
    "target": "label",
    "positive": "yes",
    "predictors": ["a", "b"],
    "use_db_svm": "always",
    "output": "found",
}
NUMBER: dict[str, Any] = {
    "operator": "SupportVectorMachineForRegression",
    "input": "T",
    "target": "size",
    "predictors": ["a", "b"],
    "use_db_svm": "always",
    "output": "found",
}
STEPS: dict[str, dict[str, Any]] = {
    "squared hinge": {**CLASSES, "kernel": "linear", "loss": "squared_hinge"},
    "hinge": {**CLASSES, "kernel": "linear"},
    "regression": {**NUMBER, "kernel": "linear"},
    "radial": {**CLASSES, "kernel": "radial", "C": 100.0, "target": "inside"},
}


@pytest.fixture(autouse=True)
def always_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "SAVED_EVERY", 0.0)


def _case(folder: Path, step: dict[str, Any]) -> LoadedCase:
    random = np.random.default_rng(1)
    a, b = random.normal(size=N), random.normal(size=N)
    # The first rows are unlike the others, so that a guess from them is a bad one.
    first = np.arange(N) < 26_000
    side = np.where(first, b - a, a + 0.3 * b) + 0.4 * random.normal(size=N)
    circle = a**2 + b**2
    table: Columns = {
        "id": list(range(N)),
        "a": [float(v) for v in a],
        "b": [float(v) for v in b],
        "label": ["yes" if v > 0 else "no" for v in side],
        "size": [float(v) for v in side],
        "inside": ["yes" if v > 1.4 else "no" for v in circle],
    }
    types = {**TYPES, "inside": "binary"}
    return load(folder, {"T": rows("id", types, table)}, {"machine": step})


class _Interrupt:
    """Raises after a number of passes."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.passes = 0

    def __call__(self, event: Event) -> None:
        if event.kind == "progress" and event.message.startswith("pass "):
            self.passes += 1
            if self.passes > self.after:
                raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_a_second_run_takes_fewer_passes(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed()
    small = sys.modules["miningflow.train.svm.training_in_database"]
    monkeypatch.setattr(small, "DRAWN", 400)
    monkeypatch.setattr(small, "ADDED", 40)
    whole = _Interrupt(after=1000)
    case = _case(tmp_path / "whole", STEPS[name])
    case.run(listener=whole)
    right = case.table("machine").sort_by("id").column("found").to_numpy()
    assert whole.passes >= 3
    case = _case(tmp_path / "interrupted", STEPS[name])
    with pytest.raises(KeyboardInterrupt):
        case.run(listener=_Interrupt(whole.passes - 1))
    rest = _Interrupt(after=1000)
    report = case.run(listener=rest)
    assert 0 < rest.passes < whole.passes
    notes = " ".join(next(s for s in report.stages if s.name == "machine").notes)
    assert re.search(r"\d+ pass(es)? after \d+ of an interrupted run", notes)
    found = case.table("machine").sort_by("id").column("found").to_numpy()
    assert np.abs(found - right).max() <= 1e-2


def test_what_was_kept_is_gone_when_a_machine_is_learned(tmp_path: Path) -> None:
    case = _case(tmp_path, STEPS["hinge"])
    with pytest.raises(KeyboardInterrupt):
        case.run(listener=_Interrupt(after=9))
    assert _kinds(tmp_path) == ["LinearProgress"]
    case.run()
    assert _kinds(tmp_path) == ["SavedMachine"]


def test_what_takes_no_second_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "SAVED_EVERY", 3600.0)
    case = _case(tmp_path, STEPS["hinge"])
    with pytest.raises(KeyboardInterrupt):
        case.run(listener=_Interrupt(after=9))
    assert _kinds(tmp_path) == []


def test_a_full_run_begins_anew(tmp_path: Path) -> None:
    case = _case(tmp_path, STEPS["squared hinge"])
    with pytest.raises(KeyboardInterrupt):
        case.run(listener=_Interrupt(after=6))
    report = case.run(full=True)
    notes = " ".join(next(s for s in report.stages if s.name == "machine").notes)
    assert "duality gap" in notes
    assert "interrupted" not in notes


def test_a_machine_that_was_changed_begins_anew(tmp_path: Path) -> None:
    case = _case(tmp_path, STEPS["squared hinge"])
    with pytest.raises(KeyboardInterrupt):
        case.run(listener=_Interrupt(after=6))
    report = _case(tmp_path, {**STEPS["squared hinge"], "C": 2.0}).run()
    assert "interrupted" not in " ".join(" ".join(stage.notes) for stage in report.stages)


def _kinds(folder: Path) -> list[str]:
    engine = open_engine("duckdb:///store.duckdb", folder)
    with engine.session() as session:
        found = session.rows("SELECT kind FROM miningflow.artifacts")
    engine.close()
    return [kind for (kind,) in found]
