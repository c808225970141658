"""What a selector has done so far, readable even after an interrupt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Entry = TypeVar("Entry")


class Progress(Generic[Entry]):
    """Entries in the order in which they were made, each shown to the callback."""

    def __init__(self, callback: Callable[[Entry], object] | None = None) -> None:
        self._callback = callback
        self._entries: list[Entry] = []

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries so far."""
        return tuple(self._entries)

    def record(self, entry: Entry) -> None:
        """Appends an entry and shows it to the callback."""
        self._entries.append(entry)
        if self._callback is not None:
            self._callback(entry)

    def replace(self, at: int, entry: Entry) -> None:
        """Puts an entry about which more is known now in the place of an earlier one."""
        self._entries[at] = entry
