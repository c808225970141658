"""Errors for users: one base class, one class per phase, each with the place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from miningflow.visible_text import visible

# As many messages of one kind are shown as one.
MANY_ALIKE = 8
_QUOTED = re.compile(r"'[^']*'")

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, order=True)
class Place:
    """A position in a file; line and column count from 1."""

    file: str
    line: int
    column: int
    text: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        # an option of a command has no lines
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True)
class Diagnostic:
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
        return visible("\n".join(lines))

    def as_json(self) -> dict[str, Any]:
        """Returns the diagnostic as plain data for programs."""
        return {
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
            "file": self.place.file if self.place else None,
            "line": self.place.line if self.place else None,
            "column": self.place.column if self.place else None,
        }


class MiningFlowError(Exception):
    """Everything a user can fix; carries one or more diagnostics."""

    def __init__(self, *diagnostics: Diagnostic | str) -> None:
        found = [m if isinstance(m, Diagnostic) else Diagnostic(m) for m in diagnostics]
        self.diagnostics: tuple[Diagnostic, ...] = tuple(in_order(found))
        super().__init__("\n".join(str(m) for m in without_repetitions(self.diagnostics)))

    def _render_traceback_(self) -> list[str]:
        """Returns what a notebook shows: the message, as it is the user who can fix it."""
        return visible(str(self)).splitlines()


class ReadError(MiningFlowError):
    """The file is not a case: not YAML, or not of the case's shape."""


class ResolveError(MiningFlowError):
    """The case names something that does not exist or does not fit."""


class PlanError(MiningFlowError):
    """The request cannot be planned."""


class CompileError(MiningFlowError):
    """The case cannot become SQL, for example because a feature was deselected."""


class EngineError(MiningFlowError):
    """The database refused, or cannot be reached."""


class RepositoryError(MiningFlowError):
    """The repository holds something that MiningFlow did not write."""

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(
            Diagnostic(
                f"the repository holds something that MiningFlow did not write: {what} ({reason})",
                None,
                "run again with --full, which replaces it; what others made is left alone",
            )
        )


class RunError(MiningFlowError):
    """The data do not fit the case, or a step could not learn from them."""


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorts diagnostics by place, those without a place last, and drops repetitions."""
    unique = list(dict.fromkeys(diagnostics))
    return sorted(unique, key=lambda m: (m.place is None, m.place or Place("", 0, 0)))


def without_repetitions(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Returns diagnostics for people: of many that differ in their names only, the first.

    It then lists the others, since 180 messages of four lines each are none.
    """
    alike: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for each in diagnostics:
        key = each.severity, each.place.file if each.place else "", _QUOTED.sub("", each.message)
        alike.setdefault(key, []).append(each)
    shown: list[Diagnostic] = []
    for same in alike.values():
        if len(same) < MANY_ALIKE:
            shown += same
            continue
        first = same[0]
        own = set(_QUOTED.findall(first.message))
        others = [" and ".join(q for q in _QUOTED.findall(m.message) if q not in own) for m in same]
        names = listed(dict.fromkeys(name for name in others if name), most=5)
        more = f"the same for {len(same) - 1} more" + (f": {names}" if names else "")
        shown.append(replace(first, hint=f"{first.hint}; {more}" if first.hint else more))
    return in_order(shown)


def suggestion(wrong: str, known: Iterable[str], kind: str = "") -> str:
    """Returns a hint: the known name that was probably meant, or else what exists."""
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
    swapped = [name for name in names if sorted(name.casefold()) == sorted(wrong.casefold())]
    if len(swapped) == 1 and len(wrong) > 2:
        return swapped[0]
    close = difflib.get_close_matches(wrong, names, n=1, cutoff=0.7)
    return close[0] if close else None


def listed(names: Iterable[str], most: int = 12) -> str:
    """Lists names for a message, the first few of them."""
    shown = list(names)
    more = f" and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more
