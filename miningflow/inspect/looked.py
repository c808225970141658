"""A table that statistics are asked of, and how many of its columns at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from miningflow.engines.engine import Session

T = TypeVar("T")

EXACT_ROWS = 200_000
"""With more rows, distinct values are estimated."""
AT_ONCE = 40
AT_ONCE_OF_MANY_ROWS = 10
"""Parquet is read column by column, and each column that is read needs memory of its own."""


@dataclass(frozen=True)
class Looked:
    """A table that statistics are asked of."""

    session: Session
    relation: str
    sample: str
    is_text: bool
    dialect: str
    approximates: bool

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Runs a query in little memory, and fetches its rows."""
        return self.session.frugal(lambda: self.session.rows(sql))


def portions(items: Sequence[T], rows: int) -> Iterator[Sequence[T]]:
    """Divides columns into those that are read at once."""
    size = AT_ONCE if rows <= EXACT_ROWS else AT_ONCE_OF_MANY_ROWS
    for start in range(0, len(items), size):
        yield items[start : start + size]
