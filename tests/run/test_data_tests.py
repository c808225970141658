"""Rules for results: which rows break them, and that a run publishes nothing that does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import stores, tested_case
from support.command_line import accepted, miningflow, refused

import miningflow as package

ALL = """data_tests:
  Claim:
  - relation: claims_of
  - unique: id
  - unique: [id, amount]
  - range: {amount: {min: 0}}
  - expression: amount > 0
  Customer:
  - not_null: [age, region]
  - accepted_values: {region: [north, south], age: [20, 30, 17, 44, 50], id: [1, 2, 3, 4]}
  - range: {since: {min: '2020-01-01', max: '2021-12-31 10:00'}}
  adults:
  - not_null: income
  - unique: region
"""


def _broken(folder: Path, tests: str) -> dict[str, tuple[int, list[object]]]:
    case = package.load(tested_case.write(folder, tests))
    case.run()
    return {
        f"{r.test.concept}: {r.test.said}": (r.broken, [next(iter(row.values())) for row in r.rows])
        for r in case.test().data
    }


def test_rows_that_break_a_rule_are_found(tmp_path: Path) -> None:
    assert _broken(tmp_path, ALL) == {
        "Claim: id is in Customer": (1, [3]),
        "Claim: id is unique": (2, [1, 2]),
        "Claim: id, amount is unique": (0, []),
        "Claim: amount is at least 0": (1, [2]),
        "Claim: amount > 0": (1, [2]),
        "Customer: age is not null": (0, []),
        "Customer: region is not null": (1, [3]),
        "Customer: region is one of north, south": (2, [4, 5]),
        "Customer: age is one of 20, 30, 17, 44, 50": (0, []),
        "Customer: id is one of 1, 2, 3, 4": (1, [5]),
        "Customer: since is at least 2020-01-01 00:00:00 and at most 2021-12-31 10:00:00": (
            2,
            [2, 4],
        ),
        "adults: income is not null": (0, []),
        "adults: region is unique": (0, []),
    }


def test_a_rule_for_a_deselected_feature_is_left_out(tmp_path: Path) -> None:
    case = package.load(tested_case.write(tmp_path, "data_tests:\n  adults: [{unique: region}]\n"))
    case.run()
    report = case.test()
    assert report.data[0].skipped == "'region' was deselected in step 'slim'"
    assert report.passed


def test_a_fused_step_can_be_tested(tmp_path: Path) -> None:
    """It has no separate view."""
    path = tested_case.write(tmp_path, "data_tests:\n  filled: [{not_null: income}]\n")
    text = path.read_text().replace(
        "slim: {operator: FeatureSelectionByAttributes, input: filled, drop: [region]}",
        "slim: {operator: LinearScaling, input: filled, target: age}",
    )
    path.write_text(text)
    case = package.load(path)
    case.run()
    assert "filled" not in stores.shown(tmp_path / "store.duckdb", "trial")
    (result,) = case.test().data
    assert (result.passed, result.untested) == (True, "")


def test_results_that_are_not_there_are_not_tested(tmp_path: Path) -> None:
    path = tested_case.write(tmp_path, "data_tests:\n  adults: [{not_null: age}]\n")
    assert "the case has not run yet" in miningflow(tmp_path, "test", "case.yml").out
    accepted(tmp_path, "run", "case.yml")
    accepted(tmp_path, "test", "case.yml")
    path.write_text(path.read_text().replace("where: age >= 18", "where: age >= 19"))
    said = miningflow(tmp_path, "test", "case.yml")
    assert said.code == 1
    assert "'adults' was changed since it ran" in said.out
    assert "1 not tested" in said.out


FAILING = "data_tests:\n  adults:\n  - {range: {age: {max: 40}}}\n"


def test_a_failing_result_is_not_published(tmp_path: Path) -> None:
    tested_case.write(tmp_path, "")
    accepted(tmp_path, "run", "case.yml")
    before = stores.results(tmp_path / "store.duckdb", "trial")
    text = tested_case.write(tmp_path, FAILING).read_text()
    (tmp_path / "case.yml").write_text(text.replace("age >= 18", "age >= 25"))
    said = refused(tmp_path, "run", "case.yml", "--test")
    assert "2 rows break the data test of 'adults': age is at most 40" in said
    assert "the first: id = 4, age = 44.0; id = 5, age = 50.0" in said
    assert "these results are not published" in said
    assert stores.results(tmp_path / "store.duckdb", "trial") == before
    accepted(tmp_path, "run", "case.yml")  # without --test they are
    adults = stores.results(tmp_path / "store.duckdb", "trial")["adults"]
    assert len(adults) == 3
    assert "2 rows break" in refused(tmp_path, "run", "case.yml", "--test")  # nothing runs: tested


def test_a_part_of_a_case_is_tested_as_far_as_it_is_there(tmp_path: Path) -> None:
    tests = "data_tests:\n  Claim: [{relation: claims_of}, {not_null: amount}]\n"
    tested_case.write(tmp_path, tests)
    said = accepted(tmp_path, "run", "case.yml", "--select", "Claim", "--test")
    assert "✓ Claim: amount is not null" in said
    assert "? Claim: id is in Customer" in said
    told = miningflow(tmp_path, "test", "case.yml")
    assert told.code == 1
    assert "'Customer' has not run yet" in told.out


def test_a_warning_does_not_keep_results_back(tmp_path: Path) -> None:
    tests = FAILING.replace("{range", "{severity: warn, range")
    tested_case.write(tmp_path, tests)
    said = accepted(tmp_path, "run", "case.yml", "--test")
    assert "! adults: age is at most 40" in said
    told = json.loads(accepted(tmp_path, "run", "case.yml", "--test", "--json"))
    assert told["data_tests"][0]["broken"] == 2
    assert "0 passed, 1 warned" in accepted(tmp_path, "test", "case.yml", "adults", "--data")


@pytest.mark.parametrize("words", [["--unit"], []])
def test_unit_tests_alone_need_no_results(tmp_path: Path, words: list[str]) -> None:
    tested_case.write(tmp_path, FAILING)
    said = miningflow(tmp_path, "test", "case.yml", *words)
    assert said.code == (0 if words else 1)
