"""The score that FeatureSelectionByScore and ScoreSelector choose where none is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.metrics import roc_auc_score
from support.small_case import rows, run

import miningflow
from miningflow.declare.selection import Selection
from miningflow.learn.selection import ScoreSelector

Numbers = npt.NDArray[np.float64]
N = 400
LABELS = np.where(np.random.default_rng(1).random(N) < 0.35, "ill", "well")


def measurements() -> dict[str, Numbers]:
    """Makes readings, as of a clinic: presence of a reading says little, its size much."""
    rng = np.random.default_rng(2)
    ill = LABELS == "ill"
    glucose = rng.normal(110, 20, N) + 35 * ill
    glucose[rng.choice(N, 4, replace=False)] = 0.0
    insulin = np.where(rng.random(N) < 0.45 + 0.1 * ill, 0.0, rng.normal(130, 60, N))
    return {"insulin": insulin, "glucose": glucose, "pressure": rng.normal(70, 9, N)}


def words() -> dict[str, Numbers]:
    """Makes counts of words; the last one tells by being there, not by its number."""
    rng = np.random.default_rng(3)
    ill = LABELS == "ill"
    frequent = np.where(rng.random(N) < 0.4, rng.poisson(2, N) + 8.0 * ill, 0.0)
    telling = np.where(rng.random(N) < np.where(ill, 0.6, 0.1), rng.integers(1, 60, N), 0.0)
    return {"frequent": frequent * (rng.random(N) < 0.3), "rare": rng.poisson(0.1, N) * 1.0} | {
        "telling": telling
    }


def selected(folder: Path, columns: dict[str, Numbers], **more: Any) -> Selection:
    names = list(columns)
    types = {"id": "key", "state": "binary"} | dict.fromkeys(names, "numeric")
    table: dict[str, Sequence[Any]] = {"id": range(N), "state": LABELS.tolist()}
    table |= {name: values.tolist() for name, values in columns.items()}
    step = {
        "operator": "FeatureSelectionByScore",
        "input": "T",
        "target": "state",
        "attributes": names,
        "keep": 1,
        **more,
    }
    step = {name: value for name, value in step.items() if value is not None}
    case = run(folder, {"T": rows("id", types, table)}, {"few": step})
    return case.selections()["few"]


@pytest.mark.parametrize(
    ("columns", "best", "score"),
    [(measurements(), "glucose", "fisher"), (words(), "telling", "information_gain")],
)
def test_the_score_fits_the_columns(
    tmp_path: Path, columns: dict[str, Numbers], best: str, score: str
) -> None:
    selection = selected(tmp_path, columns)
    assert selection.kept == (best,)
    assert selection.measure == score
    assert selection.reason.startswith(f"{score}: ")
    apart = {name: abs(roc_auc_score(LABELS, x) - 0.5) for name, x in columns.items()}
    assert max(apart, key=lambda name: apart[name]) == best
    estimator = ScoreSelector(keep=1).fit(np.column_stack(list(columns.values())), LABELS)
    assert estimator.measure_ == score
    found = [selection.scores[name] for name in columns]
    np.testing.assert_allclose(found, estimator.scores_, rtol=1e-9)


def test_the_choice_is_noted(tmp_path: Path) -> None:
    selected(tmp_path, measurements())
    report = miningflow.load(tmp_path / "case.yml").run(full=True)
    [stage] = [s for s in report.stages if s.name == "few"]
    assert any("score: fisher, because" in note for note in stage.notes)


def test_a_score_that_is_named_stays(tmp_path: Path) -> None:
    """Presence is what was asked for, even of readings, where it finds the wrong one."""
    selection = selected(tmp_path, measurements(), score="information_gain")
    assert selection.measure == "information_gain"
    assert selection.kept == ("insulin",)


def test_a_threshold_needs_the_name_of_its_score(tmp_path: Path) -> None:
    with pytest.raises(miningflow.MiningFlowError, match="no score is named"):
        selected(tmp_path, measurements(), keep=None, threshold=0.1)
