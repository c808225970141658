"""Progress in a notebook: one display that is updated in place, and says at last what happened.

IPython is never imported: if it is not loaded, nobody is looking at a notebook.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from importlib import import_module
from typing import Any

from miningflow.html import Element, element
from miningflow.run.events import Event, Listener, silent
from miningflow.visible_text import visible

# Seconds between updates: a notebook draws no faster, and keeps every message it was sent.
UPDATED_EVERY = 0.1
STAGES_SHOWN = 8
LONGEST_MESSAGE = 160

Bundle = dict[str, str]


@contextmanager
def listening(
    doing: str, listener: Listener | None, total: int | None = None
) -> Iterator[Listener]:
    """Returns the listener that was given, otherwise one that shows progress if in a notebook.

    `total` is how many stages there are, if that is known.
    """
    if listener is not None:
        yield listener
        return
    display = _display()
    if display is None:
        yield silent
        return
    progress = _Progress(doing, total, display)
    try:
        yield progress.hear
    except KeyboardInterrupt:
        progress.end("interrupted")
        raise
    except BaseException:
        progress.end("failed")
        raise
    progress.end("done")


def _display() -> Callable[..., Any] | None:
    """Returns IPython's function `display` in a kernel, otherwise nothing."""
    loaded = sys.modules.get("IPython")
    shell = loaded.get_ipython() if loaded is not None and hasattr(loaded, "get_ipython") else None
    if getattr(shell, "kernel", None) is None:
        return None
    display: Callable[..., Any] = import_module("IPython.display").display
    return display


class _Progress:
    """What is running and how far it is, as a display that is updated."""

    def __init__(self, doing: str, total: int | None, display: Callable[..., Any]) -> None:
        self.doing = doing
        self.total = total
        self.finished = 0
        self.running: dict[str, Event] = {}
        self.saying = ""
        self.failed = ""
        self.ended = False
        self.began = self.updated = time.monotonic()
        self.lock = threading.Lock()
        # Stages run in threads, and a kernel knows by the context which cell output belongs to.
        self.context = copy_context()
        self.handle = display(self._bundle("starting"), raw=True, display_id=True)

    def hear(self, event: Event) -> None:
        """Takes notice of an event, and updates the display if it is time."""
        with self.lock:
            self._take(event)
            now = time.monotonic()
            if not self.ended and now - self.updated >= UPDATED_EVERY:
                self.updated = now
                self._update(self._bundle())

    def end(self, how: str) -> None:
        """Replaces the bars by a line that says how it ended."""
        with self.lock:
            self.ended = True
            self.running = {}
            at = f" at {self.failed}" if self.failed and how == "failed" else ""
            self._update(self._bundle(f"{how}{at}, {time.monotonic() - self.began:.1f} s"))

    def _take(self, event: Event) -> None:
        if event.kind in ("started", "progress"):
            self.running[event.stage] = event
        elif event.kind in ("finished", "reused", "failed", "compared"):
            self.running.pop(event.stage, None)
            self.finished += event.kind in ("finished", "reused")
            self.failed = event.stage if event.kind == "failed" else self.failed
        elif event.kind in ("testing", "publishing"):
            self.saying = event.kind

    def _update(self, bundle: Bundle) -> None:
        # one context cannot be entered by two threads
        self.context.copy().run(self.handle.update, bundle, raw=True)

    def _bundle(self, said: str = "") -> Bundle:
        said = said or self.saying
        if self.finished or self.running:
            count = f"{self.finished:,} of {self.total:,}" if self.total else f"{self.finished:,}"
            said = f"{count} stages {said}".rstrip()
        line = visible(f"{self.doing}: {said}")
        parts = [element("div", None, *self._bar(self.finished, self.total), line)]
        parts += [_running(event) for event in list(self.running.values())[:STAGES_SHOWN]]
        if len(self.running) > STAGES_SHOWN:
            more = f"… {len(self.running) - STAGES_SHOWN:,} more"
            parts.append(element("div", None, more))
        return {"text/html": str(element("div", None, *parts)), "text/plain": line}

    def _bar(self, done: float, whole: float | None) -> list[Element]:
        return [] if self.ended or not whole else [_bar(done / whole)]


def _running(event: Event) -> Element:
    share = f" {event.done:.0%}" if event.done else ""
    said = f" {event.stage}{share} {event.message}"
    return element("div", None, _bar(event.done or None), said[:LONGEST_MESSAGE])


def _bar(share: float | None) -> Element:
    """Returns a bar; without a share, one that only shows that something happens."""
    return element("progress", None if share is None else {"value": f"{share:.3f}", "max": "1"})
