"""Mistakes in `tests:` and `data_tests:`: each with its place, what is wrong and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import tested_case
from support.command_line import refused

TEST = """tests:
  one:
    step: filled
    given: {with_claims: [{id: 1, income: 5}]}
    expect: [{id: 1, income: 5}]
"""
DATA = """data_tests:
  Customer:
  - unique: id
"""


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("step: filled", "step: fild", "23:11", "did you mean 'filled'?"),
        ("step: filled", "steps: filled", "23:5", "did you mean 'step'?"),
        ("step: filled", "step: Customer", "23:11", "there is no step 'Customer'"),
        ("with_claims: [", "with_claim: [", "24:13", "did you mean 'with_claims'?"),
        ("with_claims: [", "filled: [", "24:13", "'filled' is the step that is tested"),
        ("with_claims: [", "adults: [", "24:13", "'adults' is given, but 'filled' does not need"),
        ("{with_claims", "{Customer", "23:11", "'filled' needs rows of 'Claim'"),
        ("[{id: 1, income: 5}]}", "{id: 1}}", "24:26", "must be a list of rows, got a map"),
        ("[{id: 1, income: 5}]}", "[1]}", "24:27", "a row is a map of features to values"),
        ("income: 5}]}", "incom: 5}]}", "24:35", "did you mean 'income'?"),
        ("income: 5}]}", "income: five}]}", "24:43", "'five' is not a value of 'income'"),
        ("income: 5}]}", "income: [5]}]}", "24:43", "must be a single value, got a list"),
        ("income: 5}]}", "since: soon}]}", "24:42", "write it as 2025-12-31"),
        ("id: 1, income: 5}]}", "income: 5}]}", "24:27", "lacks its key 'id'"),
        ("income: 5}]}", "income: 5}, {id: 1}]}", "24:47", "is '1' twice"),
        ("expect: [{id: 1", "expect: [{idd: 1", "25:15", "did you mean 'id'?"),
        ("expect:", "expects:", "25:5", "did you mean 'expect'?"),
        ("step: filled", "step: filled\n    learned: later", "24:14", "stored: as the last run"),
        ("step: filled", "step: filled\n    tolerance: 2", "24:16", "'tolerance' is a number"),
    ],
)
def test_a_wrong_test(tmp_path: Path, old: str, new: str, place: str, said: str) -> None:
    assert old in TEST
    tested_case.write(tmp_path, TEST.replace(old, new, 1))
    told = refused(tmp_path, "check", "case.yml")
    assert f"case.yml:{place}: error: " in told
    assert said in told


@pytest.mark.parametrize(
    ("rule", "place", "said"),
    [
        ("uniqe: id", "23:5", "did you mean 'unique'?"),
        ("{unique: id, not_null: age}", "23:5", "must have exactly one rule, got 'unique' and"),
        ("{severity: warn}", "23:5", "must have exactly one rule, got nothing"),
        ("unique: idd", "23:13", "did you mean 'id'?"),
        ("unique: []", "23:13", "expected a feature or a list of features"),
        ("not_null: {a: b}", "23:15", "expected a feature or a list of features"),
        ("accepted_values: [a]", "23:22", "such as {region: [north, south]}"),
        ("accepted_values: {age: [x]}", "23:29", "'x' is not a value of 'age', which is numeric"),
        ("accepted_values: {age: [null]}", "23:28", "`not_null` refuses it"),
        ("range: {region: {min: 1}}", "23:13", "only numeric and time features can have a range"),
        ("range: {age: 3}", "23:18", "a range has 'min', 'max' or both"),
        ("range: {age: {least: 3}}", "23:18", "a range has 'min', 'max' or both"),
        ("range: {age: {min: 3, max: 1}}", "23:18", "'min' 3.0 is above 'max' 1.0"),
        ("relation: claims", "23:15", "did you mean 'claims_of'?"),
        ("relation: claims_of", "23:15", "rows of 'Customer' do not point to 'Customer'"),
        ("expression: agee > 1", "23:17", "did you mean 'age'?"),
        ("expression: age + 1", "23:17", "a condition must be true or false"),
        ("expression: [a]", "23:17", "'expression' takes a SQL condition"),
        ("{unique: id, severity: info}", "23:28", "'severity' cannot be 'info'"),
        ("just words", "23:5", "must be a map, got a single value"),
    ],
)
def test_a_wrong_data_test(tmp_path: Path, rule: str, place: str, said: str) -> None:
    tested_case.write(tmp_path, DATA.replace("unique: id", rule))
    told = refused(tmp_path, "check", "case.yml")
    assert f"case.yml:{place}: error: " in told
    assert said in told


def test_the_concept_of_a_data_test_must_be_there(tmp_path: Path) -> None:
    tested_case.write(tmp_path, DATA.replace("Customer", "Customr"))
    assert "did you mean 'Customer'?" in refused(tmp_path, "check", "case.yml")


def test_a_test_of_a_broken_step_adds_no_mistake(tmp_path: Path) -> None:
    path = tested_case.write(tmp_path, TEST + DATA)
    path.write_text(path.read_text().replace("target: income", "target: incom"))
    told = refused(tmp_path, "check", "case.yml")
    assert told.count("error:") == 1
