"""Progress of a run: a live line on a terminal, a line per stage elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.status import Status

from miningflow.resolve import BoundCase
from miningflow.run.events import Event, Listener


@contextmanager
def watching(bound: BoundCase, quiet: bool) -> Iterator[Listener]:
    """Gives a listener that shows what happens, on standard error."""
    console = Console(stderr=True, quiet=quiet, highlight=False)
    for warning in () if quiet else bound.warnings:
        console.print(str(warning), style="yellow", markup=False)
    watcher = _Watcher(console)
    if not console.is_terminal or quiet:
        yield watcher.tell
        return
    with console.status("starting") as status:
        watcher.status = status
        yield watcher.tell


class _Watcher:
    """Turns events into lines; on a terminal the last line tells what is going on."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.status: Status | None = None
        self.running: dict[str, str] = {}
        self.told: dict[str, int] = {}

    def tell(self, event: Event) -> None:
        """Shows one event."""
        if event.kind in ("started", "progress"):
            share = f" {event.done:4.0%}" if event.kind == "progress" and event.done else ""
            self.running[event.stage] = f"{event.stage}{share} {event.message}".rstrip()
            self._live(event)
            return
        self.running.pop(event.stage, None)
        if event.kind == "finished":
            rows = f"{event.rows:>12,} rows" if event.rows is not None else " " * 17
            self._line(f"  ✓ {event.stage:<28} {rows} {event.seconds:8.2f} s")
        elif event.kind == "failed":
            self._line(f"  ✗ {event.stage}")
        elif event.kind == "note":
            self.running[event.stage] = event.stage
            self._line(f"    {event.stage}: {event.message}")
        elif event.kind == "testing":
            self._line(f"  testing: {event.message}")
        elif event.kind == "publishing":
            self._line("  publishing the results")
        self._live(event)

    def _live(self, event: Event) -> None:
        if self.status is not None:
            self.status.update(" | ".join(self.running.values())[:160])
        elif event.kind == "progress" and event.done:
            tenth = int(event.done * 10)
            if self.told.get(event.stage) != tenth:  # in a log every tenth is enough
                self.told[event.stage] = tenth
                self._line(f"    {event.stage}: {event.done:4.0%} {event.message}")

    def _line(self, text: str) -> None:
        self.console.print(text, markup=False)
        sys.stderr.flush()
