"""The JSON Schema for editors agrees with what `check` says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from support.command_line import accepted

ROOT = Path(__file__).parents[2]
CASES = [*sorted((ROOT / "cases").glob("*.yml")), ROOT / "miningflow/cli/template/shop.yml"]


@pytest.fixture(scope="module")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("schema")
    schema = json.loads(accepted(folder, "schema"))
    accepted(folder, "schema", "--output", "case.schema.json")
    assert json.loads((folder / "case.schema.json").read_text()) == schema
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.name)
def test_good_cases_are_valid(validator: Any, path: Path) -> None:
    validator.validate(yaml.safe_load(path.read_text()))


def test_other_words_are_valid(validator: Any) -> None:
    text = CASES[-1].read_text()
    long, parameter = "operator: SupportVectorMachineForClassification", "    kernel: linear"
    assert text.count(long) == text.count(parameter) == 1
    short = text.replace(long, "operator: SVM").replace(parameter, "    kernel: rbf")
    validator.validate(yaml.safe_load(short))
    assert not validator.is_valid(yaml.safe_load(short.replace("kernel: rbf", "kernle: rbf")))
    assert not validator.is_valid(yaml.safe_load(short.replace("SVM\n", "SMV\n")))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    kernel: linear", "    kernle: linear"),
        ("    kernel: linear", "    kernel: circular"),
        ("operator: FeatureSelectionWithSVM", "operator: FeatureSelectionWithSMV"),
        ("age: numeric", "age: numbers"),
        ("steps:", "stepps:"),
        ("    step: spent_known", "    stepp: spent_known"),
        ("  - relation: orders_of", "  - relation: orders_of\n    severity: fatal"),
        ("  - relation: orders_of", "  - relation: orders_of\n    unique: order_id"),
    ],
)
def test_a_wrong_case_is_not_valid(validator: Any, old: str, new: str) -> None:
    text = CASES[-1].read_text()
    assert old in text
    assert not validator.is_valid(yaml.safe_load(text.replace(old, new, 1)))
