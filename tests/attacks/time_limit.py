"""A limit for the time that a command in this process may take."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


class TooLong(Exception):
    """A command was not answered in time."""


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raises an error in what runs inside as soon as the time is over."""

    def ring(number: int, frame: object) -> None:
        raise TooLong(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
