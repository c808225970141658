"""Missing values are replaced by means and modes of the known ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.small_case import Rows, column, load, rows, run

from miningflow.errors import RunError
from miningflow.project import LoadedCase

TYPES = {"id": "key", "x": "numeric", "big": "numeric", "word": "nominal", "flag": "binary"}
X = [1.5, None, -4.0, 10.25, None, 0.1]
BIG = [1e15, 1e15 + 1, None, 1e15 + 2, 1e15 + 3, 1e15 + 4]
WORD = ["b", "a", None, "b", "a", None]
FLAG = ["no", None, "yes", "yes", None, None]


def _rows() -> Rows:
    return rows("id", TYPES, {"id": range(6), "x": X, "big": BIG, "word": WORD, "flag": FLAG})


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> LoadedCase:
    mean, mode = {"operator": "AssignAverageValue"}, {"operator": "AssignModalValue"}
    return run(
        tmp_path_factory.mktemp("missing"),
        {"T": _rows()},
        {
            "replaced": {**mean, "input": "T", "target": "x"},
            "added": {**mean, "input": "T", "target": "x", "output": "x_known"},
            "exact": {**mean, "input": "T", "target": "big"},
            "tie": {**mode, "input": "T", "target": "word"},
            "binary": {**mode, "input": "T", "target": "flag", "output": "flag_known"},
            "looped": {**mean, "input": "T", "for_each": {"target": ["x", "big"]}},
            "pairs": {
                **mode,
                "input": "T",
                "for_each": [
                    {"target": "word", "output": "word_known"},
                    {"target": "flag", "output": "flag_known"},
                ],
            },
        },
    )


def _filled(values: list[float | None]) -> list[float]:
    mean = float(np.mean([v for v in values if v is not None]))
    return [mean if v is None else v for v in values]


def test_the_mean_replaces_null(case: LoadedCase) -> None:
    assert column(case, "replaced", "x") == pytest.approx(_filled(X), rel=1e-15)
    assert column(case, "replaced", "word") == WORD


def test_an_output_leaves_the_target(case: LoadedCase) -> None:
    assert column(case, "added", "x") == X
    assert column(case, "added", "x_known") == pytest.approx(_filled(X), rel=1e-15)
    assert case.table("added").column_names == [*TYPES, "x_known"]


def test_large_numbers_keep_their_digits(case: LoadedCase) -> None:
    assert column(case, "exact", "big")[2] == 1e15 + 2


def test_of_equally_frequent_values_the_first_is_taken(case: LoadedCase) -> None:
    assert column(case, "tie", "word") == ["b", "a", "a", "b", "a", "a"]


def test_null_is_not_the_most_frequent_value(case: LoadedCase) -> None:
    assert column(case, "binary", "flag_known") == ["no", "yes", "yes", "yes", "yes", "yes"]
    assert column(case, "binary", "flag") == FLAG


def test_a_loop_fills_each_feature(case: LoadedCase) -> None:
    assert column(case, "looped", "x") == pytest.approx(_filled(X), rel=1e-15)
    assert column(case, "looped", "big")[2] == 1e15 + 2


def test_a_loop_over_pairs_makes_each_output(case: LoadedCase) -> None:
    assert case.table("pairs").column_names == [*TYPES, "word_known", "flag_known"]
    assert column(case, "pairs", "word_known") == ["b", "a", "a", "b", "a", "a"]
    assert column(case, "pairs", "flag_known")[0] == "no"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_mean_that_is_no_number_is_refused(value: float, tmp_path: Path) -> None:
    odd = rows("id", {"id": "key", "x": "numeric"}, {"id": [1, 2], "x": [1.0, value]})
    step = {"operator": "AssignAverageValue", "input": "T", "target": "x"}
    with pytest.raises(RunError, match="'x' has 1 value that is NaN or infinite"):
        load(tmp_path, {"T": odd}, {"filled": step}).run()
