"""Keeps the garbage collector out of the pure phases."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# The collector does not count what is put into the oldest generation below, so a process that
# checks many cases would keep all of them: one of 12 steps takes 0.6 MB. Half a million blocks are
# about 50 MB; a larger process waits for more, since a collection walks all that it has.
MOST_BLOCKS, LARGEST_SHARE = 500_000, 0.25


@dataclass
class _Collected:
    """How many blocks of memory the process had after the last collection."""

    blocks: int = 0


_COLLECTED = _Collected()


@contextmanager
def gc_paused() -> Iterator[None]:
    """Keeps the collector from walking a growing case again and again.

    What the pure phases make stays; with the collector 2,000 steps took twice as long, and 15
    times as long as 200.
    """
    was_on = gc.isenabled()
    if was_on:
        _collect_what_was_left()
    gc.disable()
    try:
        yield
    finally:
        # What was made goes straight to the oldest generation, without being walked for it.
        gc.freeze()
        gc.unfreeze()
        if was_on:
            gc.enable()


def _collect_what_was_left() -> None:
    """Frees the cases of earlier calls, if memory has grown since they were last freed."""
    before = _COLLECTED.blocks
    if sys.getallocatedblocks() > before + max(MOST_BLOCKS, LARGEST_SHARE * before):
        gc.collect()
        _COLLECTED.blocks = sys.getallocatedblocks()
