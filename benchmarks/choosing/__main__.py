"""Compares feature selectors on real data.

`python -m benchmarks.choosing --quick` takes a few data sets and 2 seeds, `--full` all of them and
5 seeds; `--saved` measures nothing and takes what the last full run left in target/. With `--write`
the tables go to docs/choosing_a_selector.md, otherwise they are printed. Run it with
OMP_NUM_THREADS=1. Boruta takes part if it is installed: pip install Boruta.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from benchmarks.choosing.counts import measure_counts
from benchmarks.choosing.measure import measure
from benchmarks.choosing.page import PAGE, measured, write_page
from benchmarks.choosing.problems import problems
from benchmarks.choosing.results import Facts, Results
from benchmarks.choosing.selectors import BORUTA, selectors

TARGET = Path(__file__).resolve().parents[2] / "target" / "choosing"


def main() -> None:
    """Measures, or reads what was measured, and shows it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.choosing", description=__doc__)
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--quick", action="store_true", help="a few data sets, 2 seeds")
    size.add_argument("--full", action="store_true", help="all data sets, 5 seeds")
    size.add_argument("--saved", action="store_true", help="the last full run, from target/")
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    options = parser.parse_args()
    if options.quick and options.write:
        parser.error("a quick run is too little to write a page from")
    results = Results.load(TARGET / "full.json") if options.saved else _measured(options.quick)
    if options.write:
        write_page(results)
        print(f"written to {PAGE}")
    else:
        print(measured(results))


def _measured(quick: bool) -> Results:
    if find_spec("boruta") is None:
        print(f"{BORUTA} skipped: pip install Boruta")
    results = Results(seeds=2, limit=5) if quick else Results(seeds=5, limit=8)
    path = TARGET / ("quick.json" if quick else "full.json")
    start = time.perf_counter()
    for problem in problems(quick):
        print(f"{time.perf_counter() - start:5.0f} s {problem.name} ", end="", file=sys.stderr)
        seeds = range(results.seeds)
        results.problems.append(Facts.of(problem))
        results.runs += measure(problem, selectors(), seeds, results.limit)
        if not quick:
            results.counts += measure_counts(problem, seeds, results.limit)
        results.save(path)
        print(file=sys.stderr)
    print(f"{time.perf_counter() - start:5.0f} s", file=sys.stderr)
    return results


if __name__ == "__main__":
    main()
