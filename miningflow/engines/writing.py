"""Writing rows of a server to a file, through DuckDB in this process, in flat memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from miningflow.engines.duckdb.engine import DuckDBEngine
from miningflow.engines.duckdb.session import DuckDBSession
from miningflow.engines.files import files_query

# With several threads DuckDB would hold many pieces of the file at once.
_FLAT = {
    "memory_limit": "48MB",
    "threads": "1",
    "allocator_flush_threshold": "1MB",
    "allocator_bulk_deallocation_flush_threshold": "1MB",
}


def written(batches: Iterator[pa.RecordBatch], schema: pa.Schema, path: Path) -> int:
    """Writes rows to a Parquet or CSV file of the form that a DuckDB store writes."""
    failed: list[BaseException] = []

    def told() -> Iterator[pa.RecordBatch]:
        try:
            yield from batches
        except BaseException as error:
            failed.append(error)  # DuckDB would hide it in another error
            raise

    rows = pa.RecordBatchReader.from_batches(schema, told())
    try:
        with _flat() as session:
            session.register("rows", rows)
            return session.write("SELECT * FROM rows", path)
    except Exception:
        if failed:
            raise failed[0] from None
        raise


def joined(parts: Sequence[Path], path: Path) -> int:
    """Writes the rows of Parquet files to one file, in the order of the files."""
    with _flat() as session:
        return session.write(f"SELECT * FROM {files_query(parts, None)}", path)


@contextmanager
def _flat() -> Iterator[DuckDBSession]:
    engine = DuckDBEngine(None, settings=_FLAT)
    try:
        with engine.session() as session:
            yield session
    finally:
        engine.close()
