"""Calibrated machines against predict_proba."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from support.scoring import difference, scored

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 3)) * [1, 5, 0.1] + [0, 3, -1]
LABELS = [["no", "yes"], ["b", "c", "a"], [7, -1, 3, 0]]


def _y(labels: list[Any]) -> Any:
    order = np.argsort(np.argsort(X[:, 0] + RANDOM.normal(size=len(X)) * 0.5))
    return np.array(labels)[order * len(labels) // len(X)]


def _agrees(fitted: Any, new: Any) -> None:
    rows = scored(fitted, new)
    expected = fitted.predict_proba(new)
    if expected.shape[1] == 2:
        expected, names = expected[:, 1:], ["probability"]
    else:
        names = [f"probability_{i}" for i in range(expected.shape[1])]
    assert list(rows.columns) == ["id", *names, "label"]
    difference(rows[names], expected)
    assert rows["label"].to_list() == fitted.predict(new).tolist()


@pytest.mark.parametrize("labels", LABELS, ids=str)
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize(
    "machine",
    [
        LinearSVC(),
        SVC(),
        make_pipeline(StandardScaler(), SVC(kernel="poly", degree=2)),
        make_pipeline(StandardScaler(), SVC(kernel="linear")),
    ],
    ids=["linear", "radial", "poly", "scaled"],
)
def test_probabilities(machine: Any, ensemble: bool, labels: list[Any]) -> None:
    calibrated = CalibratedClassifierCV(machine, cv=3, ensemble=ensemble).fit(X, _y(labels))
    _agrees(calibrated, np.vstack([X, X * 1e4]))


def test_behind_other_steps_and_frozen() -> None:
    y = _y(["no", "yes"])
    pipeline = make_pipeline(StandardScaler(), CalibratedClassifierCV(SVC(), cv=2)).fit(X, y)
    _agrees(pipeline, X)
    frozen = FrozenEstimator(make_pipeline(SimpleImputer(), SVC()).fit(X, y))
    _agrees(CalibratedClassifierCV(frozen).fit(X, y), X)


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_null_has_no_probability(labels: list[Any]) -> None:
    for machine in (SVC(), LinearSVC()):
        fitted = CalibratedClassifierCV(machine, cv=2).fit(X, _y(labels))
        new = pd.DataFrame(X[:4], columns=["a", "b", "c"])
        new.loc[0, "a"], new.loc[1, "b"], new.loc[2, "c"] = None, np.inf, np.nan
        rows = scored(fitted, new, ["a", "b", "c"])
        for name in rows.columns.drop("id"):
            assert [v is None for v in rows[name]] == [True, True, True, False]
