"""Names of columns: exact ones first, and none that could mean two columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_NUMBER = re.compile(r" \(column \d+\)$")


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Returns a name for each column; names that DuckDB takes for the same get their position."""
    times = Counter(name.casefold() for name in names)
    return tuple(
        name if times[name.casefold()] == 1 else f"{name} (column {i + 1})"
        for i, name in enumerate(names)
    )


def matching_columns(name: str, there: Iterable[str]) -> tuple[str, ...]:
    """Returns the columns that a name may mean: those of exactly that name, or else in any case.

    `v` means `v (column 2)`, unless another column is called `v` as well.
    """
    there = tuple(there)
    exact = tuple(c for c in there if name in (c, _NUMBER.sub("", c)))
    folded = name.casefold()
    return exact or tuple(c for c in there if _NUMBER.sub("", c).casefold() == folded)
