"""Stopping what other threads run in a database, until they have ended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stopping(stop: Callable[[], None], pause: float) -> Iterator[None]:
    """Calls a function again and again while somebody waits for others to end.

    A database forgets an interrupt that comes between two statements. It is called no more once
    this ends, so that the next statement is safe.
    """
    ended = threading.Event()

    def repeat() -> None:
        while not ended.is_set():
            stop()
            ended.wait(pause)

    thread = threading.Thread(target=repeat, name="interrupt", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
