"""The one error of expressions, and the phrases that name what exists instead."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LISTED_NAMES = 12


class FragmentError(ValueError):
    """What is wrong in an expression of a case, where, and what to write instead."""

    def __init__(self, message: str, offset: int | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Returns a hint with the nearest known name, or nothing when none is near."""
    by_lower = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f"; did you mean '{by_lower[near[0]]}'?" if near else ""


def listed(names: Iterable[str], most: int = LISTED_NAMES) -> str:
    """Lists names for a message, up to a limit."""
    every = list(names)
    if not every:
        return "none"
    return ", ".join(every[:most]) + (", …" if len(every) > most else "")
