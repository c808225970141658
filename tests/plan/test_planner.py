"""A plan says which stages run and why; nothing is opened for it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from conftest import LoadCase
from support.stores import SOURCES, STEPS

from miningflow.errors import PlanError
from miningflow.plan import Built, Plan, PlanRequest, SourceVersion, layout, plan_case
from miningflow.resolve import BoundCase


@pytest.fixture
def bound(load_case: LoadCase) -> BoundCase:
    return load_case(STEPS).bound


def planned(
    bound: BoundCase, built: Plan | None = None, request: PlanRequest | None = None
) -> Plan:
    known = {s.name: [Built(s.fingerprint, s.recipe, True)] for s in built.stages} if built else {}
    return plan_case(bound, versions(), known, request)


def versions(**markers: str) -> dict[str, SourceVersion]:
    return {name: SourceVersion(f"{name}.parquet", markers.get(name, "v1")) for name in SOURCES}


def running(plan: Plan) -> dict[str, str]:
    return {s.name: s.reason for s in plan.running if s.kind == "step"}


def test_all_is_new_at_first(bound: BoundCase) -> None:
    plan = planned(bound)
    assert {s.reason for s in plan.stages} == {"new"}
    names = [s.name for s in plan.stages]
    assert all(names.index(i) < names.index(s.name) for s in plan.stages for i in s.inputs)


def test_nothing_runs_when_all_is_built(bound: BoundCase) -> None:
    assert not planned(bound, planned(bound)).running


def test_changed_data_runs_what_reads_them(bound: BoundCase) -> None:
    before = planned(bound)
    built = {s.name: [Built(s.fingerprint, s.recipe, True)] for s in before.stages}
    plan = plan_case(bound, versions(Claim="v2"), built)
    assert plan.stage("Claim").reason == "its data changed"
    assert running(plan) == {
        "with_claims": "'Claim' changed",
        "filled": "'with_claims' changed",
        "relevant": "'filled' changed",
        "judged": "'relevant' changed",
    }


def test_a_new_operator_version_runs_again(bound: BoundCase) -> None:
    before = planned(bound)
    old = before.stage("relevant").recipe
    older = replace(old, version=old.version - 1)
    built = {s.name: [Built(s.fingerprint, s.recipe, True)] for s in before.stages}
    built["relevant"] = [Built(older.fingerprint, older, True)]
    stage = plan_case(bound, versions(), built).stage("relevant")
    assert (stage.action, stage.reason) == (
        "run",
        "operator FeatureSelectionWithSVM has a new version",
    )


def test_what_an_unfinished_run_built_is_taken_over(bound: BoundCase) -> None:
    before = planned(bound)
    built = {s.name: [Built(s.fingerprint, s.recipe, s.name != "side")] for s in before.stages}
    stage = plan_case(bound, versions(), built).stage("side")
    assert (stage.action, stage.reason) == ("reuse", "built by a run that did not finish")


def test_what_is_gone_from_the_store_runs_again(bound: BoundCase) -> None:
    before = planned(bound)
    built = {s.name: [Built(s.fingerprint, s.recipe, True)] for s in before.stages}
    built["side"] = [replace(built["side"][0], usable=False)]
    plan = plan_case(bound, versions(), built)
    assert running(plan) == {"side": "its result is gone from the store"}


def test_full_and_from_force(bound: BoundCase) -> None:
    before = planned(bound)
    assert {s.reason for s in planned(bound, before, PlanRequest(full=True)).running} == {"--full"}
    plan = planned(bound, before, PlanRequest(from_step="relevant"))
    assert running(plan) == {"relevant": "--from relevant", "judged": "--from relevant"}


def test_to_leaves_out_what_comes_after(bound: BoundCase) -> None:
    plan = planned(bound, None, PlanRequest(to_step="filled"))
    assert list(running(plan)) == ["with_claims", "filled"]
    assert plan.stage("judged").action == "skip"
    assert plan.stage("judged").reason == "not selected"
    assert plan.stage("Rating").action == "skip"


def test_from_and_to_together(bound: BoundCase) -> None:
    plan = planned(bound, planned(bound), PlanRequest(from_step="filled", to_step="relevant"))
    assert list(running(plan)) == ["filled", "relevant"]
    assert plan.stage("judged").action == "reuse"


def test_a_selected_step_needs_what_is_before_it(bound: BoundCase) -> None:
    with pytest.raises(PlanError, match=r"'judged' was selected, but 'relevant'.*\n.*`\+judged`"):
        planned(bound, None, PlanRequest(select=("judged",)))
    assert "judged" in running(planned(bound, None, PlanRequest(select=("+judged",))))


def test_an_unselected_step_that_is_up_to_date_serves(bound: BoundCase) -> None:
    plan = planned(bound, planned(bound), PlanRequest(select=("judged",), full=True))
    assert running(plan) == {"judged": "--full"}


def test_unknown_steps_are_named(bound: BoundCase) -> None:
    with pytest.raises(PlanError, match="did you mean 'judged'"):
        planned(bound, None, PlanRequest(select=("jugded",)))
    with pytest.raises(PlanError, match="no step or concept 'nosuch'"):
        planned(bound, None, PlanRequest(to_step="nosuch"))


def test_construction_is_fused_unless_asked_for(load_case: LoadCase) -> None:
    steps = """
        one: {operator: AssignAverageValue, input: Customer, target: income}
        two: {operator: AssignModalValue, input: one, target: region}
        three: {operator: LinearScaling, input: two, target: age}
    """
    bound = load_case(steps).bound
    assert layout(bound) == {"one": "inline", "two": "inline", "three": "view"}
    asked = steps.replace("target: region", "target: region, materialize: table")
    bound = load_case(asked).bound
    assert layout(bound) == {"one": "inline", "two": "table", "three": "view"}


def test_a_step_that_others_need_is_not_fused(load_case: LoadCase) -> None:
    twice = """
        one: {operator: AssignAverageValue, input: Customer, target: income}
        two: {operator: AssignModalValue, input: one, target: region}
        other: {operator: LinearScaling, input: one, target: age}
    """
    assert layout(load_case(twice).bound)["one"] == "view"
    learned_on = """
        one: {operator: AssignAverageValue, input: Customer, target: income}
        two: {operator: AssignModalValue, input: one, target: region}
        other: {operator: LinearScaling, input: Prospect, target: age, learn_on: one}
    """
    assert layout(load_case(learned_on).bound)["one"] == "view"
