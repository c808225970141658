"""The attacks in small numbers; `make attack` has the large ones."""

from __future__ import annotations

import pytest

from attacks.__main__ import PARTS, attack_of

COUNTS = {"mutated-cases": 60, "expressions": 1_000}
"""What takes some seconds; other parts start processes or change stores, and do so six times."""


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_nothing_is_broken(part: str) -> None:
    """Repeats an attack a few times."""
    tally = attack_of(part)(COUNTS.get(part, 6), 7)
    assert not tally.broken, str(tally)
