"""Repeats the papers' experiments and prints paper and ours side by side.

`python -m benchmarks.papers --quick` takes some minutes, `--full` some hours; `--write` makes the
pages of docs/papers from what was measured. Names choose experiments:
`python -m benchmarks.papers --quick alignment normals`.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable

from benchmarks.papers.page import Page
from miningflow.learn.threads import single_blas_thread

EXPERIMENTS = ("xi_alpha", "alignment", "normals", "margin_bound", "geometry")


def main() -> None:
    """Runs the chosen experiments one after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--quick", action="store_true", help="few runs and small sizes")
    size.add_argument("--full", action="store_true", help="the paper's sizes where they fit")
    parser.add_argument("--write", action="store_true", help="write the pages into docs/papers")
    parser.add_argument("experiments", nargs="*", choices=[*EXPERIMENTS, []], metavar="NAME")
    given = parser.parse_args()
    for name in given.experiments or EXPERIMENTS:
        experiment: Callable[[bool], Page | None] = importlib.import_module(
            f"benchmarks.papers.{name}"
        ).experiment
        start = time.perf_counter()
        with single_blas_thread():
            page = experiment(given.full)
        if page is None:
            continue
        page.say(
            f"Measured by `python -m benchmarks.papers {'--full' if given.full else '--quick'} "
            f"{name}` in {(time.perf_counter() - start) / 60:.1f} minutes."
        )
        if given.write:
            print(f"wrote {page.write()}\n")


if __name__ == "__main__":
    main()
