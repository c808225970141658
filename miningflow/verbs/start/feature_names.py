"""Names of features, after the columns that they come from."""

from __future__ import annotations

import re
from collections.abc import Sequence

from miningflow.names import LONGEST_NAME, can_be_name

_POSITION = re.compile(r"^(.*) \(column (\d+)\)$")
_PATTERN = re.compile(r"[*?\[\]{}]|^all\b|^type:|\$\{")
_ODD = re.compile(r"[*?\[\]{}$]")


def feature_names(columns: Sequence[str]) -> dict[str, str]:
    """Returns a name for each column: its own, unless that could not be used in a case."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for position, column in enumerate(columns, 1):
        name = column
        repeated = _POSITION.match(column)
        if repeated:
            name = f"{repeated[1]}_{repeated[2]}"
        if not can_be_name(name) or _PATTERN.search(name) or name != name.strip():
            name = _cleaned(name, position)
        while name.casefold() in taken:
            name = f"{name[: LONGEST_NAME - 10]}_{position}"
        taken.add(name.casefold())
        found[column] = name
    return found


def _cleaned(name: str, position: int) -> str:
    shown = "".join(c if c.isprintable() else "_" for c in name)
    shown = _ODD.sub("_", shown).strip()[: LONGEST_NAME - 20].strip()
    if not shown.strip("_ "):
        return f"column_{position}"
    return f"{shown}_" if _PATTERN.search(shown) else shown
