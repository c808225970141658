"""What the default run tries of a long list; `make test-long` tries all of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def first_only(values: Iterable[Any], count: int) -> list[Any]:
    """Marks all values but the first ones as slow, so that the default run leaves them out.

    A tuple holds a value for each of several parameters.
    """
    marked = []
    for place, value in enumerate(values):
        given = value if isinstance(value, tuple) else (value,)
        marked.append(pytest.param(*given, marks=pytest.mark.slow if place >= count else ()))
    return marked
