"""kill -9 at random moments of a run: old or new results, exports whole or absent, no leftovers."""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from support.command_line import started
from support.stores import leftovers, results

from attacks.commands import run_command
from attacks.killed_case import STORE, VERSIONS, exported, unfinished, write, write_rows
from attacks.tally import Tally


def attack(count: int, seed: int) -> Tally:
    """Kills a run `count` times, and runs it to its end afterwards."""
    tally, rng = Tally(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="miningflow-attack-") as name:
        folder = Path(name)
        write_rows(folder)
        expected = {years: _built(folder, years) for years in VERSIONS}
        shortest, longest = _duration(folder, "check"), _duration(folder, "run", "--full")
        before = VERSIONS[-1]
        for number in range(count):
            after = rng.choice(VERSIONS)
            write(folder, after)
            _kill(folder, _moment(rng, shortest, longest), tally)
            _look(folder, [expected[before], expected[after]], f"kill {number}", tally)
            ended = run_command(folder, "run", "case.yml")
            if ended.code != 0:
                tally.breaks("the next run failed", f"kill {number}: {ended.bug or ended.err}")
                _built(folder, after)
            elif (results(folder / STORE), exported(folder)) != expected[after]:
                tally.breaks("the next run has other results", f"kill {number}")
            elif leftovers(folder / STORE) or unfinished(folder):
                left = [*leftovers(folder / STORE), *unfinished(folder)]
                tally.breaks("something is left over", f"kill {number}: {left}")
            before = after
    return tally


def _built(folder: Path, years: str) -> tuple[Any, Any]:
    write(folder, years)
    ended = run_command(folder, "run", "case.yml", "--full")
    assert ended.code == 0, ended
    return results(folder / STORE), exported(folder)


def _duration(folder: Path, verb: str, *options: str) -> float:
    start = time.monotonic()
    started(folder, verb, "case.yml", *options).communicate()
    return time.monotonic() - start


def _moment(rng: random.Random, shortest: float, longest: float) -> float:
    """Draws after how long to kill: mostly when the store is open already."""
    earliest = 0.0 if rng.random() < 0.05 else 0.7 * shortest
    return rng.uniform(earliest, 1.05 * longest)


def _kill(folder: Path, delay: float, tally: Tally) -> None:
    process = started(folder, "run", "case.yml", "--full")
    try:
        process.wait(delay)
        tally.add("ended before the kill")
    except subprocess.TimeoutExpired:
        process.kill()
        tally.add("killed")
    process.communicate()


def _look(folder: Path, allowed: list[tuple[Any, Any]], said: str, tally: Tally) -> None:
    """Compares what a killed run left with what was there before, and with what it was to make."""
    found = results(folder / STORE)
    states = ["old", "new"]
    fitting = [state for state, (rows, _) in zip(states, allowed, strict=True) if found == rows]
    if not fitting:
        tally.breaks("neither old nor new results", said)
    elif len(fitting) == 1:
        tally.add(f"{fitting[0]} results after a kill")
    try:
        files = exported(folder)
    except Exception as error:
        tally.breaks("an exported file is cut off", f"{said}: {error}")
        return
    for name, rows in files.items():
        if rows not in [exports[name] for _, exports in allowed]:
            tally.breaks("an exported file is neither old nor new", f"{said}: {name}")
