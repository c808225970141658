"""Evaluations of each group of rows by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from support.command_line import accepted
from support.small_case import key_hash, load, rows, run

from miningflow.errors import MiningFlowError
from miningflow.project import LoadedCase

N = 400
TYPES = {
    "id": "key",
    "truth": "binary",
    "said": "binary",
    "value": "numeric",
    "number": "numeric",
    "region": "nominal",
    "town": "nominal",
    "rows": "nominal",
}
STEP = {
    "operator": "Evaluate",
    "input": "T",
    "actual": "truth",
    "predicted": "said",
    "positive": "yes",
    "decision": "value",
}
ERRORS = {"operator": "Evaluate", "input": "T", "actual": "number", "predicted": "value"}
REGIONS = ["north", "south", "one class", None]


def _table() -> dict[str, Any]:
    random = np.random.default_rng(4)
    value = random.normal(size=N).round(1)
    region = [REGIONS[i] for i in random.integers(0, 4, N)]
    truth = np.where(value + random.normal(size=N) > 0, "yes", "no")
    town = [f"town {i}" for i in random.integers(0, 70, N)]
    return {
        "id": list(range(N)),
        "truth": ["no" if r == "one class" else t for r, t in zip(region, truth, strict=True)],
        "said": np.where(value > 0.2, "yes", "no").tolist(),
        "value": value.tolist(),
        "number": (value + random.normal(size=N)).tolist(),
        "region": region,
        "town": town,
        "rows": town,
    }


TABLE = _table()


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    concepts = {"T": rows("id", TYPES, TABLE, holdout={"share": 0.4, "seed": 1})}
    steps = {
        "by_region": {**STEP, "by": "region"},
        "errors": {**ERRORS, "by": "region"},
        "by_town": {**STEP, "by": "town"},
        "whole": STEP,
    }
    return run(tmp_path_factory.mktemp("groups"), concepts, steps)


def _part(part: str) -> pd.DataFrame:
    frame = pd.DataFrame(TABLE)
    held_out = np.array([key_hash(key, 1) < f"{round(0.4 * 16**8):08x}" for key in frame["id"]])
    return frame[held_out if part == "held out" else ~held_out]


def _row(case: LoadedCase, step: str, part: str, region: str | None) -> dict[str, Any]:
    (found,) = (
        row
        for row in case.table(step).to_pylist()
        if (row["part"], row["region"]) == (part, region)
    )
    return dict(found)


@pytest.mark.parametrize("part", ["held out", "learned"])
@pytest.mark.parametrize("region", REGIONS)
def test_each_group_is_evaluated_alone(case: LoadedCase, part: str, region: str | None) -> None:
    given = _part(part)
    given = given[given["region"].isna() if region is None else given["region"] == region]
    assert len(given) > 20
    row = _row(case, "by_region", part, region)
    truth, positive = given["truth"], given["truth"] == "yes"
    assert row["rows"] == len(given)
    assert row["accuracy"] == pytest.approx(metrics.accuracy_score(truth, given["said"]), rel=1e-12)
    most = truth.value_counts(normalize=True).iloc[0]
    assert row["baseline_accuracy"] == pytest.approx(most, rel=1e-12)
    if region == "one class":
        assert [row[name] for name in ("auc", "pr_auc", "ks")] == [None, None, None]
    else:
        area = metrics.roc_auc_score(positive, given["value"])
        average = metrics.average_precision_score(positive, given["value"])
        assert [row["auc"], row["pr_auc"]] == pytest.approx([area, average], rel=1e-12)
    error = _row(case, "errors", part, region)
    r2 = metrics.r2_score(given["number"], given["value"])
    assert error["r2"] == pytest.approx(r2, rel=1e-12)


def test_the_groups_together_are_all_rows(case: LoadedCase) -> None:
    whole = {row["part"]: row for row in case.table("whole").to_pylist()}
    by_region = case.table("by_region").to_pandas()
    for part, row in whole.items():
        of_part = by_region[by_region["part"] == part]
        for name in ("rows", "true_positives", "false_negatives"):
            assert of_part[name].sum() == row[name]


def test_the_largest_50_groups_are_reported(case: LoadedCase) -> None:
    found = case.table("by_town").to_pandas()
    for part in ("held out", "learned"):
        sizes = _part(part)["town"].value_counts()
        assert len(sizes) > 50
        made = found[found["part"] == part].set_index("town")["rows"]
        assert len(made) == 50
        assert sorted(made) == sorted(sizes.iloc[:50])
        assert (made == sizes[made.index]).all()


def test_the_summary_has_a_line_for_each_group(case: LoadedCase) -> None:
    said = accepted(case.path.parent, "run", "case.yml")
    lines = [line.split() for line in said.splitlines()]
    row = _row(case, "by_region", "held out", "north")
    (line,) = (
        words
        for words in lines
        if words[:4] == ["north", "held", "out", f"{row['rows']:.0f}"]
        and f"{row['accuracy']:.4g}" in words
    )
    assert f"({row['baseline_accuracy']:.4g})" in line
    assert any(words[:3] == ["NULL", "held", "out"] for words in lines)


def test_groups_are_not_judged_by_warnings(case: LoadedCase) -> None:
    """A group of one class is no reason to distrust the model."""
    assert {each.step for each in case.run(full=True).warnings} <= {"whole", ""}


def test_python_has_the_groups_in_order(case: LoadedCase) -> None:
    found = case.run().evaluations["by_region"]
    named = [(row["region"] or "", row["part"]) for row in found if row["region"]]
    assert named == sorted(named)
    assert all("learned_from" not in row for row in found)


def test_a_group_called_like_a_measure_is_refused(case: LoadedCase) -> None:
    concepts = {"T": rows("id", TYPES, TABLE)}
    folder = case.path.parent / "clash"
    with pytest.raises(MiningFlowError, match="'rows' is the name of a measure, too"):
        load(folder, concepts, {"quality": {**STEP, "by": "rows"}})
