"""A case is compiled from plain data: what is missing says why, as data and in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from conftest import LoadCase
from support.stores import SOURCES

from miningflow.compile import Compiled, Missing, StoredBuilds, compile_bound, published_builds
from miningflow.errors import CompileError
from miningflow.plan import Built, SourceVersion, plan_case
from miningflow.resolve import BoundCase, BoundStep

STEPS = """
filled: {operator: AssignAverageValue, input: Customer, target: income}
scaled: {operator: LinearScaling, input: filled, target: age}
"""


@pytest.fixture
def bound(load_case: LoadCase) -> BoundCase:
    return load_case(STEPS).bound


def stored(bound: BoundCase) -> StoredBuilds:
    """Returns what a store would know if all was built; what was learned does not matter."""
    versions = {name: SourceVersion(name, "v1") for name in SOURCES}
    stages = plan_case(bound, versions, {}).stages
    return StoredBuilds(tuple(Built(s.fingerprint, s.recipe, True) for s in stages), _unlearned)


def _unlearned(step: BoundStep, build: Built) -> Any:
    return None


def changed(builds: StoredBuilds, step: str, **recipe: Any) -> StoredBuilds:
    """Returns the builds, with another recipe of one."""
    made = [
        replace(b, recipe=replace(b.recipe, **recipe)) if b.step == step else b
        for b in builds.builds
    ]
    return replace(builds, builds=tuple(made))


def why(compiled: Compiled) -> dict[str, Missing]:
    return dict(compiled.missing)


def test_nothing_learned(bound: BoundCase) -> None:
    compiled = compile_bound(bound, StoredBuilds())
    assert why(compiled) == {
        "filled": Missing("never built"),
        "scaled": Missing("waits", ("filled",)),
    }
    assert [str(m) for m in compiled.missing.values()] == [
        "has not learned yet",
        "waits for 'filled'",
    ]
    assert set(compiled.pieces) == set(SOURCES)


def test_an_error_names_the_step_that_others_wait_for(bound: BoundCase) -> None:
    with pytest.raises(CompileError, match="step 'filled' has not learned yet"):
        compile_bound(bound, StoredBuilds(), upto="scaled")


def test_all_is_as_it_was_built(bound: BoundCase) -> None:
    found = published_builds(bound, stored(bound))
    assert not found.changed
    assert set(found.fingerprints) == {*SOURCES, "filled", "scaled"}


@pytest.mark.parametrize(
    ("recipe", "expected", "sentence"),
    [
        ({"parameters": {}}, Missing("changed", verb="ran"), "was changed since it ran"),
        (
            {"version": 99},
            Missing("operator changed", verb="ran"),
            "ran with another version of its operator",
        ),
        (
            {"inputs": {"Customer": "another"}},
            Missing("input changed", ("Customer",), "ran"),
            "ran before 'Customer' was changed",
        ),
    ],
)
def test_why_a_published_build_is_out_of_date(
    bound: BoundCase, recipe: dict[str, Any], expected: Missing, sentence: str
) -> None:
    found = published_builds(bound, changed(stored(bound), "filled", **recipe)).changed
    assert found["filled"] == expected
    assert str(found["filled"]) == sentence
    assert found["scaled"] == Missing("input changed", ("filled",), "ran")
