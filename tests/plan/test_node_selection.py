"""Steps are selected as in dbt."""

from __future__ import annotations

import pytest
from conftest import LoadCase
from support.stores import HELD_OUT, TWO_FILES

from miningflow.errors import PlanError
from miningflow.plan.selection import named, selected
from miningflow.resolve import BoundCase

STEPS = """
prepared:
  chain:
    filled:
      operator: AggregateByRelation
      input: Customer
      relation: claims_of
      aggregates: {claim_count: count()}
relevant: {operator: AssignAverageValue, input: filled, target: income}
scored: {operator: LinearScaling, input: relevant, target: age}
scored_all: {operator: LinearScaling, input: filled, target: age}
"""
ALL = {"Customer", "Claim", "filled", "relevant", "scored", "scored_all"}


@pytest.fixture
def bound(load_case: LoadCase) -> BoundCase:
    return load_case(STEPS, concepts=HELD_OUT, connect=TWO_FILES).bound


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["scored"], {"scored"}),
        (["+relevant"], {"Customer", "Claim", "filled", "relevant"}),
        (["relevant+"], {"relevant", "scored"}),
        (["+relevant+"], {"Customer", "Claim", "filled", "relevant", "scored"}),
        (["scored*"], {"scored", "scored_all"}),
        (["+scored*"], ALL),
        (["*"], ALL),
        (["scored,relevant"], {"scored", "relevant"}),
        (["scored relevant"], {"scored", "relevant"}),
        (["scored", "Claim"], {"scored", "Claim"}),
        (["prepared"], {"filled"}),
        (["prepared+"], {"filled", "relevant", "scored", "scored_all"}),
        ([" scored ,, relevant "], {"scored", "relevant"}),
    ],
)
def test_selected(bound: BoundCase, patterns: list[str], expected: set[str]) -> None:
    assert selected(patterns, bound) == expected


@pytest.mark.parametrize("pattern", ["nosuch", "nosuch*", "+", "Scored"])
def test_what_selects_nothing_is_an_error(bound: BoundCase, pattern: str) -> None:
    with pytest.raises(PlanError):
        selected([pattern], bound)


def test_a_turn_of_a_loop_stands_for_its_loop(load_case: LoadCase) -> None:
    loop = """
    scaled: {operator: LinearScaling, input: Customer, for_each: {target: [age, income]}}
    """
    bound = load_case(loop, concepts=HELD_OUT, connect=TWO_FILES).bound
    (turn,) = set(bound.steps) - {"scaled"}
    assert named(["*"], bound) == ["Customer", "Claim", "scaled"]
    assert selected(["+scaled"], bound) == {"Customer", turn, "scaled"}
    assert turn == "scaled[age]"
    assert selected([turn], bound) == selected(["scaled[income]"], bound) == {"scaled"}
    with pytest.raises(PlanError, match=r"did you mean 'scaled\[age\]'"):
        selected(["scaled[agee]"], bound)
