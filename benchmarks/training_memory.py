"""Memory of a process that learns from ten million rows: `python -m benchmarks.training_memory`.

The rows are made by DuckDB in a file, and the store may keep 128 MB of it in memory. What counts is
the greatest memory of the whole process, interpreter and database included.
"""

from __future__ import annotations

import multiprocessing
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

from benchmarks.training import Clock, peak, training_step
from miningflow.engines import open_engine

ROWS = 10_000_000
BAR = 500
TASKS = (("squared hinge", 10), ("hinge", 10), ("regression", 10), ("squared hinge", 40))


def main() -> None:
    """Prints time and memory for each machine; a number of rows may be given."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _alone(_write, folder / "rows.duckdb", rows, max(columns for _, columns in TASKS))
        missed = [task for task in TASKS if _alone(_learn, folder, rows, *task)]
    if missed:
        sys.exit("a bar was missed")


def _alone(work: Callable[..., None], *given: Any) -> int:
    """Works in a separate process and returns its exit code."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=given)
    process.start()
    process.join()
    return process.exitcode or 0


def _learn(folder: Path, rows: int, machine: str, columns: int) -> None:
    engine = open_engine("duckdb:///rows.duckdb?memory_limit=128MB", folder)
    with engine.session() as session:
        training, step = training_step(session, columns, machine)
        clock = Clock()
        step.learn(training)
        told = clock.told(training.notes)
    engine.close()
    most = peak()
    met = "met" if most <= BAR else "MISSED"
    print(f"{machine}, {rows:,} × {columns}: {told['seconds']:.0f} s")
    print(f"  greatest memory {most:.0f} MB, bar {BAR}: {met}")
    print(f"  {training.notes[-1]}", flush=True)
    sys.exit(int(most > BAR))


def _write(store: Path, rows: int, columns: int) -> None:
    numbers = ", ".join(f"random() * 4 - 2 AS x{i}" for i in range(columns))
    side = " + ".join(f"x{i} * {(i % 7 - 3) / 3:.2f}" for i in range(10))
    with duckdb.connect(str(store)) as connection:
        connection.execute("SET memory_limit = '300MB'")
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SELECT setseed(0.5)")
        connection.execute(
            f"CREATE TABLE t AS SELECT *, {side} + (random() - 0.5) * 6 AS size, "
            f"CASE WHEN {side} + (random() - 0.5) * 6 > 0 THEN 'yes' ELSE 'no' END AS label "
            f"FROM (SELECT {numbers} FROM range({rows}))"
        )


if __name__ == "__main__":
    main()
