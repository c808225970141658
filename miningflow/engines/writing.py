"""Writing rows that a server streams to a file, through DuckDB in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from miningflow.engines.duckdb import DuckDBEngine

# With several threads DuckDB would hold many pieces of the file at once.
_FLAT = {"memory_limit": "64MB", "threads": "1"}


def written(batches: Iterator[pa.RecordBatch], schema: pa.Schema, path: Path) -> int:
    """Writes rows to a Parquet or CSV file of the form that a DuckDB store gives it."""
    failed: list[BaseException] = []

    def told() -> Iterator[pa.RecordBatch]:
        try:
            yield from batches
        except BaseException as error:
            failed.append(error)  # DuckDB would hide it in one of its own
            raise

    rows = pa.RecordBatchReader.from_batches(schema, told())
    engine = DuckDBEngine(None, settings=_FLAT)
    try:
        with engine.session() as session:
            session.register("rows", rows)
            return session.write("SELECT * FROM rows", path)
    except Exception:
        if failed:
            raise failed[0] from None
        raise
    finally:
        engine.close()
