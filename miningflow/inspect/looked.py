"""A table that statistics are asked of, and how to ask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from miningflow.engines.csv_reading import CsvReading
from miningflow.engines.engine import Session
from miningflow.inspect.facts import ColumnFacts

T = TypeVar("T")

EXACT_ROWS = 200_000
"""With more rows, distinct values are estimated."""
AT_ONCE = 40
AT_ONCE_OF_MANY_ROWS = 10
"""Parquet is read column by column, and each column that is read needs memory of its own."""
SHARE_FOR_TEXT = 0.5
"""Reading text as numbers takes memory beside the blocks of the table that DuckDB keeps."""


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
        share = SHARE_FOR_TEXT if self.is_text else 1.0
        return self.session.frugal(lambda: self.session.rows(sql), share)


def value_of(looked: Looked, facts: ColumnFacts, reading: CsvReading) -> str:
    """Returns the expression of a column's values: a number, a time, or what is there."""
    column = looked.session.quoted(facts.name)
    known = reading.known(column) if looked.is_text else column
    if facts.kind == "number":
        if looked.is_text:
            return reading.number(known)
        return looked.session.typed(facts.name, facts.sql_type, "numeric")
    if facts.kind == "time" and looked.is_text:
        return reading.time(known)
    return known


def same_values(looked: Looked, first: str, second: str) -> bool:
    """Returns whether two columns have the same value in every row."""
    a, b = looked.session.quoted(first), looked.session.quoted(second)
    found = looked.rows(f"SELECT count(*) FROM {looked.relation} WHERE {a} IS DISTINCT FROM {b}")
    return int(found[0][0]) == 0


def portions(items: Sequence[T], rows: int) -> Iterator[Sequence[T]]:
    """Divides columns into those that are read at once."""
    size = AT_ONCE if rows <= EXACT_ROWS else AT_ONCE_OF_MANY_ROWS
    for start in range(0, len(items), size):
        yield items[start : start + size]
