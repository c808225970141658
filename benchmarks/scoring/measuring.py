"""Measuring ways to score in processes of their own, which take turns."""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measured:
    """What a process tells of itself; the total tells whether all ways computed the same."""

    cpu: float
    wall: float
    megabytes: float
    total: float


def measure(score: Callable[[], float]) -> None:
    """Measures in this process, which has warmed up, and tells its parent."""
    before, cpu, wall = _peak(anew=True), _cpu(), time.perf_counter()
    total = score()
    cpu, wall = _cpu() - cpu, time.perf_counter() - wall
    print(json.dumps(asdict(Measured(cpu, wall, _peak() - before, total))))


def in_turns(
    module: str, ways: Sequence[str], folder: Path, rounds: int, alike: Sequence[str] = ()
) -> dict[str, Measured]:
    """Returns the best times and the greatest memory of each way; those alike must agree."""
    found: dict[str, Measured] = {}
    for _ in range(rounds):
        for way in ways:
            command = [sys.executable, "-m", module, way, str(folder)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            now = Measured(**json.loads(done.stdout.splitlines()[-1]))
            best = found.get(way, now)
            found[way] = Measured(
                min(best.cpu, now.cpu),
                min(best.wall, now.wall),
                max(best.megabytes, now.megabytes),
                now.total,
            )
    totals = [found[way].total for way in ways if way in alike]
    for total in totals:
        if not math.isclose(total, totals[0], rel_tol=1e-7, abs_tol=1e-6):
            raise ValueError(f"the ways {', '.join(alike)} computed different totals: {totals}")
    return found


def _cpu() -> float:
    """Returns the seconds of this process, its threads and its children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(times.ru_utime + times.ru_stime for times in used)


def _peak(anew: bool = False) -> float:
    """Returns the greatest memory of this process so far in megabytes; `anew` counts from now on.

    Not by getrusage, which begins with the memory of the process that started this one.
    """
    if anew:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
