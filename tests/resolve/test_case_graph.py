"""The graph of a bound case: what a step is made from, and what is made from it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import example_data

from miningflow.catalog import installed
from miningflow.read import read_case
from miningflow.resolve import BoundCase, resolve_case
from miningflow.resolve.case_graph import between

STEPS = """
  many: {operator: LinearScaling, input: Customer, for_each: {target: [age, income]}, range: [0, 1]}
  filled: {operator: AssignAverageValue, input: many, target: age, learn_on: other}
  other: {operator: AssignModalValue, input: Customer, target: region}
  beside: {operator: AssignAverageValue, input: Claim, target: amount}
"""


@pytest.fixture(scope="module")
def bound() -> BoundCase:
    text = f"case: a\n{example_data.CONCEPTS}\nsteps:\n{STEPS}"
    return resolve_case(read_case(Path("case.yml"), text), installed())


def test_a_step_is_made_from_what_it_reads_and_learns_on(bound: BoundCase) -> None:
    assert bound.ancestors("filled") == {"Customer", "many[age]", "many", "other"}
    assert bound.ancestors("Customer") == set()


def test_descendants_are_all_steps_that_read_it(bound: BoundCase) -> None:
    assert bound.descendants("Customer") == {"many[age]", "many", "other", "filled"}
    assert bound.descendants("Claim") == {"beside"}


def test_what_is_given_ends_the_way_to_a_step(bound: BoundCase) -> None:
    assert between(bound.graph, ["other"], "filled") == {"filled", "many", "many[age]", "Customer"}
    assert between(bound.graph, ["other", "many"], "filled") == {"filled"}


def test_turns_of_a_loop_know_their_step(bound: BoundCase) -> None:
    turns = {s.name: (s.loop, s.loop_over, s.hidden) for s in bound.steps.values() if s.loop}
    assert turns == {"many[age]": ("many", "age", True), "many": ("many", "income", False)}
    assert {s.written_name for s in bound.steps.values()} == {"many", "filled", "other", "beside"}
