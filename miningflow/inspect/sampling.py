"""A sample of the rows of a table, kept for several questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from miningflow.engines.engine import Engine, Session
from miningflow.errors import EngineError
from miningflow.inspect.looked import EXACT_ROWS, Looked, portions

SAMPLE_ROWS = 50_000
SAMPLE_VALUES = 2_000_000
WIDE = 200


def sample_of(
    session: Session, engine: Engine, relation: str, columns: Sequence[str], rows: int, number: int
) -> str:
    """Returns what stands behind FROM for some rows of a table."""
    most = max(1000, min(SAMPLE_ROWS, SAMPLE_VALUES // max(1, len(columns))))
    if not engine.dialect.startswith("duckdb"):
        return f"(SELECT * FROM {relation} LIMIT {most}) sampled"
    name = session.quoted(f"sample {number}")
    if rows > EXACT_ROWS:
        try:
            _by_number(session, relation, columns, rows, most, name)
            return name
        except EngineError:  # a view has no numbers of rows
            pass
    drawn = f"SELECT * FROM {relation} USING SAMPLE reservoir({most} ROWS) REPEATABLE (1)"
    session.frugal(lambda: session.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {drawn}"))
    return name


@contextmanager
def narrow_sample(looked: Looked, columns: Sequence[str], width: int) -> Iterator[str]:
    """Yields what stands behind FROM for some columns of a sample.

    DuckDB goes through all columns of a table for each query, so that a query for each column of a
    wide table takes time with the square of their number.
    """
    if width <= WIDE or not looked.dialect.startswith("duckdb"):
        yield looked.sample
        return
    session = looked.session
    name = session.quoted("columns of a sample")
    listed = ", ".join(session.quoted(column) for column in columns)
    _keep(session, name, f"SELECT {listed} FROM {looked.sample}")
    try:
        yield name
    finally:
        session.execute(f"DROP TABLE {name}")


def _by_number(
    session: Session, relation: str, columns: Sequence[str], rows: int, most: int, name: str
) -> None:
    """Draws the same rows of a few columns at a time, by a hash of their numbers.

    All columns at once would need memory for a piece of each.
    """
    numbered, row = relation, "rowid"
    if relation.startswith("read_parquet(") and relation.endswith(")"):
        numbered, row = f"{relation[:-1]}, file_row_number = true)", "file_row_number"
    step = -(-rows // most)
    parts: list[str] = []
    for some in portions(columns, rows):
        part = f"{name[:-1]} part {len(parts)}{name[-1]}"
        listed = ", ".join(session.quoted(column) for column in some)
        drawn = f"SELECT {listed} FROM {numbered} WHERE hash({row}) % {step} = 0"
        _keep(session, part, drawn)
        parts.append(part)
    _keep(session, name, f"SELECT * FROM {' POSITIONAL JOIN '.join(parts)}")
    for part in parts:
        session.execute(f"DROP TABLE {part}")


def _keep(session: Session, name: str, query: str) -> None:
    session.frugal(lambda: session.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}"))
