"""^C at random moments of a run: always exit code 130 and one line, and nothing is lost."""

from __future__ import annotations

import random
import signal
import subprocess
import tempfile
import textwrap
import time
from pathlib import Path

from support import example_data
from support.command_line import started
from support.stores import HELD_OUT, TWO_FILES, leftovers, results

from attacks.altered_stores import STEPS, STORE
from attacks.commands import run_command
from attacks.tally import Tally


def attack(count: int, seed: int) -> Tally:
    """Interrupts a run `count` times, and runs it to its end afterwards."""
    tally, rng = Tally(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="miningflow-attack-") as name:
        folder = Path(name)
        example_data.write(folder, example_data.tables())
        steps = textwrap.indent(STEPS.strip("\n"), "  ")
        case = f"case: example\nscoring: judged\n{HELD_OUT}\nsteps:\n{steps}\n{TWO_FILES}"
        (folder / "case.yml").write_text(case, encoding="utf-8")
        start = time.monotonic()
        process = started(folder, "run", "case.yml")
        process.communicate()
        longest = time.monotonic() - start
        expected = results(folder / STORE)
        for number in range(count):
            _interrupt(folder, rng.uniform(0.1, longest), number, tally)
            if results(folder / STORE) != expected:
                tally.breaks("results are neither old nor new", f"interrupt {number}")
            if run_command(folder, "run", "case.yml").code != 0:
                tally.breaks("the next run failed", f"interrupt {number}")
            if results(folder / STORE) != expected or leftovers(folder / STORE):
                tally.breaks("other results, or something left over", f"interrupt {number}")
            if list(folder.rglob("*.part*")):
                tally.breaks("a part of an export is left", f"interrupt {number}")
    return tally


def _interrupt(folder: Path, delay: float, number: int, tally: Tally) -> None:
    process = started(folder, "run", "case.yml", "--full")
    try:
        process.wait(delay)
        tally.add("ended before the interrupt")
        process.communicate()
        return
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    tally.add(f"exit code {process.returncode}")
    if process.returncode == 0 and "Traceback" not in err:  # it came while the process was ending
        return
    last = err.strip().splitlines()[-1:]
    if process.returncode != 130 or "Traceback" in err or not last[0].startswith("interrupted"):
        tally.breaks("no exit code 130 and one line", f"interrupt {number}: {err[-300:]}")
