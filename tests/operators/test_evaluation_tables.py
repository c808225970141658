"""Tables of lift, calibration and classes against pandas and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve
from support.small_case import Columns, key_hash, rows, run

from miningflow.project import LoadedCase

N = 200
HOLDOUT = {"share": 0.3, "seed": 2}
TYPES = {
    "id": "key",
    "truth": "binary",
    "value": "numeric",
    "chance": "numeric",
    "sort": "nominal",
    "said": "nominal",
}


def _table() -> Columns:
    random = np.random.default_rng(8)
    value = random.normal(size=N).round(1)  # many are equal
    sort = random.choice(["a", "b", "c"], N, p=[0.6, 0.3, 0.1])
    table: Columns = {
        "id": list(range(N)),
        "truth": np.where(value + random.normal(size=N) > 0.5, "yes", "no").tolist(),
        "value": value.tolist(),
        # edges of intervals, and values that are no probabilities
        "chance": np.clip(0.5 + value / 4, -0.05, 1).round(2).tolist(),
        "sort": sort.tolist(),
        "said": np.where(random.random(N) < 0.5, sort, "d").tolist(),
    }
    for name, every in {"truth": 23, "value": 19, "chance": 17, "sort": 13, "said": 11}.items():
        table[name] = [None if i % every == 1 else v for i, v in enumerate(table[name])]
    return table


TABLE = _table()
SCORED = {"actual": "truth", "positive": "yes"}
CLASSES = {"actual": "sort", "predicted": "said"}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    concepts = {
        "T": rows("id", TYPES, TABLE),
        "Held": rows("id", TYPES, TABLE, holdout=HOLDOUT),
        "None": rows("id", TYPES, {**TABLE, "value": [None] * N, "truth": ["no"] * N}),
    }
    steps = {
        "lift": {"operator": "LiftTable", "input": "Held", "decision": "value", **SCORED},
        "fifths": {"operator": "Lift", "input": "T", "decision": "value", "bins": 5, **SCORED},
        "nobody": {"operator": "Lift", "input": "None", "decision": "chance", **SCORED},
        "nothing": {"operator": "Lift", "input": "None", "decision": "value", **SCORED},
        "reliable": {
            "operator": "CalibrationTable",
            "input": "Held",
            "probability": "chance",
            **SCORED,
        },
        "confused": {"operator": "ConfusionMatrix", "input": "Held", **CLASSES},
        "classes": {"operator": "ClassFigures", "input": "Held", **CLASSES},
    }
    return run(tmp_path_factory.mktemp("tables"), concepts, steps)


def _given(part: str, *names: str) -> pd.DataFrame:
    """Returns the rows of a part that have these features."""
    frame = pd.DataFrame(TABLE)
    limit = f"{round(HOLDOUT['share'] * 16**8):08x}"
    held_out = np.array([key_hash(key, 2) < limit for key in frame["id"]])
    kept = {"held out": held_out, "learned": ~held_out, "all": np.ones(N, bool)}[part]
    return frame[kept].dropna(subset=list(names))


def _made(case: LoadedCase, step: str, part: str, by: list[str]) -> pd.DataFrame:
    frame: pd.DataFrame = case.table(step).to_pandas()
    found = frame[frame["part"] == part].drop(columns="part")
    assert len(found)
    return found.sort_values(by).reset_index(drop=True)


@pytest.mark.parametrize(
    ("step", "part", "bins"),
    [("lift", "held out", 10), ("lift", "learned", 10), ("fifths", "all", 5)],
)
def test_lift(case: LoadedCase, step: str, part: str, bins: int) -> None:
    given = _given(part, "truth", "value")
    rank = given["value"].rank(method="min", ascending=False)
    given["bin"] = (rank - 1) * bins // len(given) + 1
    given["positive"] = (given["truth"] == "yes").astype(float)
    groups = given.groupby("bin")
    expected = pd.DataFrame(
        {
            "lowest": groups["value"].min(),
            "highest": groups["value"].max(),
            "rows": groups.size().astype(float),
            "positives": groups["positive"].sum(),
            "rate": groups["positive"].mean(),
        }
    )
    expected["lift"] = expected["rate"] / given["positive"].mean()
    expected["rows_so_far"] = expected["rows"].cumsum() / len(given)
    expected["gain"] = expected["positives"].cumsum() / given["positive"].sum()
    expected["lift_so_far"] = expected["gain"] / expected["rows_so_far"]
    found = _made(case, step, part, ["bin"])
    pd.testing.assert_frame_equal(found, expected.reset_index(), rtol=1e-12, atol=0)
    assert found["gain"].iloc[-1] == 1
    assert found["lift"].iloc[0] > 1.5


def test_equal_scores_are_in_one_bin(case: LoadedCase) -> None:
    found = _made(case, "lift", "learned", ["bin"])
    assert (found["lowest"].to_numpy()[:-1] > found["highest"].to_numpy()[1:]).all()


def test_without_positive_rows_there_is_no_lift(case: LoadedCase) -> None:
    found = _made(case, "nobody", "all", ["bin"])
    assert found["lift"].isna().all()
    assert found["gain"].isna().all()
    assert (found["rate"] == 0).all()
    assert case.table("nothing").num_rows == 0


@pytest.mark.parametrize("part", ["held out", "learned"])
def test_calibration(case: LoadedCase, part: str) -> None:
    given = _given(part, "truth", "chance")
    given = given[given["chance"].between(0, 1)]
    positive = given["truth"] == "yes"
    rate, mean = calibration_curve(positive, given["chance"], n_bins=10)
    found = _made(case, "reliable", part, ["bin"])
    np.testing.assert_allclose(found["rate"], rate, rtol=1e-12)
    np.testing.assert_allclose(found["mean_probability"], mean, rtol=1e-12)
    np.testing.assert_allclose(found["difference"], mean - rate, atol=1e-15)
    assert found["rows"].sum() == len(given)
    assert found["positives"].sum() == positive.sum()
    inside = zip(found["lowest"], found["mean_probability"], found["highest"], strict=True)
    assert all(low <= mean <= high for low, mean, high in inside)
    np.testing.assert_allclose(found["highest"], found["bin"] / 10, rtol=1e-12)
    error = np.average(np.abs(mean - rate), weights=found["rows"])
    np.testing.assert_allclose(found["expected_error"], error, rtol=1e-12)


@pytest.mark.parametrize("part", ["held out", "learned"])
def test_confusion_matrix(case: LoadedCase, part: str) -> None:
    given = _given(part, "sort", "said")
    labels = ["a", "b", "c", "d"]
    found = _made(case, "confused", part, ["actual", "predicted"])
    for column, normalize in {
        "rows": None,
        "share": "all",
        "share_of_actual": "true",
        "share_of_predicted": "pred",
    }.items():
        matrix = metrics.confusion_matrix(
            given["sort"], given["said"], labels=labels, normalize=normalize
        )
        made = found.pivot(index="actual", columns="predicted", values=column)
        made = made.reindex(index=labels, columns=labels).fillna(0)
        np.testing.assert_allclose(made, matrix, rtol=1e-12)
    assert (found["rows"] > 0).all()


@pytest.mark.parametrize("part", ["held out", "learned"])
def test_figures_of_classes(case: LoadedCase, part: str) -> None:
    given = _given(part, "sort", "said")
    labels = ["a", "b", "c", "d"]
    precision, recall, f1, support = metrics.precision_recall_fscore_support(
        given["sort"], given["said"], labels=labels, zero_division=np.nan
    )
    found = _made(case, "classes", part, ["class"])
    expected: dict[str, Any] = {
        "class": labels,
        "rows": support.astype(float),
        "predicted_rows": [float((given["said"] == label).sum()) for label in labels],
        "right": [
            float(((given[["sort", "said"]] == label).all(axis=1)).sum()) for label in labels
        ],
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }
    pd.testing.assert_frame_equal(found, pd.DataFrame(expected), rtol=1e-12, check_dtype=False)
    assert np.isnan(recall[3])
