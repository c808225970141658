"""Errors and warnings of loops: what several turns have in common is said once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from miningflow.declare.kinds.binding import Unusable
from miningflow.errors import Diagnostic, Place, listed
from miningflow.resolve.loops import Turn

TURNS_SHOWN = 5
Noted = tuple[Turn, Diagnostic]


class LoopNotes:
    """Collects what the turns of a loop note, and puts it back without repetitions."""

    def __init__(self, *lists: list[Diagnostic]) -> None:
        self.unusable = False
        self._noted: list[tuple[list[Diagnostic], list[Noted]]] = [(each, []) for each in lists]

    @contextmanager
    def turn(self, turn: Turn) -> Iterator[None]:
        """Collects what one turn notes; a turn that fails lets the others go on."""
        counts = [len(diagnostics) for diagnostics, _ in self._noted]
        try:
            yield
        except Unusable:
            self.unusable = True
        for count, (diagnostics, noted) in zip(counts, self._noted, strict=True):
            noted += [(turn, diagnostic) for diagnostic in diagnostics[count:]]
            del diagnostics[count:]

    def put_back(self) -> None:
        """Puts back each diagnostic once, with the other turns that have the same one."""
        for diagnostics, noted in self._noted:
            diagnostics.extend(_collapsed(noted))


def _collapsed(noted: Sequence[Noted]) -> list[Diagnostic]:
    alike: dict[tuple[Place | None, str], list[Noted]] = {}
    for turn, diagnostic in noted:
        key = diagnostic.place, _general(diagnostic.message, turn)
        alike.setdefault(key, []).append((turn, diagnostic))
    found: list[Diagnostic] = []
    for same in alike.values():
        first = same[0][1]
        others = list(dict.fromkeys(turn.shown for turn, _ in same[1:]))
        if others:
            more = "1 more turn" if len(others) == 1 else f"{len(others)} more turns"
            said = f"the same in {more}: {listed(others, TURNS_SHOWN)}"
            first = replace(first, hint=f"{first.hint}; {said}" if first.hint else said)
        found.append(first)
    return found


def _general(message: str, turn: Turn) -> str:
    """Returns a message without what only this turn has."""
    for word in sorted({turn.shown, turn.feature, turn.label} - {""}, key=len, reverse=True):
        message = message.replace(word, "…")
    return message
