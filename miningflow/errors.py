"""What can go wrong for a user: one base class, one class per phase, each says where."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, order=True)
class Place:
    """A spot in a file that a person wrote; line and column count from 1."""

    file: str
    line: int
    column: int
    text: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        # an option of a command has no lines
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True)
class Mistake:
    """One thing that is wrong: what, where, and what to do about it."""

    message: str
    place: Place | None = None
    hint: str = ""
    severity: Severity = "error"

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        lines = [f"{where}{self.severity}: {self.message}"]
        if self.place and self.place.text:
            start = max(0, self.place.column - 60)
            shown = self.place.text[start : start + 110].rstrip()
            caret = " " * (self.place.column - 1 - start) + "^"
            lines += [f"    {shown}", f"    {caret}"]
        if self.hint:
            lines.append(f"    {self.hint}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Gives the mistake as plain data for programs."""
        return {
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
            "file": self.place.file if self.place else None,
            "line": self.place.line if self.place else None,
            "column": self.place.column if self.place else None,
        }


class MiningFlowError(Exception):
    """Everything a user can mend; carries one or more mistakes."""

    def __init__(self, *mistakes: Mistake | str) -> None:
        found = [m if isinstance(m, Mistake) else Mistake(m) for m in mistakes]
        self.mistakes: tuple[Mistake, ...] = tuple(in_order(found))
        super().__init__("\n".join(str(m) for m in self.mistakes))


class ReadError(MiningFlowError):
    """The file is not a case: not YAML, or not of the case's shape."""


class ResolveError(MiningFlowError):
    """The case names what does not exist or does not fit."""


class PlanError(MiningFlowError):
    """What was asked for cannot be planned."""


class CompileError(MiningFlowError):
    """The case cannot become SQL, for example because a feature was deselected."""


class EngineError(MiningFlowError):
    """The database refused, or cannot be reached."""


class RunError(MiningFlowError):
    """The data do not fit the case, or a step could not learn from them."""


def in_order(mistakes: Iterable[Mistake]) -> list[Mistake]:
    """Sorts mistakes by place; those without a place come last; the same one is said once."""
    unique = list(dict.fromkeys(mistakes))
    return sorted(unique, key=lambda m: (m.place is None, m.place or Place("", 0, 0)))


def suggestion(wrong: str, known: Iterable[str], kind: str = "") -> str:
    """Says which known name was probably meant, or else what exists."""
    names = list(known)
    close = closest(wrong, names)
    if close:
        return f"did you mean {close!r}?"
    if not names:
        return f"there are no {kind}" if kind else ""
    return f"known {kind or 'names'}: {listed(names)}"


def closest(wrong: str, names: Sequence[str]) -> str | None:
    """Finds the known name that is nearest to a wrong one."""
    folded = {name.casefold(): name for name in names}
    if wrong.casefold() in folded:
        return folded[wrong.casefold()]
    close = difflib.get_close_matches(wrong, names, n=1, cutoff=0.7)
    return close[0] if close else None


def listed(names: Iterable[str], most: int = 12) -> str:
    """Lists names for a message, the first few of them."""
    shown = list(names)
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more
