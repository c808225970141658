"""Measures scoring: `python -m benchmarks.scoring [--quick] [PART …]`.

Parts are linear, radial, polynomial, pairs, growth and postgres; without names, all of them. Each
way to score is a separate process, which first reads the rows once, so that all find them in
memory. Ways take turns, the best of several times counts, and ratios are within one run. CPU
is that of a process with its threads and children; memory is what a process adds to its peak.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from benchmarks.scoring import kernels, linear, postgres

PARTS: dict[str, Callable[[bool], bool]] = {
    "linear": linear.run,
    "radial": kernels.radial,
    "polynomial": kernels.polynomial,
    "pairs": kernels.pairs,
    "growth": linear.growth,
    "postgres": postgres.run,
}


def main() -> None:
    """Prints the tables of the parts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scoring", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rows and rounds")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    met = [PARTS[part](options.quick) for part in options.parts or PARTS]
    if not all(met):
        sys.exit("a bar was missed")


if __name__ == "__main__":
    main()
