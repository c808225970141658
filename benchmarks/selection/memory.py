"""The memory of a selection from many rows: two selectors on one table, in a process of their own.

`python -m benchmarks.selection.memory` makes a table of 10 million rows and 100 features in a
temporary folder (2 GB, some minutes) and runs a case on it. `--rows 1000000` is a smaller one.
DuckDB runs inside the process, limited by the connection; what is measured is all of it.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

FEATURES = 100
BAR = 500
CASE = """\
case: big
concepts:
  Person: {{key: id, features: {{id: key, bought: nominal, {features}}}}}
steps:
  by_score:
    operator: FeatureSelectionByScore
    input: Person
    target: bought
    attributes: type:numeric
    score: fisher
    keep: 20
  by_alignment:
    operator: FeatureSelectionByAlignment
    input: Person
    target: bought
    attributes: type:numeric
    keep: 20
connect:
  store: duckdb:///big.duckdb?memory_limit=150MB&threads=1
  concepts: {{Person: {{table: people}}}}
"""


def main() -> None:
    """Makes the table, runs the case and prints its peak."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"making {rows:,} rows of {FEATURES} features", flush=True)
        _make(folder / "big.duckdb", rows)
        features = ", ".join(f"f{i}: numeric" for i in range(FEATURES))
        (folder / "case.yml").write_text(CASE.format(features=features))
        run = [sys.executable, "-m", "miningflow", "run", "case.yml"]
        subprocess.run(run, cwd=folder, check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024  # Linux counts in KiB
    verdict = "met" if peak < BAR else "missed"
    print(f"peak of the process: {peak:.0f} MB, bar {BAR} MB: {verdict}")


def _make(path: Path, rows: int) -> None:
    """Every tenth feature tells a little about who bought."""
    told = [f"0.1 * (i % 2) * ({i} % 10 = 0)::INT" for i in range(FEATURES)]
    columns = ", ".join(f"round(random() + {t}, 3) AS f{i}" for i, t in enumerate(told))
    with duckdb.connect(path, config={"memory_limit": "2GB"}) as connection:
        connection.execute(
            f"CREATE TABLE people AS SELECT i AS id, IF(i % 2 = 0, 'yes', 'no') AS bought, "
            f"{columns} FROM range({rows}) AS t(i)"
        )


if __name__ == "__main__":
    main()
