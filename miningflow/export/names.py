"""Names that files and other tools take."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST = 60


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Returns each name letters, digits and underscores only; no two are equal, in any case."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        first = re.sub(r"\W+", "_", plain).strip("_")[:LONGEST] or "unnamed"
        first = f"_{first}" if first[0].isdigit() else first
        safe, number = first, 1
        while safe.casefold() in taken:
            number += 1
            safe = f"{first}_{number}"
        taken.add(safe.casefold())
        found[name] = safe
    return found
