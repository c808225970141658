"""Scoring many rows on each engine: `python -m benchmarks.scale [ROWS] [ENGINE …]`.

A case fills eight numbers, joins two of them, and scores with a linear machine of five. It learns
on 20,000 rows in DuckDB, and is moved to tables of ROWS rows in DuckDB, PostgreSQL (that of the
test wheel, or MININGFLOW_TEST_POSTGRES) and Spark, where it learns nothing again. What counts is
`score`: to a table of the store, and to a Parquet file, each in a process of its own, whose
greatest memory is told. Spark scores with one executor and with two, each a process with one core.
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
CASE = f"""\
case: scale
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
    kernel: linear
    use_db_svm: never
    output: risk
"""
MASTERS = {
    "spark, 1 executor": "local-cluster[1,1,1024]",
    "spark, 2 executors": "local-cluster[2,1,1024]",
}
ENGINES = ("duckdb", "duckdb, 64 MB", "postgres", *MASTERS)


def main() -> None:
    """Prints seconds and memory for each engine; exits with 1 if the memory is over its bar."""
    words = sys.argv[1:]
    rows = int(words.pop(0).replace("_", "")) if words and words[0][0].isdigit() else ROWS
    engines = [e for e in ENGINES if not words or any(e.startswith(w) for w in words)]
    with tempfile.TemporaryDirectory(prefix="miningflow-scale-") as name, _postgres() as server:
        folder = Path(name)
        _learn(folder)
        told = [_scored(folder, engine, rows, server) for engine in engines]
    print(f"{rows:,} rows")
    for line in told:
        print(json.dumps(line, ensure_ascii=False))
    most = max(line[what]["megabytes"] for line in told for what in ("table", "file")
               if line["engine"] != "duckdb")  # fmt: skip
    if most > BAR:
        sys.exit(f"{most} MB is over the bar of {BAR}")


@contextlib.contextmanager
def _postgres() -> Iterator[str]:
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from postgres_server import running

    with running() as address:
        yield address


def _values(row: str, div: str, label: str) -> str:
    """Gives the columns of a row by arithmetic that all engines have."""
    numbers = [
        f"CASE WHEN ({row} * {p}) % 97 > 2 THEN ({row} * {p}) % 10007 / {div} END AS {n}"
        for n, p in zip(NUMBERS, PRIMES, strict=True)
    ]
    region = f"CASE {row} % 4 WHEN 0 THEN 'north' WHEN 1 THEN 'south' ELSE 'west' END AS region"
    lapsed = f"({row} * 7919) % 10007 + ({row} * 104729) % 10007 > 10007"
    return f"{row} AS id, {', '.join(numbers)}, {region}, CASE WHEN {lapsed} THEN 'yes' ELSE 'no' END AS {label}"


def _learn(folder: Path) -> None:
    (folder / "case.yml").write_text(CASE, encoding="utf-8")
    _connect(folder, "small", "duckdb:///small.duckdb")
    with duckdb.connect(str(folder / "small.duckdb")) as store:
        made = _values("i", "10007e0", "lapsed")
        store.execute(f"CREATE TABLE customers AS SELECT {made} FROM range({LEARNED}) t(i)")
    _miningflow(folder, "run", "case.yml", "--connect", "small.yml")


def _scored(folder: Path, engine: str, rows: int, server: str) -> dict[str, Any]:
    """Moves the case to an engine with many rows, and scores them there."""
    name = engine.replace(", ", "_").replace(" ", "_")
    store = _filled(folder, engine, name, rows, server)
    repository = f"sqlite:///{name}.db" if engine in MASTERS else ""
    _connect(folder, name, store, repository)
    move = ("move", "case.yml", "--from", "small.yml", "--to", f"{name}.yml", "--keep-rows")
    told: dict[str, Any] = {"engine": engine, "moved": _miningflow(folder, *move)}
    for what, output in (("table", f"scores_{name}"), ("file", f"{name}.parquet")):
        words = ("score", "case.yml", "--connect", f"{name}.yml", "--output", output)
        told[what] = _miningflow(folder, *words)
    return told


def _filled(folder: Path, engine: str, name: str, rows: int, server: str) -> str:
    """Makes the table of an engine, by the engine itself; gives the address of the store."""
    if engine.startswith("duckdb"):
        with duckdb.connect(str(folder / f"{name}.duckdb")) as store:
            made = _values("i", "10007e0", "lapsed")
            store.execute(f"CREATE TABLE customers AS SELECT {made} FROM range({rows}) t(i)")
        return f"duckdb:///{name}.duckdb" + ("?memory_limit=64MB" if "64" in engine else "")
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
        target.parent.mkdir(parents=True)
        writer.execute(
            f"COPY (SELECT {made} FROM range({rows}) t(i)) TO '{target}' "
            "(FORMAT parquet, PER_THREAD_OUTPUT true)"
        )
    return f"{MASTERS[engine]}?warehouse=warehouse_{name}"


def _connect(folder: Path, name: str, store: str, repository: str = "") -> None:
    lines = [f"store: '{store}'", *([f"repository: {repository}"] if repository else [])]
    lines.append("concepts: {Customer: {table: customers}}")
    (folder / f"{name}.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _miningflow(folder: Path, *words: str) -> dict[str, Any]:
    """Runs a command in a process of its own; tells seconds, and the most memory that it took."""
    program = (
        # what getrusage tells begins with the memory of the process that started this one
        "import re, sys\nfrom pathlib import Path\nfrom miningflow.cli.main import app\n"
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
