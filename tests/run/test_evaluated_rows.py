"""What an evaluation says about the rows that it compares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.command_line import accepted, refused
from support.small_case import Columns, Rows, key_hash, load, rows, run

from miningflow.errors import MiningFlowError
from miningflow.project import LoadedCase

N = 600
TYPES = {"id": "key", "x": "numeric", "z": "numeric", "class": "binary"}
MACHINE: dict[str, Any] = {
    "operator": "SupportVectorMachineForClassification",
    "input": "T",
    "target": "class",
    "positive": "yes",
    "predictors": ["x", "z"],
    "kernel": "linear",
    "output": "value",
}
TREE: dict[str, Any] = {
    "operator": "PredictionWithDecisionTree",
    "input": "T",
    "target": "class",
    "predictors": ["x", "z"],
    "output": "said",
    "probability": "share",
}
BALANCED = {"operator": "RowSelectionByUnbiasing", "input": "T", "label": "class"}
QUALITY: dict[str, Any] = {
    "operator": "ComputeSVMError",
    "input": "scored",
    "actual": "class",
    "predicted": "value_label",
    "positive": "yes",
    "decision": "value",
}


def table(share: float = 0.08, missing: int = 0) -> Rows:
    """Makes rows of which few are positive."""
    rng = np.random.default_rng(7)
    positive = rng.random(N) < share
    x = rng.normal(size=N) + 1.2 * positive
    columns = {
        "id": list(range(N)),
        "x": [None if i < missing else float(v) for i, v in enumerate(x)],
        "z": rng.normal(size=N).tolist(),
        "class": np.where(positive, "yes", "no").tolist(),
    }
    return rows("id", TYPES, columns, {"share": 0.3, "seed": 1})


def evaluated(case: LoadedCase, step: str = "quality") -> dict[str, dict[str, Any]]:
    return {row["part"]: row for row in case.run().evaluations[step]}


@pytest.fixture(scope="module")
def balanced(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    steps = {
        "balanced": BALANCED,
        "scored": {**MACHINE, "learn_on": "balanced", "probability": "chance"},
        "quality": QUALITY,
        "told": {**TREE, "learn_on": "balanced", "positive": "yes", "leaf_size": 20},
        "sampled": {**MACHINE, "sample_size": 50, "use_db_svm": "never"},
        "sample_quality": {**QUALITY, "input": "sampled"},
    }
    return run(tmp_path_factory.mktemp("balanced"), {"T": table()}, steps)


def test_rows_that_were_learned_from_are_counted(balanced: LoadedCase) -> None:
    parts = evaluated(balanced)
    assert parts["learned"]["learned_from"] == len(_not_held_out(balanced, "balanced"))
    assert parts["learned"]["learned_from"] < parts["learned"]["rows"]
    assert "learned_from" not in parts["held out"]
    assert evaluated(balanced, "sample_quality")["learned"]["learned_from"] == 50


def _not_held_out(case: LoadedCase, name: str) -> pd.DataFrame:
    frame: pd.DataFrame = case.table(name).to_pandas()
    limit = f"{round(0.3 * 16**8):08x}"
    return frame[[key_hash(key, 1) >= limit for key in frame["id"]]]


def _odds(case: LoadedCase, name: str) -> float:
    share = float((_not_held_out(case, name)["class"] == "yes").mean())
    return share / (1 - share)


def test_the_summary_says_so(balanced: LoadedCase) -> None:
    said = accepted(balanced.path.parent, "run", "case.yml")
    assert "quality: not held out" in said
    assert "quality: learned" not in said
    line = next(line for line in said.splitlines() if line.split()[:2] == ["learned", "from"])
    assert "50" in line.split()


def test_probabilities_are_those_of_the_input(balanced: LoadedCase) -> None:
    """Learned from equally many of both classes, and still right about their shares."""
    frame = balanced.table("scored").to_pandas().merge(balanced.table("told").to_pandas())
    rate = (frame["class"] == "yes").mean()
    assert frame["chance"].mean() == pytest.approx(rate, abs=0.03)
    assert frame["share"].mean() == pytest.approx(rate, abs=0.03)
    # the order of the rows, and so the labels, are those of the balanced machine
    order = frame.sort_values("value")["chance"]
    assert order.is_monotonic_increasing
    assert ((frame["value"] > 0) == (frame["value_label"] == "yes")).all()
    notes = [note for stage in balanced.run(full=True).stages for note in stage.notes]
    assert sum("probabilities are corrected to the input" in note for note in notes) == 2


def test_the_correction_is_a_change_of_the_odds(tmp_path: Path) -> None:
    steps = {
        "balanced": BALANCED,
        "Odds": {**MACHINE, "input": "balanced", "probability": "chance"},
        "scored": {**MACHINE, "learn_on": "balanced", "probability": "chance"},
        "Shares": {**TREE, "input": "balanced", "positive": "yes", "leaf_size": 20},
        "told": {**TREE, "learn_on": "balanced", "positive": "yes", "leaf_size": 20},
    }
    case = run(tmp_path, {"T": table()}, steps)
    odds = {name: _odds(case, name) for name in ("T", "balanced")}
    for before, after, name in (("Odds", "scored", "chance"), ("Shares", "told", "share")):
        both = case.table(before).to_pandas().merge(case.table(after).to_pandas(), on="id")
        old, new = both[f"{name}_x"].to_numpy(), both[f"{name}_y"].to_numpy()
        known = (old > 0) & (old < 1)
        expected = old[known] / (1 - old[known]) * odds["T"] / odds["balanced"]
        np.testing.assert_allclose(new[known] / (1 - new[known]), expected, rtol=1e-9)


def test_only_steps_with_another_result_are_built_again(balanced: LoadedCase) -> None:
    versions = {
        name: step.operator.revision(step.learn_on is not None)
        for name, step in balanced.bound.steps.items()
        if step.operator.scores
    }
    assert versions == {"scored": 4, "told": 2, "sampled": 3}


def test_rows_without_a_score_stand_beside_the_measures(tmp_path: Path) -> None:
    case = run(tmp_path, {"T": table(missing=40)}, {"scored": MACHINE, "quality": QUALITY})
    parts = evaluated(case)
    assert parts["held out"]["unknown"] + parts["learned"]["unknown"] == 40
    said = accepted(tmp_path, "run", "case.yml")
    unknown, whole = parts["held out"]["unknown"], parts["held out"]["rows"]
    assert f"* quality: held out: without {unknown} of {whole} rows" in said
    for measure in ("accuracy", "auc", "f1"):
        line = next(x for x in said.splitlines() if x.split()[:1] == [measure])
        assert line.count("*") == 2


def test_a_positive_class_that_never_occurs_is_an_error(tmp_path: Path) -> None:
    wrong = {**QUALITY, "positive": "Yes"}
    del wrong["decision"]
    case = load(tmp_path, {"T": table()}, {"scored": MACHINE, "quality": wrong})
    with pytest.raises(MiningFlowError, match="the positive value 'Yes' of 'class' never occurs"):
        case.run()
    said = refused(tmp_path, "run", "case.yml")
    assert "its values are 'no' (" in said
    assert "case.yml:" in said


def test_a_positive_class_without_predictions_is_none(tmp_path: Path) -> None:
    """No positive row has a score; the class occurs all the same."""
    columns: Columns = {
        "id": [1, 2, 3, 4],
        "truth": ["yes", "no", "no", None],
        "said": [None, "no", "no", ""],
    }
    types = {"id": "key", "truth": "binary", "said": "binary"}
    step = {**QUALITY, "input": "T", "actual": "truth", "predicted": "said"}
    del step["decision"]
    case = run(tmp_path, {"T": rows("id", types, columns)}, {"quality": step})
    assert evaluated(case)["all"]["true_positives"] == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"costs": {"false_positiv": 1}}, "did you mean 'false_positive'?"),
        ({"costs": {"false_positive": "much"}}, "takes a number, got 'much'"),
        ({"costs": 5}, "such as {true_positive: 1}"),
        (
            {"costs": {"false_positive": 1}, "positive": None},
            "the costs of outcomes also need 'positive'",
        ),
        ({"probability": "value", "positive": None}, "log loss also need 'positive'"),
        ({"costs": {"too_low": 2}}, "'too_low' costs nothing where 'class' has classes"),
        ({"actual": "x", "predicted": "z", "costs": {"true_positive": 1}}, "where 'x' is a number"),
    ],
)
def test_wrong_parameters_of_an_evaluation(
    tmp_path: Path, given: dict[str, Any], said: str
) -> None:
    step = {name: value for name, value in {**QUALITY, **given}.items() if value is not None}
    del step["decision"]
    with pytest.raises(MiningFlowError) as refusal:
        load(tmp_path, {"T": table()}, {"scored": MACHINE, "quality": step})
    found = refusal.value.diagnostics
    assert said in "\n".join(f"{each.message} {each.hint}" for each in found)
    assert all("case.yml" in str(each.place) for each in found)


def test_a_baseline_stands_beside_each_measure(balanced: LoadedCase) -> None:
    said = accepted(balanced.path.parent, "run", "case.yml")
    held_out = evaluated(balanced)["held out"]
    line = next(line for line in said.splitlines() if line.split()[:1] == ["accuracy"])
    assert f"{held_out['accuracy']:.4g} ({held_out['baseline_accuracy']:.4g})" in line
    assert "(in parentheses: the baseline, which needs no predictors)" in said
    assert "baseline_" not in said


@pytest.mark.parametrize(
    ("model", "decision", "said"),
    [
        ({**TREE, "output": "value_label"}, "share", "'share' is about the predicted class"),
        ({**MACHINE, "positive": None}, "value", "'value' is about the predicted class"),
        ({**MACHINE, "positive": "no"}, "value", "high values of 'value' speak for 'no'"),
        (
            {**MACHINE, "positive": None, "classes": ["yes", "no"]},
            "value_no",
            "high values of 'value_no' speak for 'no'",
        ),
    ],
)
def test_a_decision_about_another_class_is_refused(
    tmp_path: Path, model: dict[str, Any], decision: str, said: str
) -> None:
    steps = {
        "scored": {name: value for name, value in model.items() if value is not None},
        "kept": {"operator": "RowSelectionByQuery", "input": "scored", "where": "x > 0"},
        "quality": {**QUALITY, "input": "kept", "decision": decision},
    }
    with pytest.raises(MiningFlowError, match=said):
        load(tmp_path, {"T": table()}, steps)


SCALED = {"operator": "LinearScaling", "target": "share"}
MADE = {"operator": "GenericFeatureConstruction", "sql": "share * 2 - 1", "output": "share"}
FILLED = {"operator": "AssignDefaultValue", "target": "share", "default": 0.5}


@pytest.mark.parametrize("change", [SCALED, MADE, FILLED])
def test_a_decision_made_of_one_about_another_class_is_refused(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    steps = {
        "scored": {**TREE, "output": "value_label"},
        "changed": {**change, "input": "scored"},
        "quality": {**QUALITY, "input": "changed", "decision": "share"},
    }
    with pytest.raises(MiningFlowError, match="'share' is about the predicted class"):
        load(tmp_path, {"T": table()}, steps)


@pytest.mark.parametrize("operator", ["LinearScaling", "LogScaling"])
def test_a_scaled_decision_speaks_for_the_same_class(tmp_path: Path, operator: str) -> None:
    steps = {
        "scored": {**MACHINE, "positive": "no"},
        "scaled": {"operator": operator, "input": "scored", "target": "value"},
        "quality": {**QUALITY, "input": "scaled"},
    }
    with pytest.raises(MiningFlowError, match="high values of 'value' speak for 'no'"):
        load(tmp_path, {"T": table()}, steps)


def test_a_share_turned_by_the_predicted_class_is_taken(tmp_path: Path) -> None:
    turned = "case when value_label = 'yes' then share else 1 - share end"
    steps = {
        "scored": {**TREE, "output": "value_label"},
        "turned": {**MADE, "input": "scored", "sql": turned, "output": "of_yes"},
        "quality": {**QUALITY, "input": "turned", "decision": "of_yes"},
    }
    load(tmp_path, {"T": table()}, steps)


def test_a_decision_about_the_positive_class_is_taken(tmp_path: Path) -> None:
    scored = {**MACHINE, "classes": ["yes", "no"]}
    del scored["positive"]
    load(
        tmp_path,
        {"T": table()},
        {"scored": scored, "quality": {**QUALITY, "decision": "value_yes"}},
    )
