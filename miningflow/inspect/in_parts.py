"""Questions on many rows that are asked of a part at a time: each part has all rows of a value.

What remembers all values of a column, such as a count of the different ones, then needs little
memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from miningflow.engines.csv_reading import CsvReading
from miningflow.inspect.looked import Looked

ROWS_OF_A_PART = 500_000


def parts(looked: Looked, rows: int, *values: str) -> Iterator[tuple[str, ...]]:
    """Yields for each part the conditions that each of some values is in it.

    `rows` is how many rows there are to remember.
    """
    number = -(-rows // ROWS_OF_A_PART) if looked.dialect.startswith("duckdb") else 1
    if number <= 1:
        yield ("TRUE",) * len(values)
        return
    for i in range(number):
        yield tuple(f"hash({value}) % {number} = {i}" for value in values)


def is_unique(looked: Looked, column: str, rows: int, reading: CsvReading) -> bool:
    """Returns whether every row has a value of its own in a column; ends at the first part with a
    value twice."""
    quoted = looked.session.quoted(column)
    known = reading.known(quoted) if looked.is_text else quoted
    values = 0
    for (mine,) in parts(looked, rows, "v"):
        counted, different = looked.rows(
            f"SELECT count(v), count(DISTINCT v) "
            f"FROM (SELECT {known} AS v FROM {looked.relation}) r WHERE {mine}"
        )[0]
        if counted != different:
            return False
        values += int(counted)
    return values == rows
