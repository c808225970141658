"""What the driver raises if a statement was interrupted, as Python knows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb


@contextmanager
def heeding_interrupts() -> Iterator[None]:
    """Turns an interrupted statement into KeyboardInterrupt."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:  # if ^C comes while the driver runs a query
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from None
