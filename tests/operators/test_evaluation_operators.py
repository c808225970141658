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
        "number": number.tolist(),
        "guess": (number + random.normal(0, 9, N)).tolist(),
    }
    for name, every in {"truth": 11, "said": 13, "value": 13, "number": 17, "guess": 19}.items():
        table[name] = [None if i % every == 1 else v for i, v in enumerate(table[name])]
    return table


TABLE = _table()


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    compare = {"operator": "ComputeSVMError", "actual": "truth", "predicted": "said"}
    full = {**compare, "positive": "yes", "decision": "value"}
    numbers = {"operator": "ComputeSVMError", "actual": "number", "predicted": "guess"}
    concepts = {
        "T": rows("id", TYPES, TABLE),
        "Held": rows("id", TYPES, TABLE, holdout={"share": SHARE, "seed": SEED}),
        "Silent": rows("id", TYPES, {**TABLE, "said": ["no"] * N}),
    }
    steps = {
        "classes": {**full, "input": "T"},
        "other_class": {**full, "positive": "no", "input": "T"},
        "parts": {**full, "input": "Held"},
        "plain": {**compare, "input": "T"},
        "mute": {**full, "input": "Silent"},
        "numbers": {**numbers, "input": "T", "epsilon": 5},
        "number_parts": {**numbers, "input": "Held"},
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
    ranked = _known(("truth", "value"), part)
    area = metrics.roc_auc_score(
        [TABLE["truth"][i] == positive for i in ranked], [TABLE["value"][i] for i in ranked]
    )
    accuracy = metrics.accuracy_score(truth, said)
    expected = {
        "rows": len(PARTS[part]),
        "unknown": len(PARTS[part]) - len(known),
        "accuracy": accuracy,
        "error": 1 - accuracy,
        "precision": metrics.precision_score(truth, said, pos_label=positive),
        "recall": metrics.recall_score(truth, said, pos_label=positive),
        "f1": metrics.f1_score(truth, said, pos_label=positive),
        "auc": area,
        "true_positives": matrix[1, 1],
        "false_positives": matrix[0, 1],
        "false_negatives": matrix[1, 0],
        "true_negatives": matrix[0, 0],
    }
    assert expected["unknown"] > 0
    assert abs(area - 0.5) > 0.1
    assert _row(case, step, part) == pytest.approx(expected, rel=1e-12)


def test_parts_are_the_only_rows(case: LoadedCase) -> None:
    assert sorted(case.table("parts")["part"].to_pylist()) == ["held out", "learned"]


def test_without_positive_class_there_is_accuracy_only(case: LoadedCase) -> None:
    row = _row(case, "plain")
    assert list(row) == ["rows", "unknown", "accuracy", "error"]
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
    expected = {
        "rows": len(PARTS[part]),
        "unknown": len(PARTS[part]) - len(known),
        "mean_absolute_error": metrics.mean_absolute_error(number, guess),
        "root_mean_squared_error": metrics.root_mean_squared_error(number, guess),
        "mean_error_beyond_epsilon": np.maximum(np.abs(number - guess) - epsilon, 0).mean(),
    }
    assert _row(case, step, part) == pytest.approx(expected, rel=1e-12)
