"""Patterns, chains and loops: what short forms stand for."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import WriteCase
from support import example_data
from support.command_line import accepted, refused, rows

from miningflow.catalog import installed
from miningflow.read import read_case
from miningflow.resolve import BoundCase, resolve_case

MACHINE = """
  s:
    operator: SupportVectorMachineForClassification
    input: with_claims
    target: lapsed
    positive: 'yes'
    predictors: %s
    output: risk
"""
CLAIMS = """
  with_claims:
    operator: AggregateByRelation
    input: Customer
    relation: claims_of
    aggregates: {claim_total: sum(amount), claim_count: count()}
"""


def resolve(steps: str) -> BoundCase:
    text = f"case: a\n{example_data.CONCEPTS}\nsteps:\n{steps}"
    return resolve_case(read_case(Path("case.yml"), text), installed())


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("['claim_*']", ["claim_total", "claim_count"]),
        ("'claim_?ount'", ["claim_count"]),
        ("type:numeric", ["age", "income", "household", "claim_total", "claim_count"]),
        ("['type:nominal', age]", ["region", "age"]),
        ("[age, 'type:numeric']", ["age", "income", "household", "claim_total", "claim_count"]),
        # the target, the key and the date cannot be predictors, so `all` does not mean them
        ("all", ["age", "income", "household", "region", "claim_total", "claim_count"]),
        ("all except [income, claim_*]", ["age", "household", "region"]),
        ("'all except income'", ["age", "household", "region", "claim_total", "claim_count"]),
    ],
)
def test_a_pattern_stands_for_features(pattern: str, meant: list[str]) -> None:
    bound = resolve(CLAIMS + MACHINE % pattern)
    assert bound.steps["s"].given["predictors"] == meant


def test_a_feature_whose_name_looks_like_a_pattern_is_itself() -> None:
    steps = """
  odd: {operator: LinearScaling, input: Customer, target: age, range: [0, 1], output: 'a*'}
  s: {operator: LinearScaling, input: odd, target: 'a*', range: [0, 1]}
"""
    assert resolve(steps).steps["s"].given["target"] == "a*"


CHAINS = """
  outer:
    input: Customer
    chain:
      first: {operator: AssignAverageValue, target: income}
      inner:
        chain:
          second: {operator: LinearScaling, target: age, range: [0, 1]}
          third: {operator: AssignModalValue, target: region}
      fourth: {operator: LinearScaling, target: income, range: [0, 1]}
  beside: {operator: AssignAverageValue, input: inner, target: household}
  after: {operator: AssignAverageValue, input: outer, target: household}
"""


def test_chains_nest_and_hand_on_their_input() -> None:
    bound = resolve(CHAINS)
    inputs = {name: step.inputs for name, step in bound.steps.items()}
    assert inputs == {
        "first": ("Customer",),
        "second": ("first",),
        "third": ("second",),
        "fourth": ("third",),
        "beside": ("third",),
        "after": ("fourth",),
    }


def test_a_join_in_a_chain_names_its_concepts() -> None:
    steps = """
  people:
    input: Customer
    chain:
      first: {operator: AssignAverageValue, target: income}
      rated: {operator: JoinByKey, concepts: [first, Rating], rename: {Rating.income: rated}}
      last: {operator: AssignModalValue, target: grade}
"""
    bound = resolve(steps)
    assert bound.steps["rated"].inputs == ("first", "Rating")
    assert bound.steps["last"].inputs == ("rated",)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ("c: {input: Customer, chain: {}}", "chain 'c' has no steps"),
        ("c: {input: Customer, chain: [a]}", "'chain' of 'c' must be a map, got a list"),
        (
            "c: {input: Customer, operator: Union, chain: {a: {operator: Union}}}",
            "unknown key 'operator'",
        ),
        (
            "Customer: {input: Claim, chain: {a: {operator: AssignAverageValue, target: amount}}}",
            "'Customer' names two things",
        ),
        (
            "c: {input: Customer, chain: {a: {operator: AssignAverageValue, target: age}}}\n"
            "  d: {input: Customer, chain: {a: {operator: AssignAverageValue, target: age}}}",
            "there are two steps called 'a'",
        ),
        (
            "c: {input: c, chain: {a: {operator: AssignAverageValue, target: age}}}",
            "step 'a' reads its own output",
        ),
        (
            "c: {chain: {a: {operator: AssignAverageValue, target: age}}}",
            "AssignAverageValue needs 'input'",
        ),
    ],
)
def test_a_wrong_chain_is_refused(tmp_path: Path, steps: str, message: str) -> None:
    (tmp_path / "case.yml").write_text(f"case: a\n{example_data.CONCEPTS}\nsteps:\n  {steps}\n")
    said = refused(tmp_path, "check", "case.yml")
    assert "case.yml:3" in said
    assert message in said


def test_for_each_repeats_a_step_over_features(write_case: WriteCase) -> None:
    folder = write_case(
        """
        filled:
          operator: AssignAverageValue
          input: Customer
          output: '{target}_known'
          for_each: {target: [income, 'hous*']}
        """
    ).parent
    accepted(folder, "run", "case.yml")
    (first, *_) = rows(folder / "store.duckdb", "example_results.filled")
    assert len(first) == 9
    said = accepted(folder, "show", "case.yml", "filled")
    assert "income_known" in said
    assert "household_known" in said


def test_for_each_takes_small_maps_even_twice_for_one_feature(write_case: WriteCase) -> None:
    folder = write_case(
        """
        scaled:
          operator: LinearScaling
          input: Customer
          range: [0, 1]
          for_each:
            - {target: age, output: age_1}
            - {target: age, output: age_2}
            - {target: age, output: age_3}
        """
    ).parent
    accepted(folder, "run", "case.yml")
    for row in rows(folder / "store.duckdb", "example_results.scaled"):
        assert row[-1] == row[-2] == row[-3]
        assert 0 <= row[-1] <= 1


def test_learn_on_learns_there_and_applies_here(write_case: WriteCase) -> None:
    folder = write_case(
        """
        one: {operator: RowSelectionByQuery, input: Customer, where: customer_id = 1}
        scaled:
          operator: LinearScaling
          input: one
          target: age
          range: [0, 1]
          learn_on: Customer
        alone: {operator: LinearScaling, input: one, target: age, range: [0, 1]}
        """
    ).parent
    accepted(folder, "run", "case.yml")
    ages = [row[1] for row in rows(folder / "store.duckdb", 'example_results."Customer"')]
    (row,) = rows(folder / "store.duckdb", "example_results.scaled")
    assert row[1] == pytest.approx((ages[0] - min(ages)) / (max(ages) - min(ages)))
    assert 0 < row[1] < 1
    (alone,) = rows(folder / "store.duckdb", "example_results.alone")
    assert alone[1] != row[1]


def test_turns_keep_the_names_that_stores_of_earlier_runs_know_them_by() -> None:
    bound = resolve(
        "  made:\n    operator: GenericFeatureConstruction\n    input: Customer\n    for_each:\n"
        "    - {output: half, sql: age / 2}\n    - {output: double, sql: age * 2}\n"
    )
    assert list(bound.steps) == ["made[1]", "made"]
    assert [step.shown_name for step in bound.steps.values()] == ["made[half]", "made[double]"]
