"""A fingerprint is the same for the same recipe only, and a difference is said in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from miningflow.plan import Recipe
from miningflow.plan.cause import difference
from miningflow.plan.recipe import recipe_from_json

RECIPE = Recipe("scored", "SVM", 1, {"C": 1.0, "target": "lapsed"}, {"relevant": "aa"}, "", "table")


def test_the_order_of_parameters_does_not_matter() -> None:
    turned = replace(RECIPE, parameters={"target": "lapsed", "C": 1.0})
    assert turned.fingerprint == RECIPE.fingerprint


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"parameters": {"C": 2.0, "target": "lapsed"}}, "changed C: 1.0 → 2.0"),
        (
            {"parameters": {"C": 2.0, "target": "churn"}},
            'changed C: 1.0 → 2.0; target: "lapsed" → "churn"',
        ),
        ({"parameters": {"target": "lapsed"}}, "changed C: 1.0 → null"),
        ({"inputs": {"relevant": "bb"}}, "'relevant' changed"),
        ({"inputs": {"filled": "aa"}}, "its inputs changed"),
        ({"operator": "KNN"}, "operator changed: SVM → KNN"),
        ({"version": 2}, "operator SVM has a new version"),
        ({"source": "other data"}, "its data changed"),
        ({"builds": "view"}, "built as view instead of table"),
        ({"compiler": 0}, "compiled by another version of MiningFlow"),
        ({"name": "other"}, None),
    ],
)
def test_every_part_counts(change: dict[str, Any], reason: str | None) -> None:
    changed = replace(RECIPE, **change)
    assert changed.fingerprint != RECIPE.fingerprint
    if reason is not None:
        assert str(difference(RECIPE, changed)) == reason


def test_a_recipe_comes_back_from_the_repository() -> None:
    recipe = replace(RECIPE, parameters={"map": {"süd": None}, "list": ["a", 1, 0.5]})
    back = recipe_from_json(recipe.as_json())
    assert back == recipe
    assert back.fingerprint == recipe.fingerprint
