"""Scoring many rows on each engine: `python -m benchmarks.scale [ROWS] [ENGINE …]`.

A case fills eight numbers, joins two of them, and scores with a machine of five: a linear one, and
a radial one for a fiftieth of the rows, which is more work for each. It learns on 20,000 rows in
DuckDB, and is moved to tables of ROWS rows in DuckDB, PostgreSQL (that of the test wheel, or
MININGFLOW_TEST_POSTGRES) and Spark, where it learns nothing again. What counts is `score`: to a
table of the store, and to a Parquet file, each in a separate process, whose peak memory is
told. Spark scores with one executor and with two, each a process with one core. Three rounds, one
engine after the other: seconds are the best of them, memory is the most.
"""

# ruff: noqa: E501 - a step a line reads better than a folded one

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

ROWS = 10_000_000
LEARNED = 20_000
BAR = 300
"""Megabytes that the process of MiningFlow may take, whatever the number of rows."""
PRIMES = (7919, 104729, 1299709, 15485863, 32452843, 49979687, 67867967, 86028121)
NUMBERS = [f"n{i}" for i in range(len(PRIMES))]
MACHINES = {"linear": 1, "radial": 50}
"""Kernel → what part of the rows it scores."""
CASE = f"""\
case: scale_KERNEL
concepts:
  Customer:
    key: id
    features: {{id: key, {", ".join(f"{n}: numeric" for n in NUMBERS)}, region: nominal, lapsed: binary}}
steps:
  filled: {{operator: AssignAverageValue, input: Customer, for_each: {{target: [{", ".join(NUMBERS)}]}}}}
  wealth: {{operator: GenericFeatureConstruction, input: filled, sql: n0 * 2 + n1, output: wealth}}
  judged:
    operator: SupportVectorMachineForClassification
    input: wealth
    target: lapsed
    positive: 'yes'
    predictors: [n0, n1, n2, n3, wealth]
    kernel: KERNEL
    sample_size: 2000
    use_db_svm: never
    output: risk
"""
MASTERS = {
    "spark, 1 executor": "local-cluster[1,1,1024]",
    "spark, 2 executors": "local-cluster[2,1,1024]",
}
ENGINES = ("duckdb", "postgres", *MASTERS)
ROUNDS = 3
FILES = 8


def main() -> None:
    """Prints seconds and memory for each engine; exits with 1 if the memory is over its bar."""
    words = sys.argv[1:]
    rows = int(words.pop(0).replace("_", "")) if words and words[0][0].isdigit() else ROWS
    engines = [e for e in ENGINES if not words or any(e.startswith(w) for w in words)]
    with tempfile.TemporaryDirectory(prefix="miningflow-scale-") as name, _postgres() as server:
        folder = Path(name)
        most = max(
            _measured(folder, k, rows // part, engines, server) for k, part in MACHINES.items()
        )
    if most > BAR:
        sys.exit(f"{most} MB is over the bar of {BAR}")


def _measured(folder: Path, kernel: str, rows: int, engines: list[str], server: str) -> int:
    """Prints a line for each engine; gives the most memory."""
    print(f"{rows:,} rows, {kernel} machine", flush=True)
    _learn(folder, kernel)
    moved = {engine: _moved(folder, kernel, engine, rows, server) for engine in engines}
    told: dict[str, list[dict[str, Any]]] = {engine: [] for engine in engines}
    for number in range(ROUNDS):
        for engine in engines:
            told[engine].append(_scored(folder, kernel, engine, number))
    for engine, rounds in told.items():
        line = {"engine": engine, "moved": moved[engine]}
        for what in ("table", "file"):
            line[what] = {
                "seconds": min(r[what]["seconds"] for r in rounds),
                "megabytes": max(r[what]["megabytes"] for r in rounds),
            }
        print(json.dumps(line, ensure_ascii=False), flush=True)
    return max(int(r[what]["megabytes"]) for rounds in told.values() for r in rounds for what in r)


@contextlib.contextmanager
def _postgres() -> Iterator[str]:
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from support.postgres_server import running

    with running() as address:
        yield address


def _values(row: str, div: str, label: str) -> str:
    """Returns the columns of a row by arithmetic that all engines have."""
    numbers = [
        f"CASE WHEN ({row} * {p}) % 97 > 2 THEN ({row} * {p}) % 10007 / {div} END AS {n}"
        for n, p in zip(NUMBERS, PRIMES, strict=True)
    ]
    region = f"CASE {row} % 4 WHEN 0 THEN 'north' WHEN 1 THEN 'south' ELSE 'west' END AS region"
    lapsed = f"({row} * 7919) % 10007 + ({row} * 104729) % 10007 > 10007"
    return f"{row} AS id, {', '.join(numbers)}, {region}, CASE WHEN {lapsed} THEN 'yes' ELSE 'no' END AS {label}"


def _learn(folder: Path, kernel: str) -> None:
    (folder / f"{kernel}.yml").write_text(CASE.replace("KERNEL", kernel), encoding="utf-8")
    _connect(folder, f"small_{kernel}", f"duckdb:///small_{kernel}.duckdb")
    with duckdb.connect(str(folder / f"small_{kernel}.duckdb")) as store:
        made = _values("i", "10007e0", "lapsed")
        store.execute(f"CREATE TABLE customers AS SELECT {made} FROM range({LEARNED}) t(i)")
    _miningflow(folder, "run", f"{kernel}.yml", "--connect", f"small_{kernel}.yml")


def _name(engine: str, kernel: str) -> str:
    return f"{engine}_{kernel}".replace(", ", "_").replace(" ", "_")


def _moved(folder: Path, kernel: str, engine: str, rows: int, server: str) -> dict[str, Any]:
    """Moves the case to an engine with many rows."""
    name = _name(engine, kernel)
    store = _filled(folder, engine, name, rows, server)
    _connect(folder, name, store, f"sqlite:///{name}.db" if engine in MASTERS else "")
    places = ("--from", f"small_{kernel}.yml", "--to", f"{name}.yml")
    return _miningflow(folder, "move", f"{kernel}.yml", *places, "--keep-rows")


def _scored(folder: Path, kernel: str, engine: str, number: int) -> dict[str, Any]:
    name = _name(engine, kernel)
    words = ("score", f"{kernel}.yml", "--connect", f"{name}.yml", "--output")
    outputs = {"table": f"scores_{kernel}_{number}", "file": f"{name}.parquet"}
    return {what: _miningflow(folder, *words, output) for what, output in outputs.items()}


def _filled(folder: Path, engine: str, name: str, rows: int, server: str) -> str:
    """Makes the table of an engine, by the engine itself; gives the address of the store."""
    if engine.startswith("duckdb"):
        with duckdb.connect(str(folder / f"{name}.duckdb")) as store:
            made = _values("i", "10007e0", "lapsed")
            store.execute(f"CREATE TABLE customers AS SELECT {made} FROM range({rows}) t(i)")
        return f"duckdb:///{name}.duckdb"
    if engine == "postgres":
        import psycopg

        made = _values("i", "10007::float8", "lapsed")
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS customers CASCADE")
            connection.execute(
                f"CREATE TABLE customers AS SELECT {made} "
                f"FROM generate_series(0::bigint, {rows} - 1) t(i)".encode()
            )
            connection.execute("VACUUM ANALYZE customers")
        return server
    with duckdb.connect() as writer:  # as many files as executors can share
        made = _values("i", "10007e0", "lapsed")
        target = folder / f"warehouse_{name}" / "customers"
        target.mkdir(parents=True)
        for i in range(FILES):
            some = f"range({rows * i // FILES}, {rows * (i + 1) // FILES}) t(i)"
            writer.execute(
                f"COPY (SELECT {made} FROM {some}) TO '{target}/{i}.parquet' (FORMAT parquet)"
            )
    return f"{MASTERS[engine]}?warehouse=warehouse_{name}"


def _connect(folder: Path, name: str, store: str, repository: str = "") -> None:
    lines = [f"store: '{store}'", *([f"repository: {repository}"] if repository else [])]
    lines.append("concepts: {Customer: {table: customers}}")
    (folder / f"{name}.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _miningflow(folder: Path, *words: str) -> dict[str, Any]:
    """Runs a command in a separate process; returns its seconds and peak memory."""
    program = (
        # what getrusage tells begins with the memory of the process that started this one
        "import re, sys\nfrom pathlib import Path\nfrom miningflow.cli.commands import app\n"
        "try:\n    app(sys.argv[1:])\nfinally:\n"
        "    told = Path('/proc/self/status').read_text()\n"
        "    most = int(re.search(r'VmHWM:\\s+(\\d+)', told)[1])\n"
        "    print('most memory', most // 1024, file=sys.stderr)\n"
    )
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stderr}")
    megabytes = int(done.stderr.rpartition("most memory")[2])
    return {"seconds": round(time.perf_counter() - start, 1), "megabytes": megabytes}


if __name__ == "__main__":
    main()
