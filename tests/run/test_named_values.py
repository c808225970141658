"""Values that a step names and that no row has: a warning that shows what the rows have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from support.small_case import Rows, load

from miningflow.errors import MiningFlowError
from miningflow.run import Report

N = 60
TYPES = {"id": "key", "code": "nominal", "flag": "binary", "good": "binary", "x": "numeric"}
STEPS: dict[str, dict[str, Any]] = {
    "mapped": {"operator": "Mapping", "target": "code", "map": {"{}": "one"}},
    "grouped": {"operator": "UserDefinedGrouping", "target": "code", "groups": {"a": ["{}"]}},
    "indicators": {"operator": "Binarify", "target": "code", "values": ["{}"]},
    "ordered": {"operator": "OrdinalEncoding", "target": "code", "categories": ["3", "{}"]},
    "kept": {"operator": "RowSelectionByQuery", "where": "x > 1 and code in ('{}', '2')"},
    "made": {
        "operator": "GenericFeatureConstruction",
        "sql": "case code when '{}' then 1 else 0 end",
        "output": "is_one",
    },
    "drawn": {"operator": "RowSelectionByUnbiasing", "label": "code", "counts": {"{}": 3}},
    "pivoted": {"operator": "Pivotize", "index": {"code": ["{}", "2"]}, "values": ["x"]},
}


def things() -> Rows:
    columns = {
        "id": list(range(N)),
        "code": [1 + i % 3 for i in range(N)],
        "flag": [i % 2 == 0 for i in range(N)],
        "good": ["1" if i % 5 == 0 else "0" for i in range(N)],
        "x": [float(i) for i in range(N)],
    }
    return Rows("id", TYPES, pa.table(columns))


def with_value(parameter: Any, value: str) -> Any:
    """Puts a value where a parameter has {}."""
    if isinstance(parameter, dict):
        return {with_value(k, value): with_value(v, value) for k, v in parameter.items()}
    if isinstance(parameter, list):
        return [with_value(part, value) for part in parameter]
    return parameter.replace("{}", value) if isinstance(parameter, str) else parameter


def report(folder: Path, steps: dict[str, Any]) -> Report:
    return load(folder, {"T": things()}, steps).run()


def said(found: Report) -> list[str]:
    return [str(w) for w in found.warnings if w.kind == "value_never_occurs"]


@pytest.mark.parametrize("name", STEPS)
def test_a_code_in_another_spelling_is_a_warning(tmp_path: Path, name: str) -> None:
    step = with_value(STEPS[name], "1.0") | {"input": "T"}
    assert said(report(tmp_path, {name: step})) == [
        f"{name}: code: no row has the value '1.0' ('1' does)"
    ]


@pytest.mark.parametrize("name", STEPS)
def test_a_code_that_occurs_is_none(tmp_path: Path, name: str) -> None:
    assert said(report(tmp_path, {name: with_value(STEPS[name], "1") | {"input": "T"}})) == []


def test_a_boolean_is_true_or_false(tmp_path: Path) -> None:
    step = {"operator": "RowSelectionByQuery", "input": "T", "where": "flag = 'True'"}
    assert said(report(tmp_path, {"kept": step})) == [
        "kept: flag: no row has the value 'True' ('true' does)"
    ]


def test_a_value_that_is_changed_first_is_not_looked_at(tmp_path: Path) -> None:
    step = {"operator": "RowSelectionByQuery", "input": "T", "where": "upper(flag) = 'TRUE'"}
    assert said(report(tmp_path, {"kept": step})) == []


def test_some_of_the_values_may_be_missing_but_not_all(tmp_path: Path) -> None:
    groups = {"operator": "UserDefinedGrouping", "input": "T", "target": "code"}
    steps = {
        "some": groups | {"groups": {"a": ["2", "9"]}, "output": "g"},
        "none": groups | {"groups": {"a": ["8", "9"]}, "output": "h"},
    }
    assert said(report(tmp_path, steps)) == [
        "none: code: no row has '8', '9'; its values are '1', '2', '3'"
    ]


@pytest.mark.parametrize("operator", ["PredictionWithDecisionTree", "PredictionWithDecisionRules"])
def test_a_positive_class_that_never_occurs_is_refused(tmp_path: Path, operator: str) -> None:
    step = {
        "operator": operator,
        "input": "T",
        "target": "good",
        "predictors": ["x"],
        "output": "guess",
        "probability": "share",
        "positive": "1.0",
    }
    with pytest.raises(MiningFlowError, match=r"positive value '1.0' of 'good' never occurs"):
        report(tmp_path, {"guessed": step})


def test_an_expression_that_compares_with_a_number_is_told_the_text(tmp_path: Path) -> None:
    step = {"operator": "RowSelectionByQuery", "input": "T", "where": "code = 1.0"}
    with pytest.raises(MiningFlowError, match="'1'"):
        report(tmp_path, {"kept": step})
