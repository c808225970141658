"""Runs an attack: `python -m attacks PART --count N --seed S`, or all of them."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from importlib import import_module

from attacks.tally import Tally

PARTS = {
    "mutated-cases": 20_000,
    "expressions": 200_000,
    "hostile-folders": 500,
    "altered-stores": 1_000,
    "interrupts": 100,
    "kills": 200,
    "many-processes": 150,
    "stopped-postgres": 40,
}
"""Each part, and how often it is repeated by `make attack`."""


def main() -> int:
    """Runs the parts that are asked for, and returns 1 if one broke a promise."""
    parser = argparse.ArgumentParser(prog="python -m attacks")
    parser.add_argument("part", choices=[*PARTS, "all"])
    parser.add_argument("--count", type=int, help="how often; by default as `make attack` does")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    broken = False
    for part in PARTS if given.part == "all" else [given.part]:
        start = time.perf_counter()
        count = PARTS[part] if given.count is None else given.count
        tally = attack_of(part)(count, given.seed)
        seconds = time.perf_counter() - start
        said = f"{part}, count {count}, seed {given.seed}: {seconds:.0f} s\n{tally}\n"
        sys.stdout.write(said)
        sys.stdout.flush()
        broken |= bool(tally.broken)
    return int(broken)


def attack_of(part: str) -> Callable[[int, int], Tally]:
    """Returns the function that carries out a part."""
    found: Callable[[int, int], Tally] = import_module(f"attacks.{part.replace('-', '_')}").attack
    return found


if __name__ == "__main__":
    sys.exit(main())
