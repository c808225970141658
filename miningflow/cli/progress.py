"""Progress of a run: a live line on a terminal, a line per stage elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.status import Status
from rich.text import Text

from miningflow.cli.colour import is_live
from miningflow.cli.reading_details import print_reading, statement_line
from miningflow.cli.rich_output import VisibleConsole
from miningflow.cli.verbosity import is_quiet, is_verbose
from miningflow.cli.wrapping import width_of, wrapped, wrapped_diagnostic
from miningflow.errors import without_repetitions
from miningflow.resolve import BoundCase
from miningflow.run.events import Event, Listener, telling_statements
from miningflow.visible_text import visible

if TYPE_CHECKING:
    from miningflow.project import LoadedCase


@contextmanager
def progress(case: LoadedCase, quiet: bool) -> Iterator[Listener]:
    """Returns a listener that shows what happens on standard error.

    With `quiet`, as for programs, it shows nothing; the option `--quiet` leaves warnings.
    """
    console = VisibleConsole(stderr=True, quiet=quiet)
    for warning in without_repetitions(case.warnings):
        said = wrapped_diagnostic(warning, width_of(sys.stderr))
        console.print(said, style="yellow", soft_wrap=True)
    watcher = _Watcher(console, case.bound)
    if is_verbose() and not quiet:
        print_reading(console, case)
        with telling_statements(watcher.show, ""):
            yield watcher.show
        return
    if quiet or is_quiet() or not is_live(sys.stderr):
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
        self.is_quiet, self.is_verbose = is_quiet(), is_verbose()

    def show(self, event: Event) -> None:
        """Shows one event."""
        if self.is_verbose:
            self._detail(event)
        if event.kind in ("started", "progress"):
            share = f" {event.done:4.0%}" if event.kind == "progress" and event.done else ""
            self.running[event.stage] = f"{self._name(event)}{share} {event.message}".rstrip()
            self._live(event)
            return
        if event.kind == "statement":
            return
        self.running.pop(event.stage, None)
        if event.kind == "finished":
            self._finished(event)
        elif event.kind == "failed":
            self._line(f"  ✗ {self._name(event)}")
        elif event.kind == "note":
            self.running[event.stage] = self._name(event)
            is_warning = event.message.startswith("warning")
            self._line(f"    {self._name(event)}: {event.message}", always=is_warning)
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

    def _detail(self, event: Event) -> None:
        """Prints what only `--verbose` shows: why a stage runs or does not, and its statements."""
        if event.kind == "started":
            self._line(f"  ● {self._name(event)}: {event.message}")
        elif event.kind == "reused":
            rows = f", {event.rows:,} rows" if event.rows is not None else ""
            self._line(f"  – {self._name(event)}: {event.message}, not run{rows}")
        elif event.kind == "compared":
            self._line(f"  compared: {self._name(event)}")
        elif event.kind == "statement":
            self._line(statement_line(self._name(event), event))

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

    def _line(self, text: str, always: bool = False) -> None:
        if always or not self.is_quiet:
            self.console.print(wrapped(text, width_of(sys.stderr)), soft_wrap=True)
            sys.stderr.flush()
