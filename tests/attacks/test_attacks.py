"""The attacks in small numbers; `make attack` has the large ones."""

from __future__ import annotations

import pytest

from attacks.__main__ import PARTS, attack_of

COUNTS = {
    "mutated-cases": 60,
    "expressions": 1_000,
    "hostile-folders": 8,
    "altered-stores": 6,
    "interrupts": 4,
    "kills": 2,
    "many-processes": 1,
    "stopped-postgres": 1,
}
"""How often each is repeated: some seconds long."""


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_nothing_is_broken(part: str) -> None:
    """Repeats an attack a few times."""
    tally = attack_of(part)(COUNTS[part], 7)
    assert not tally.broken, str(tally)
