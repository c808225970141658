"""Progress of a run: a live line on a terminal, a line per stage elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.status import Status
from rich.text import Text

from miningflow.cli.rich_output import VisibleConsole
from miningflow.errors import without_repetitions
from miningflow.resolve import BoundCase
from miningflow.run.events import Event, Listener
from miningflow.visible_text import visible


@contextmanager
def progress(bound: BoundCase, quiet: bool) -> Iterator[Listener]:
    """Returns a listener that shows what happens on standard error."""
    console = VisibleConsole(stderr=True, quiet=quiet, highlight=False)
    for warning in () if quiet else without_repetitions(bound.warnings):
        console.print(str(warning), style="yellow")
    watcher = _Watcher(console, bound)
    if not console.is_terminal or quiet:
        yield watcher.show
        return
    with console.status("starting") as status:
        watcher.status = status
        yield watcher.show


class _Watcher:
    """Turns events into lines; on a terminal, the last line shows what is running."""

    def __init__(self, console: Console, bound: BoundCase) -> None:
        self.console = console
        self.bound = bound
        self.turns: dict[str, list[float]] = {}
        """Loop → the seconds of its turns that are finished."""
        self.status: Status | None = None
        self.running: dict[str, str] = {}
        self.shown: dict[str, int] = {}

    def show(self, event: Event) -> None:
        """Shows one event."""
        if event.kind in ("started", "progress"):
            share = f" {event.done:4.0%}" if event.kind == "progress" and event.done else ""
            self.running[event.stage] = f"{self._name(event)}{share} {event.message}".rstrip()
            self._live(event)
            return
        self.running.pop(event.stage, None)
        if event.kind == "finished":
            self._finished(event)
        elif event.kind == "failed":
            self._line(f"  ✗ {self._name(event)}")
        elif event.kind == "note":
            self.running[event.stage] = self._name(event)
            self._line(f"    {self._name(event)}: {event.message}")
        elif event.kind == "testing":
            self._line(f"  testing: {event.message}")
        elif event.kind == "publishing":
            self._line("  publishing the results")
        self._live(event)

    def _finished(self, event: Event) -> None:
        """Prints a line for a stage; the turns of a loop share one, when the last is finished."""
        step = self.bound.steps.get(event.stage)
        name, seconds = event.stage, event.seconds or 0.0
        if step is not None and step.loop is not None:
            turns = self.turns.setdefault(step.loop, [])
            turns.append(seconds)
            if step.hidden:
                return
            seconds = sum(turns)
            name += f" ({len(turns)} turns)" if len(turns) > 1 else ""
        rows = f"{event.rows:>12,} rows" if event.rows is not None else " " * 17
        self._line(f"  ✓ {name:<24} {rows} {seconds:8.2f} s")

    def _name(self, event: Event) -> str:
        step = self.bound.steps.get(event.stage)
        return step.shown_name if step is not None else event.stage

    def _live(self, event: Event) -> None:
        if self.status is not None:
            self.status.update(Text(visible(" | ".join(self.running.values()))[:160]))
        elif event.kind == "progress" and event.done:
            tenth = int(event.done * 10)
            if self.shown.get(event.stage) != tenth:  # in a log every tenth is enough
                self.shown[event.stage] = tenth
                self._line(f"    {self._name(event)}: {event.done:4.0%} {event.message}")

    def _line(self, text: str) -> None:
        self.console.print(text, markup=False)
        sys.stderr.flush()
