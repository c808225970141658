"""How many examples property tests draw: few in the default run, all in `make test-long`."""

from __future__ import annotations

import os

LONG = "MININGFLOW_TEST_LONG"


def drawn(most: int) -> int:
    """Returns the number for this run: a quarter of the most, unless the run is a long one."""
    return most if os.environ.get(LONG) else max(10, most // 4)
