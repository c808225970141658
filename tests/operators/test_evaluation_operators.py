"""Measures of predictions against scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from support.small_case import Columns, key_hash, rows, run

from miningflow.project import LoadedCase

N = 120
SHARE, SEED = 0.3, 2
TYPES = {
    "id": "key",
    "truth": "binary",
    "said": "binary",
    "value": "numeric",
    "chance": "numeric",
    "sort": "nominal",
    "sort_said": "nominal",
    "number": "numeric",
    "guess": "numeric",
}


def _table() -> Columns:
    random = np.random.default_rng(5)
    value = random.normal(size=N).round(1)  # one digit: many are equal
    truth = np.where(value + random.normal(size=N) > 0, "yes", "no")
    number = random.normal(100, 30, N)
    table: Columns = {
        "id": list(range(1, N + 1)),
        "truth": truth.tolist(),
        "said": np.where(value > 0.2, "yes", "no").tolist(),
        "value": value.tolist(),
        "chance": np.clip(0.5 + value / 2, 0, 1).tolist(),  # some are 0, some are 1
        "sort": random.choice(["a", "b", "c"], N, p=[0.6, 0.3, 0.1]).tolist(),
        "sort_said": random.choice(["a", "b", "d"], N).tolist(),  # never c, and d is no sort
        "number": number.tolist(),
        "guess": (number + random.normal(0, 9, N)).tolist(),
    }
    for name, every in {
        "truth": 11,
        "said": 13,
        "value": 13,
        "chance": 7,
        "number": 17,
        "guess": 19,
    }.items():
        table[name] = [None if i % every == 1 else v for i, v in enumerate(table[name])]
    return table


TABLE = _table()
COSTS = {"false_negative": 10, "false_positive": 2.5, "true_positive": -4}
COSTS_OF_ERRORS = {"too_low": 3, "too_high": 0.5}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    compare = {"operator": "ComputeSVMError", "actual": "truth", "predicted": "said"}
    full = {
        **compare,
        "positive": "yes",
        "decision": "value",
        "probability": "chance",
        "costs": COSTS,
    }
    numbers = {"operator": "ComputeSVMError", "actual": "number", "predicted": "guess"}
    concepts = {
        "T": rows("id", TYPES, TABLE),
        "Held": rows("id", TYPES, TABLE, holdout={"share": SHARE, "seed": SEED}),
        "One": rows("id", TYPES, {**TABLE, "truth": ["yes"] * N, "number": [0.1] * N}),
        "Silent": rows("id", TYPES, {**TABLE, "said": ["no"] * N}),
    }
    steps = {
        "classes": {**full, "input": "T"},
        "other_class": {**full, "positive": "no", "input": "T"},
        "parts": {**full, "input": "Held"},
        "plain": {**compare, "input": "T"},
        "sorts": {**compare, "actual": "sort", "predicted": "sort_said", "input": "T"},
        "beyond": {**full, "probability": "value", "input": "T"},
        "one_class": {**full, "input": "One"},
        "mute": {**full, "input": "Silent"},
        "numbers": {**numbers, "input": "T", "epsilon": 5},
        "number_parts": {**numbers, "input": "Held", "costs": COSTS_OF_ERRORS},
        "constant": {**numbers, "input": "One"},
    }
    return run(tmp_path_factory.mktemp("evaluation"), concepts, steps)


def _row(case: LoadedCase, step: str, part: str = "all") -> dict[str, Any]:
    found = [row for row in case.table(step).to_pylist() if row["part"] == part]
    assert len(found) == 1
    return {name: value for name, value in found[0].items() if name != "part"}


def _is_held(i: int) -> bool:
    return key_hash(TABLE["id"][i], SEED) < f"{round(SHARE * 16**8):08x}"


PARTS = {
    "all": list(range(N)),
    "held out": [i for i in range(N) if _is_held(i)],
    "learned": [i for i in range(N) if not _is_held(i)],
}


def _known(names: tuple[str, ...], part: str) -> list[int]:
    return [i for i in PARTS[part] if all(TABLE[name][i] is not None for name in names)]


@pytest.mark.parametrize(
    ("step", "part", "positive"),
    [
        ("classes", "all", "yes"),
        ("other_class", "all", "no"),
        ("parts", "held out", "yes"),
        ("parts", "learned", "yes"),
    ],
)
def test_measures_of_classes(case: LoadedCase, step: str, part: str, positive: str) -> None:
    known = _known(("truth", "said"), part)
    truth = [TABLE["truth"][i] for i in known]
    said = [TABLE["said"][i] for i in known]
    negative = {"yes": "no", "no": "yes"}[positive]
    matrix = metrics.confusion_matrix(truth, said, labels=[negative, positive])
    accuracy = metrics.accuracy_score(truth, said)
    most = max(truth.count("yes"), truth.count("no")) / len(known)
    rate, chosen = (side.count(positive) / len(known) for side in (truth, said))
    expected = {
        "rows": len(PARTS[part]),
        "unknown": len(PARTS[part]) - len(known),
        "accuracy": accuracy,
        "error": 1 - accuracy,
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, said),
        "precision": metrics.precision_score(truth, said, pos_label=positive),
        "recall": metrics.recall_score(truth, said, pos_label=positive),
        "f1": metrics.f1_score(truth, said, pos_label=positive),
        "true_positives": matrix[1, 1],
        "false_positives": matrix[0, 1],
        "false_negatives": matrix[1, 0],
        "true_negatives": matrix[0, 0],
        "baseline_accuracy": most,
        "baseline_error": 1 - most,
        "baseline_balanced_accuracy": 0.5,
        "baseline_precision": rate,
        "baseline_recall": chosen,
        "baseline_f1": 2 * rate * chosen / (rate + chosen),
        **_of_scores(part, positive),
        **_of_costs(matrix),
    }
    assert expected["unknown"] > 0
    assert abs(expected["auc"] - 0.5) > 0.1
    assert _row(case, step, part) == pytest.approx(expected, rel=1e-12)


def _of_scores(part: str, positive: str) -> dict[str, float]:
    """Returns what scikit-learn says of the scores, whether or not rows have a prediction."""
    ranked, told = (_known(("truth", name), part) for name in ("value", "chance"))
    is_ranked, is_told = ([TABLE["truth"][i] == positive for i in each] for each in (ranked, told))
    value, chance = [TABLE["value"][i] for i in ranked], [TABLE["chance"][i] for i in told]
    false_positives, true_positives, _ = metrics.roc_curve(is_ranked, value)
    rate = float(np.mean(is_told))
    assert {0, 1} & set(chance)
    return {
        "auc": metrics.roc_auc_score(is_ranked, value),
        "pr_auc": metrics.average_precision_score(is_ranked, value),
        "ks": np.abs(true_positives - false_positives).max(),
        "brier": metrics.brier_score_loss(is_told, chance),
        "log_loss": metrics.log_loss(is_told, chance),
        "baseline_auc": 0.5,
        "baseline_pr_auc": np.mean(is_ranked),
        "baseline_ks": 0,
        "baseline_brier": metrics.brier_score_loss(is_told, [rate] * len(told)),
        "baseline_log_loss": metrics.log_loss(is_told, [rate] * len(told)),
    }


def _of_costs(matrix: Any) -> dict[str, float]:
    costs = np.array([[0, 2.5], [10, -4]])
    of_class = matrix.sum(axis=1)
    nobody, everybody = (float(of_class @ costs[:, i] / of_class.sum()) for i in (0, 1))
    total = float((matrix * costs).sum())
    return {
        "expected_cost": total / matrix.sum(),
        "total_cost": total,
        "cost_of_nobody": nobody,
        "cost_of_everybody": everybody,
        "baseline_expected_cost": min(nobody, everybody),
    }


def test_measures_of_several_classes(case: LoadedCase) -> None:
    truth, said = TABLE["sort"], TABLE["sort_said"]
    of_all = {"labels": ["a", "b", "c"], "average": "macro", "zero_division": 0}
    most = truth.count("a") / N
    expected = {
        "rows": N,
        "unknown": 0,
        "accuracy": metrics.accuracy_score(truth, said),
        "error": 1 - metrics.accuracy_score(truth, said),
        "balanced_accuracy": metrics.recall_score(truth, said, **of_all),
        "macro_precision": metrics.precision_score(truth, said, **of_all),
        "macro_f1": metrics.f1_score(truth, said, **of_all),
        "baseline_accuracy": most,
        "baseline_error": 1 - most,
        "baseline_balanced_accuracy": 1 / 3,
        "baseline_macro_precision": most / 3,
        "baseline_macro_f1": metrics.f1_score(truth, ["a"] * N, **of_all),
    }
    assert _row(case, "sorts") == pytest.approx(expected, rel=1e-12)


def test_what_is_not_defined_is_null(case: LoadedCase) -> None:
    row = _row(case, "one_class")
    assert [row[name] for name in ("auc", "ks")] == [None, None]
    assert row["baseline_log_loss"] == 0
    assert row["brier"] is not None
    beyond = _row(case, "beyond")
    assert [beyond[name] for name in ("brier", "log_loss")] == [None, None]
    assert _row(case, "constant")["r2"] is None
    assert _row(case, "constant")["root_mean_squared_error"] > 0


def test_parts_are_the_only_rows(case: LoadedCase) -> None:
    assert sorted(case.table("parts")["part"].to_pylist()) == ["held out", "learned"]


def test_without_positive_class_all_are_alike(case: LoadedCase) -> None:
    row = _row(case, "plain")
    assert not {"precision", "auc", "true_positives"} & set(row)
    assert row["accuracy"] == _row(case, "classes")["accuracy"]


def test_a_share_of_nothing_is_null(case: LoadedCase) -> None:
    row = _row(case, "mute")
    assert row["precision"] is None
    assert row["recall"] == 0
    assert row["f1"] == 0
    assert row["true_positives"] == 0


@pytest.mark.parametrize(
    ("step", "part", "epsilon"),
    [("numbers", "all", 5.0), ("number_parts", "held out", 0.1), ("number_parts", "learned", 0.1)],
)
def test_measures_of_numbers(case: LoadedCase, step: str, part: str, epsilon: float) -> None:
    known = _known(("number", "guess"), part)
    number = np.array([TABLE["number"][i] for i in known])
    guess = np.array([TABLE["guess"][i] for i in known])
    mean = np.full(len(known), number.mean())
    expected = {
        "rows": len(PARTS[part]),
        "unknown": len(PARTS[part]) - len(known),
        "r2": metrics.r2_score(number, guess),
        "baseline_r2": 0,
        **_of_numbers(number, guess, epsilon, step == "number_parts"),
        **{
            f"baseline_{name}": value
            for name, value in _of_numbers(number, mean, epsilon, step == "number_parts").items()
        },
    }
    assert _row(case, step, part) == pytest.approx(expected, rel=1e-12)


def _of_numbers(number: Any, guess: Any, epsilon: float, weighted: bool) -> dict[str, float]:
    difference = guess - number
    cost = np.where(difference < 0, -3 * difference, 0.5 * difference)
    found = {
        "mean_absolute_error": metrics.mean_absolute_error(number, guess),
        "root_mean_squared_error": metrics.root_mean_squared_error(number, guess),
        "mean_error_beyond_epsilon": np.maximum(np.abs(number - guess) - epsilon, 0).mean(),
        "mean_absolute_percentage_error": metrics.mean_absolute_percentage_error(number, guess),
    }
    return {**found, "asymmetric_loss": cost.mean()} if weighted else found
