"""Tests of a case that give rows: run in memory, compared by key or in any order."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest
from support import tested_case
from support.command_line import accepted, miningflow, rows

import miningflow as package
from miningflow.verbs.case_tests.unit_tests import TestResult


def _result(folder: Path, body: str) -> TestResult:
    tests = "tests:\n  one:\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"
    (result,) = package.load(tested_case.write(folder, tests)).test().unit
    return result


def test_what_is_learned_is_learned_from_all_given_rows(tmp_path: Path) -> None:
    """Half of the customers are held out in a run; in a test none is."""
    result = _result(
        tmp_path,
        """
        step: filled
        given:
          with_claims: [{id: 1}, {id: 2, income: 10}, {id: 3, income: 20}, {id: 4, income: 60}]
        expect:
        - {id: 1, income: 30}
        - {id: 2, income: 10}
        - {id: 3, income: 20}
        - {id: 4, income: 60}
        """,
    )
    assert result.passed
    assert not (tmp_path / "store.duckdb").exists()


def test_a_test_may_go_over_several_steps(tmp_path: Path) -> None:
    result = _result(
        tmp_path,
        """
        step: adults
        given:
          Customer:
          - {id: b, age: 18, income: 1}
          - {id: a, age: 17.99, income: 2}
          - {id: 'c d', age: 90, since: 2020-01-31 12:30:00}
          Claim: [{claim: 1, id: b, amount: 0.1}, {claim: 2, id: b, amount: 0.2}]
        expect:
        - {id: b, total: 0.3, how_many: 2, income: 1}
        - {id: 'c d', total: null, how_many: 0, income: 1.5, since: '2020-01-31 12:30'}
        """,
    )
    assert result.diagnostics == ()
    assert result.differences == ()


def test_no_rows_may_be_given_and_expected(tmp_path: Path) -> None:
    result = _result(tmp_path, "step: with_claims\ngiven: {Customer: [], Claim: []}\nexpect: []")
    assert result.passed


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        ("[{id: 1, total: 6}, {id: 2}]", ["total is not as expected"]),
        ("[{id: 1, total: null, how_many: 1}, {id: 2}]", ["total, how_many are not as expected"]),
        ("[{id: 2}]", ["a row was not expected"]),
        ("[{id: 1}, {id: 2}, {id: 3}]", ["a row is missing"]),
        ("[{total: 5}, {total: 5}]", ["no row matches this one", "a row was not expected"]),
        ("[{total: null}]", ["a row was not expected"]),
        ("[]", ["a row was not expected", "a row was not expected"]),
    ],
)
def test_what_differs_is_said(tmp_path: Path, expect: str, said: list[str]) -> None:
    result = _result(
        tmp_path,
        f"""
        step: with_claims
        given:
          Customer: [{{id: 1}}, {{id: 2}}]
          Claim: [{{claim: 1, id: 1, amount: 2}}, {{claim: 2, id: 1, amount: 3}}]
        expect: {expect}
        """,
    )
    assert [d.said for d in result.differences] == said


@pytest.mark.parametrize(
    ("expected", "tolerance", "passes"),
    [("0.1", "1e-9", True), ("0.1001", "1e-3", True), ("0.1001", "1e-9", False)],
)
def test_numbers_have_a_tolerance(
    tmp_path: Path, expected: str, tolerance: str, passes: bool
) -> None:
    result = _result(
        tmp_path,
        f"""
        step: with_claims
        tolerance: {tolerance}
        given: {{Customer: [{{id: 1}}], Claim: [{{claim: 1, id: 1, amount: 0.1}}]}}
        expect: [{{total: {expected}}}]
        """,
    )
    assert result.passed is passes


def test_a_deselected_feature_cannot_be_expected(tmp_path: Path) -> None:
    result = _result(
        tmp_path, "step: slim\ngiven: {filled: [{id: 1}]}\nexpect: [{id: 1, region: x}]"
    )
    (difference,) = result.differences
    assert difference.said.startswith("'region' was deselected in step 'slim'")


def test_a_step_that_cannot_learn_fails_its_test(tmp_path: Path) -> None:
    result = _result(tmp_path, "step: filled\ngiven: {with_claims: [{id: 1}]}\nexpect: [{id: 1}]")
    assert not result.passed
    assert "step 'filled' cannot learn" in result.diagnostics[0].message


def test_what_the_last_run_learned_can_be_tested(tmp_path: Path) -> None:
    body = """
    step: filled
    learned: stored
    given: {with_claims: [{id: 1}, {id: 2, income: 3}]}
    expect: [{id: 2, income: 3}, {id: 1, income: %s}]
    """
    before = _result(tmp_path, body % "0")
    assert "has not learned yet" in before.diagnostics[0].message
    accepted(tmp_path, "run", "case.yml")
    published = {row[0]: row[2] for row in rows(tmp_path / "store.duckdb", "trial_results.filled")}
    assert _result(tmp_path, body % published[2]).passed  # income of 2 is NULL in the data
    assert not _result(tmp_path, body % "0").passed


def test_the_command_tells_and_its_exit_code_too(tmp_path: Path) -> None:
    tests = """tests:
  good: {step: slim, given: {filled: [{id: 1, age: 3}]}, expect: [{id: 1, age: 3}]}
  bad: {step: slim, given: {filled: [{id: 1, age: 3}]}, expect: [{id: 1, age: 4}]}
"""
    tested_case.write(tmp_path, tests)
    assert accepted(tmp_path, "test", "case.yml", "good") == "✓ good: slim\n1 passed\n"
    said = miningflow(tmp_path, "test", "case.yml")
    assert said.code == 1
    assert "case.yml:23:66: age is not as expected (id = 1); expected age = 4" in said.out
    assert "found age = 3" in said.out
    assert "1 passed, 1 failed" in said.out
    told = miningflow(tmp_path, "test", "case.yml", "--json")
    assert told.code == 1
    found = {t["test"]: t for t in json.loads(told.out)["tests"]}
    assert found["good"]["passed"]
    assert found["bad"]["differences"][0]["expected"] == {"age": 4.0}
    unknown = miningflow(tmp_path, "test", "case.yml", "goood")
    assert unknown.code == 1
    assert "did you mean 'good'?" in unknown.err


def test_a_case_without_tests_says_so(tmp_path: Path) -> None:
    tested_case.write(tmp_path, "")
    assert "trial has no such tests" in accepted(tmp_path, "test", "case.yml")
