"""Eight processes on one store at once: no result is lost or mixed, and each ends as expected."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any

from support.command_line import started
from support.stores import leftovers, results

from attacks.commands import run_command
from attacks.killed_case import STORE, VERSIONS, exported, unfinished, write, write_rows
from attacks.tally import Tally

AT_ONCE = 8
SECONDS = 600
WORDS: tuple[tuple[str, ...], ...] = (
    *(("run",), ("run",), ("run", "--full"), ("score",), ("score", "--output", "scores.csv")),
    *(("clean",), ("show",), ("plan",), ("stats", "Customer"), ("explain",), ("lineage",)),
    *(("export", "--to", "script"), ("compile", "--score")),
)
EXPECTED = {
    "another process": "the store is in use",
    "is running": "the case is running",
    "has not run": "nothing was published, since another process cleaned",
    "did not run": "nothing was published, since another process cleaned",
    "run it first": "nothing was published, since another process cleaned",
    "miningflow run": "nothing was published, since another process cleaned",
    "in use": "the store is in use",
}
"""Part of a message with which a command may be refused → what it means."""


def attack(count: int, seed: int) -> Tally:
    """Starts eight commands at once, `count` times."""
    tally, rng = Tally(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="miningflow-attack-") as name:
        folder = Path(name)
        write_rows(folder)
        expected = {years: _built(folder, years) for years in VERSIONS}
        before = VERSIONS[-1]
        for number in range(count):
            after = rng.choice(VERSIONS)
            write(folder, after)
            done = _at_once(folder, rng, f"round {number}", tally)
            allowed = [expected[years][0] for years in (before, after)]
            cleaned = ("clean",) in done
            found = results(folder / STORE)
            if found not in allowed and not (cleaned and not found):
                tally.breaks("neither old nor new results", f"round {number}: {done}")
            ended = run_command(folder, "run", "case.yml")
            if ended.code != 0:
                tally.breaks("the next run failed", f"round {number}: {ended.bug or ended.err}")
            elif (results(folder / STORE), exported(folder)) != expected[after]:
                tally.breaks("the next run has other results", f"round {number}: {done}")
            elif leftovers(folder / STORE) or unfinished(folder):
                left = [*leftovers(folder / STORE), *unfinished(folder)]
                tally.breaks("something is left over", f"round {number}: {left}")
            before = after
    return tally


def _built(folder: Path, years: str) -> tuple[Any, Any]:
    write(folder, years)
    ended = run_command(folder, "run", "case.yml", "--full")
    assert ended.code == 0, ended
    return results(folder / STORE), exported(folder)


def _at_once(folder: Path, rng: random.Random, said: str, tally: Tally) -> list[tuple[str, ...]]:
    """Runs commands at once, and looks how each ended; returns those that succeeded."""
    chosen = [("run",), *rng.choices(WORDS, k=AT_ONCE - 1)]
    waiting = [(*words, "--wait", "300") for words in chosen if words[0] in ("run", "score")]
    if rng.random() < 0.5:
        chosen = [*waiting, *(words for words in chosen if words[0] not in ("run", "score"))]
    rng.shuffle(chosen)
    running = [(words, started(folder, words[0], "case.yml", *words[1:])) for words in chosen]
    succeeded = []
    for words, process in running:
        _, err = process.communicate(timeout=SECONDS)
        tally.add("commands")
        tally.add(f"{words[0]}: exit code {process.returncode}")
        if process.returncode == 0:
            succeeded.append(words)
        elif "Traceback" in err or process.returncode not in (1, 2):
            tally.breaks("traceback or signal", f"{said}: {' '.join(words)}: {err[-400:]}")
        elif process.returncode == 1:
            why = next((meaning for part, meaning in EXPECTED.items() if part in err), "")
            if why:
                tally.add(f"refused: {why}")
            else:
                tally.breaks("an unexpected message", f"{said}: {' '.join(words)}: {err[-400:]}")
    return succeeded
