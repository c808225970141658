"""Statements that a session runs, for whoever watches: their text, time and rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass
class Statement:
    """A statement that was run, how long it took, and how many rows it returned if it did."""

    sql: str
    seconds: float = 0.0
    rows: int | None = None


Watcher = Callable[[Statement], None]
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Passes each statement that this thread runs to a watcher, once it has ended well."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)


@contextmanager
def watched(sql: str) -> Iterator[Statement]:
    """Measures a statement, if anybody watches; who runs it sets its rows."""
    watcher = _watcher.get()
    statement = Statement(sql)
    if watcher is None:
        yield statement
        return
    start = time.perf_counter()
    yield statement
    statement.seconds = time.perf_counter() - start
    watcher(statement)
