"""What `score` says about new rows: no score and why, values that were not learned, drift."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.command_line import accepted
from support.small_case import rows, run

from miningflow.project import LoadedCase
from miningflow.verbs.score import Scores

N = 200
TYPES = {
    "id": "key",
    "x": "numeric",
    "y": "numeric",
    "sex": "binary",
    "town": "nominal",
    "class": "binary",
}


def frame(seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    found = pd.DataFrame({"id": range(N), "x": rng.normal(10, 2, N), "y": rng.normal(size=N)})
    found["sex"] = rng.choice(["f", "m"], N)
    found["town"] = rng.choice(["Bonn", "Köln", "Unna"], N)
    found["class"] = np.where(found.x + rng.normal(size=N) > 10, "yes", "no")
    return found


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    machine: dict[str, Any] = {
        "operator": "SupportVectorMachineForClassification",
        "input": "doubled",
        "target": "class",
        "positive": "yes",
        "predictors": ["x2", "sex", "town"],
        "kernel": "linear",
        "output": "value",
    }
    tree = {
        "operator": "PredictionWithDecisionTree",
        "input": "T",
        "target": "class",
        "predictors": ["x", "y", "town"],
        "output": "told",
    }
    steps = {
        "doubled": {
            "operator": "GenericFeatureConstruction",
            "input": "T",
            "sql": "2 * x",
            "output": "x2",
        },
        "scored": machine,
        "filled": {**machine, "nulls": "impute", "output": "filled"},
        "tree": tree,
    }
    columns = {name: column.tolist() for name, column in frame().items()}
    table = rows("id", TYPES, columns, {"share": 0.2, "seed": 1})
    return run(tmp_path_factory.mktemp("report"), {"T": table}, steps)


def new_rows() -> pd.DataFrame:
    found = frame(2).drop(columns="class")
    found.loc[:9, "x"] = np.nan
    found.loc[5:19, "sex"] = "d"
    found.loc[15:34, "town"] = "Rom"
    found.loc[50:52, "town"] = None
    return found


def reported(case: LoadedCase, new: pd.DataFrame, step: str = "scored") -> Scores:
    return case.score({"T": new}, step=step, report=True)


def test_rows_without_a_score_have_a_reason(case: LoadedCase) -> None:
    scores = reported(case, new_rows())
    assert scores.table is not None and scores.report is not None
    report = scores.report
    assert report.rows == N
    assert report.without_score == scores.table.column("value").null_count == 23
    assert report.missing == {"x2": 10, "town": 3}
    assert report.unseen == {"sex": 15, "town": 20}
    found = {warning.kind: warning.message for warning in scores.warnings}
    assert found == {
        "rows_without_score": "23 of 200 rows have no score: NULL, NaN or infinity in x2 (10), "
        "town (3); a value that was not learned in sex (15)",
        "unseen_values": "values that were not learned, by rows: town (20)",
    }


def test_a_model_that_fills_null_misses_no_value(case: LoadedCase) -> None:
    scores = reported(case, new_rows(), "filled")
    assert scores.table is not None and scores.report is not None
    assert scores.report.without_score == scores.table.column("filled").null_count == 15
    assert scores.report.missing == {}


def test_a_tree_needs_the_predictors_it_uses(case: LoadedCase) -> None:
    scores = reported(case, new_rows().drop(columns=["y"]).assign(y=None), "tree")
    assert scores.table is not None and scores.report is not None
    assert scores.report.without_score == scores.table.column("told").null_count


def test_rows_like_those_learned_from_give_no_warning(case: LoadedCase) -> None:
    scores = reported(case, frame(3))
    assert scores.warnings == ()
    assert scores.report is not None
    assert scores.report.without_score == 0


def test_drift_is_said(case: LoadedCase) -> None:
    scores = reported(case, frame(3).assign(x=lambda f: f.x * 100, town="Rom"))
    found = {warning.features for warning in scores.warnings if warning.kind == "drift"}
    assert found == {("x2",), ("town",)}


def test_few_rows_are_no_drift(case: LoadedCase) -> None:
    few = frame(3).head(5).assign(x=lambda f: f.x * 100)
    assert reported(case, few).warnings == ()


def test_the_command_prints_it_and_json_has_it(case: LoadedCase) -> None:
    folder = case.path.parent
    new_rows().to_csv(folder / "new.csv", index=False)
    given = ("score", "case.yml", "--input", "T=new.csv", "--step", "scored")
    said = accepted(folder, *given)
    assert "2 warnings" in said
    assert "23 of 200 rows have no score" in said
    said = accepted(folder, *given, "--output", "scores.csv")
    assert "200 rows scored to scores.csv" in said
    assert "23 of 200 rows have no score" in said
    plain = json.loads(accepted(folder, *given, "--json"))
    assert len(plain["rows"]) == N
    assert plain["report"]["missing"] == {"x2": 10, "town": 3}
    assert [w["kind"] for w in plain["warnings"]] == ["rows_without_score", "unseen_values"]
    plain = json.loads(accepted(folder, *given, "--output", "again.csv", "--json"))
    assert plain["report"]["unseen"] == {"sex": 15, "town": 20}


def test_without_report_the_table_is_returned(case: LoadedCase) -> None:
    assert case.score({"T": new_rows()}, step="scored").num_rows == N
