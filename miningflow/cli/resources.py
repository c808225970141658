"""What a command took: time and memory, for `--verbose`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from miningflow.cli.output import echo


@contextmanager
def reporting_resources() -> Iterator[None]:
    """Prints in the end how long a command took and how much memory its process held at most."""
    start = time.perf_counter()
    try:
        yield
    finally:
        seconds = time.perf_counter() - start
        echo(f"took {seconds:.2f} s{_memory()}", err=True)


def _memory() -> str:
    try:
        import resource
    except ImportError:  # Windows
        return ""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = most / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    return f", {megabytes:,.0f} MB of memory at most"
