"""The warnings of a run: each on data that deserves it, none on data that does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.command_line import accepted
from support.postgres_stores import Database
from support.small_case import Columns, Rows, load, rows

import miningflow
from miningflow.run import Report
from miningflow.warn import ResultWarning

N = 300
TYPES = {
    "id": "key",
    "x": "numeric",
    "y": "numeric",
    "flat": "numeric",
    "name": "nominal",
    "code": "nominal",
    "town": "nominal",
    "rare": "binary",
    "class": "binary",
    "number": "numeric",
}
MACHINE: dict[str, Any] = {
    "operator": "SupportVectorMachineForClassification",
    "input": "T",
    "target": "class",
    "positive": "yes",
    "predictors": ["x", "y"],
    "kernel": "linear",
    "output": "value",
}
QUALITY: dict[str, Any] = {
    "operator": "ComputeSVMError",
    "input": "scored",
    "actual": "class",
    "predicted": "value_label",
    "positive": "yes",
    "decision": "value",
}
HOLDOUT = {"share": 0.4, "seed": 1}


def columns() -> Columns:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=N), rng.normal(size=N)
    return {
        "id": list(range(N)),
        "x": x.tolist(),
        "y": y.tolist(),
        "flat": [7.0] * N,
        "name": [f"person {i}" for i in range(N)],
        "code": [str(1000 + i % 150) for i in range(N)],
        "town": rng.choice(["Bonn", "Köln", "Unna"], N, p=[0.5, 0.45, 0.05]).tolist(),
        "rare": rng.choice(["no", "yes"], N, p=[0.95, 0.05]).tolist(),
        "class": np.where(x + 0.8 * rng.normal(size=N) > 0, "yes", "no").tolist(),
        "number": rng.normal(50, 9, N).tolist(),
    }


def table(holdout: bool = True, **changed: Any) -> Rows:
    return rows("id", TYPES, columns() | changed, HOLDOUT if holdout else None)


def report(folder: Path, steps: dict[str, Any], source: Rows | None = None) -> Report:
    return load(folder, {"T": table() if source is None else source}, steps).run()


def kinds(found: Report) -> dict[str, ResultWarning]:
    return {warning.kind: warning for warning in found.warnings}


def test_a_sound_case_has_no_warnings(tmp_path: Path) -> None:
    steps = {
        "few": {
            "operator": "FeatureSelectionByScore",
            "input": "T",
            "target": "class",
            "attributes": ["x", "y", "number"],
            "keep": 2,
        },
        "scored": {**MACHINE, "input": "few", "predictors": ["x", "town"]},
        "quality": QUALITY,
    }
    assert report(tmp_path, steps).warnings == ()
    assert "warning" not in accepted(tmp_path, "run", "case.yml")


def test_a_model_that_only_knows_one_class(tmp_path: Path) -> None:
    steps = {
        "scored": {**MACHINE, "target": "rare"},
        "quality": {**QUALITY, "actual": "rare"},
        "guess": {**MACHINE, "target": "town", "positive": None, "output": "guess"},
        "guessed": {
            **QUALITY,
            "input": "guess",
            "actual": "town",
            "predicted": "guess_label",
            "positive": None,
            "decision": None,
        },
    }
    given = {n: {k: v for k, v in s.items() if v is not None} for n, s in steps.items()}
    found = kinds(report(tmp_path, given))
    assert found["one_class_predicted"].step == "quality"
    assert (
        "rows (held out) are predicted as other than 'yes'" in found["one_class_predicted"].message
    )
    assert found["not_better_than_constant"].step == "guessed"
    assert "not better than always" in found["not_better_than_constant"].message


def test_a_class_that_is_never_predicted_is_no_misspelt_value(tmp_path: Path) -> None:
    """The truth has it, so its spelling needs no check."""
    guessed = {**MACHINE, "target": "rare", "predictors": ["y"]}
    steps = {"scored": guessed, "quality": {**QUALITY, "actual": "rare"}}
    found = kinds(report(tmp_path, steps))
    assert "predicted as other than 'yes'" in found["one_class_predicted"].message
    assert "value_never_occurs" not in found


def test_a_baseline_may_be_no_better_than_itself(tmp_path: Path) -> None:
    guess = {"operator": "GenericFeatureConstruction", "input": "T", "sql": "'no'", "output": "g"}
    judged = {"operator": "ComputeSVMError", "actual": "class", "predicted": "g"}
    assert report(tmp_path, {"guess": guess, "first": {**judged, "input": "guess"}}).warnings == ()
    by_row = {**guess, "sql": "case when x > 99 then 'yes' else 'no' end"}
    found = kinds(report(tmp_path / "b", {"guess": by_row, "first": {**judged, "input": "guess"}}))
    assert "not_better_than_constant" in found


def test_a_number_no_better_than_the_mean(tmp_path: Path) -> None:
    steps = {
        "scored": {
            "operator": "PredictionWithDecisionTree",
            "input": "T",
            "target": "number",
            "predictors": ["x", "y"],
            "pruning": 0,
            "leaf_size": 1,
            "output": "told",
        },
        "quality": {
            "operator": "ComputeSVMError",
            "input": "scored",
            "actual": "number",
            "predicted": "told",
        },
    }
    found = kinds(report(tmp_path, steps))
    assert "always the mean" in found["not_better_than_constant"].message


def test_an_attribute_that_gives_the_target_away(tmp_path: Path) -> None:
    steps = {
        "flagged": {
            "operator": "GenericFeatureConstruction",
            "input": "T",
            "sql": "case when class = 'yes' then 1 else 0 end",
            "output": "flag",
        },
        "relevant": {
            "operator": "FeatureSelectionByScore",
            "input": "flagged",
            "target": "class",
            "attributes": ["x", "y", "flag"],
            "keep": 2,
        },
    }
    case = load(tmp_path, {"T": table()}, steps)
    [said] = [str(warning) for warning in case.warnings]
    assert "attribute 'flag' of step 'relevant' is made from the target 'class'" in said
    assert "leave it out of the attributes" in said
    found = kinds(case.run())["leak"]
    assert (found.step, found.features) == ("relevant", ("flag",))
    assert found.message.startswith("this attribute is made from the target 'class'")


def test_a_predictor_that_gives_the_target_away(tmp_path: Path) -> None:
    steps = {
        "flagged": {
            "operator": "GenericFeatureConstruction",
            "input": "T",
            "sql": "case when class = 'yes' then 1 else 0 end",
            "output": "flag",
        },
        "scored": {**MACHINE, "input": "flagged", "predictors": ["x", "flag"]},
        "quality": QUALITY,
    }
    case = load(tmp_path, {"T": table()}, steps)
    [said] = [str(warning) for warning in case.warnings]
    assert "predictor 'flag' of step 'scored' is made from the target 'class'" in said
    assert "case.yml:" in said
    found = kinds(case.run())
    assert found["leak"].features == ("flag",)
    assert found["too_good"].step == "quality"


def test_a_target_made_from_a_predictor(tmp_path: Path) -> None:
    steps = {
        "labelled": {
            "operator": "GenericFeatureConstruction",
            "input": "T",
            "sql": "case when number > 50 then 'yes' else 'no' end",
            "output": "high",
        },
        "scored": {
            **MACHINE,
            "input": "labelled",
            "target": "high",
            "predictors": ["x", "number"],
        },
    }
    case = load(tmp_path, {"T": table()}, steps)
    [said] = [str(warning) for warning in case.warnings]
    assert "predictor 'number' of step 'scored' is what the target 'high' is made of" in said


def test_predictors_that_say_nothing_or_too_much(tmp_path: Path) -> None:
    predictors = ["x", "flat", "name", "code", "town"]
    step = {**MACHINE, "predictors": predictors}
    found = kinds(report(tmp_path, {"scored": step}))
    assert found["constant_predictor"].features == ("flat",)
    assert found["near_unique_predictor"].features == ("name",)
    assert found["numeric_nominal"].features == ("code",)


def test_a_column_of_deviation_one_is_not_constant(tmp_path: Path) -> None:
    signs = [float(i % 2 * 2) for i in range(N)]
    found = report(
        tmp_path, {"scored": {**MACHINE, "predictors": ["x", "flat"]}}, table(False, flat=signs)
    )
    assert set(kinds(found)) == {"no_holdout"}


def test_rows_without_a_score_and_values_not_learned(tmp_path: Path) -> None:
    changed = columns()
    x = [None if i < 30 else v for i, v in enumerate(changed["x"])]
    step = {**MACHINE, "predictors": ["x", "name", "y"]}
    found = kinds(report(tmp_path, {"scored": step}, table(x=x)))
    assert found["rows_without_score"].message == (
        f"30 of {N} rows have no score: NULL, NaN or infinity in x (30)"
    )
    # nearly every name is new to the machine where it was held out
    assert found["unseen_values"].message.startswith(
        "values that were not learned, by rows: name ("
    )


def test_what_steps_learned(tmp_path: Path) -> None:
    steps = {
        "binned": {
            "operator": "EquidistantDiscretizationGivenNoOfIntervals",
            "input": "T",
            "for_each": {"target": ["flat", "number"]},
            "intervals": 4,
            "output": "{target}_group",
        },
        "whole": {
            "operator": "FeatureSelectionByScore",
            "input": "T",
            "target": "class",
            "attributes": ["x", "y", "number"],
            "score": "fisher",
            "threshold": 0,
        },
        "one": {
            "operator": "FeatureSelectionByScore",
            "input": "T",
            "target": "class",
            "attributes": ["x", "y", "number"],
            "score": "fisher",
            "threshold": 0.2,
        },
        "towns": {
            "operator": "SegmentationStratified",
            "input": "T",
            "by": "town",
            "output": "place",
        },
        "filled": {"operator": "AssignAverageValue", "input": "towns", "target": "x"},
    }
    found = kinds(report(tmp_path, steps))
    assert found["one_interval"].features == ("flat_group",)
    assert found["one_interval"].step == "binned"
    assert found["selection_kept_everything"].step == "whole"
    assert "only 'x' of 3 features" in found["selection_kept_one"].message
    assert found["small_segments"].message.startswith("1 of ")
    assert "'Unna' (" in found["small_segments"].message


def test_evaluations_of_different_rows(tmp_path: Path) -> None:
    changed = columns()
    x = [None if i < 30 else v for i, v in enumerate(changed["x"])]
    steps = {
        "scored": MACHINE,
        "quality": QUALITY,
        "other": {**MACHINE, "predictors": ["y", "number"]},
        "other_quality": {**QUALITY, "input": "other"},
    }
    warnings = report(tmp_path, steps, table(x=x)).warnings
    found = [w for w in warnings if w.kind == "not_comparable"]
    assert {w.step for w in found} == {"quality and other_quality"}
    assert len(found) == 2  # held out, and learned


def test_turns_of_a_loop_are_one_warning(tmp_path: Path) -> None:
    names = [f"v{i}" for i in range(1, 13)]
    types = {"id": "key"} | dict.fromkeys(names, "numeric")
    data: Columns = {"id": list(range(40))} | {name: [1.0] * 40 for name in names}
    step = {
        "operator": "EquidistantDiscretizationGivenNoOfIntervals",
        "input": "T",
        "for_each": {"target": names},
        "intervals": 3,
        "output": "{target}_group",
    }
    found = report(tmp_path, {"bins": step}, rows("id", types, data))
    [warning] = found.warnings
    assert str(warning).startswith(
        "bins (12 turns): v1_group … v12_group (12 features): all values"
    )


def test_warnings_stay_when_nothing_runs_and_are_in_json(tmp_path: Path) -> None:
    steps = {"scored": {**MACHINE, "predictors": ["x", "flat"]}}
    first = report(tmp_path, steps, table(holdout=False))
    again = miningflow.load(tmp_path / "case.yml").run()
    assert not any(stage.action == "run" for stage in again.stages)
    assert again.warnings == first.warnings
    assert set(kinds(again)) == {"constant_predictor", "no_holdout"}
    assert not any("warning" in note for stage in again.stages for note in stage.notes)
    plain = json.loads(accepted(tmp_path, "run", "case.yml", "--json"))
    assert [w["kind"] for w in plain["warnings"]] == [w.kind for w in first.warnings]
    said = accepted(tmp_path, "run", "case.yml")
    assert "2 warnings" in said
    assert "→ leave it out, or check the source" in said


def test_the_same_warnings_on_postgres(tmp_path: Path, database: Database) -> None:
    steps = {
        "scored": {**MACHINE, "target": "rare", "predictors": ["x", "flat", "name"]},
        "quality": {**QUALITY, "actual": "rare"},
        "towns": {
            "operator": "SegmentationStratified",
            "input": "T",
            "by": "town",
            "output": "place",
        },
        "filled": {"operator": "AssignAverageValue", "input": "towns", "target": "x"},
    }
    x = [None if i < 30 else v for i, v in enumerate(columns()["x"])]
    here = report(tmp_path, steps, table(x=x))
    text = (tmp_path / "case.yml").read_text(encoding="utf-8")
    there = tmp_path / "there.yml"
    there.write_text(text.replace("duckdb:///store.duckdb", database.url), encoding="utf-8")
    found = miningflow.load(there, there).run()
    assert found.warnings == here.warnings
    assert len(found.warnings) >= 5


@pytest.mark.parametrize("column", ["x", "number"])
def test_one_interval_is_no_matter_of_scaling(tmp_path: Path, column: str) -> None:
    step = {"operator": "LinearScaling", "input": "T", "target": column, "range": [0, 1]}
    assert report(tmp_path, {"scaled": step}).warnings == ()
