"""DuckDB 1.5 beside the newer one: a folder that comes first on the path of another process."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

WANTED = "duckdb>=1.5,<1.6"
# Runs a case, and writes all that can be read of it into a folder.
PROGRAM = """
import sys
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

import miningflow
from miningflow.errors import RunError

assert duckdb.__version__.startswith("1.5."), duckdb.__version__
case = miningflow.load(sys.argv[1])
case.run()
concepts = [*case.bound.sources, *case.bound.steps]
for number, concept in enumerate(concepts):
    try:
        table = case.table(concept)
    except RunError:
        continue  # a fused step has nothing to read
    pq.write_table(table, Path(sys.argv[2]) / f"{number}.parquet")
"""


def older_duckdb(config: pytest.Config) -> Path:
    """Returns a folder with a DuckDB 1.5; skips the test if it cannot be installed."""
    folder = config.rootpath / ".pytest_cache" / "duckdb-1.5"
    folder.parent.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        if not (folder / "duckdb").exists():
            words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
            tried = subprocess.run(
                [*words, str(folder), WANTED], capture_output=True, text=True, check=False
            )
            if tried.returncode:
                pytest.skip(f"{WANTED} cannot be installed: {tried.stderr[-500:]}")
    return folder


def ran_on_it(duckdb: Path, case: Path, concepts: list[str], folder: Path) -> dict[str, pa.Table]:
    """Runs a case on DuckDB 1.5, and returns what can be read of it."""
    path = os.pathsep.join([str(duckdb), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(case), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    files = {name: folder / f"{number}.parquet" for number, name in enumerate(concepts)}
    return {name: pq.read_table(file) for name, file in files.items() if file.exists()}
