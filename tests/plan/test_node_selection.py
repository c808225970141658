"""Steps are selected as in dbt."""

from __future__ import annotations

import pytest

from miningflow.errors import PlanError
from miningflow.plan.selection import after, before, selected

EDGES = {
    "Customer": (),
    "Claim": (),
    "filled": ("Customer", "Claim"),
    "relevant": ("filled",),
    "scored": ("relevant",),
    "scored_all": ("filled",),
}
CHAINS = {"prepared": "filled"}


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["scored"], {"scored"}),
        (["+relevant"], {"Customer", "Claim", "filled", "relevant"}),
        (["relevant+"], {"relevant", "scored"}),
        (["+relevant+"], {"Customer", "Claim", "filled", "relevant", "scored"}),
        (["scored*"], {"scored", "scored_all"}),
        (["+scored*"], set(EDGES)),
        (["*"], set(EDGES)),
        (["scored,relevant"], {"scored", "relevant"}),
        (["scored relevant"], {"scored", "relevant"}),
        (["scored", "Claim"], {"scored", "Claim"}),
        (["prepared"], {"filled"}),
        (["prepared+"], {"filled", "relevant", "scored", "scored_all"}),
        ([" scored ,, relevant "], {"scored", "relevant"}),
    ],
)
def test_selected(patterns: list[str], expected: set[str]) -> None:
    assert selected(patterns, EDGES, CHAINS) == expected


@pytest.mark.parametrize("pattern", ["nosuch", "nosuch*", "+", "Scored"])
def test_what_selects_nothing_is_an_error(pattern: str) -> None:
    with pytest.raises(PlanError):
        selected([pattern], EDGES, CHAINS)


def test_before_and_after() -> None:
    assert before("relevant", EDGES) == {"Customer", "Claim", "filled", "relevant"}
    assert after("Claim", EDGES) == {"Claim", "filled", "relevant", "scored", "scored_all"}
