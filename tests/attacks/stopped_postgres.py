"""PostgreSQL stops in the middle of a run: a message, nothing lost, and the next run goes on."""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from support.command_line import started
from support.postgres_server import separate_server, start, stop_at_once
from support.postgres_stores import Database

from attacks.commands import run_command
from attacks.killed_case import VERSIONS, exported, unfinished, write, write_rows
from attacks.tally import Tally

CONNECT = """
connect:
  store: "{url}"
  concepts:
    Customer: {{file: Customer.parquet}}
    Claim: {{file: Claim.parquet}}
"""
RUN = ("run", "case.yml", "--connect", "case.yml")
SECONDS = 600


def attack(count: int, seed: int) -> Tally:
    """Stops the server `count` times while a case runs."""
    tally, rng = Tally(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="miningflow-attack-") as name, separate_server() as own:
        folder, store = Path(name), Database(own.get_uri())
        connect = CONNECT.format(url=store.url)
        write_rows(folder)
        expected = {years: _built(folder, store, years, connect) for years in VERSIONS}
        begin = time.monotonic()
        started(folder, *RUN, "--full").communicate()
        longest = time.monotonic() - begin
        before = VERSIONS[-1]
        for number in range(count):
            after = rng.choice(VERSIONS)
            write(folder, after, connect)
            process = started(folder, *RUN, "--full")
            time.sleep(rng.uniform(0.2, 1.0) * longest)
            stop_at_once(own)
            _ended(process, f"stop {number}", tally)
            start(own)
            if store.results() not in (expected[before][0], expected[after][0]):
                tally.breaks("neither old nor new results", f"stop {number}")
            ended = run_command(folder, *RUN)
            if ended.code != 0:
                tally.breaks("the next run failed", f"stop {number}: {ended.bug or ended.err}")
            elif (store.results(), exported(folder)) != expected[after]:
                tally.breaks("the next run has other results", f"stop {number}")
            elif store.leftovers() or unfinished(folder):
                left = [*store.leftovers(), *unfinished(folder)]
                tally.breaks("something is left over", f"stop {number}: {left}")
            before = after
    return tally


def _built(folder: Path, store: Database, years: str, connect: str) -> tuple[Any, Any]:
    write(folder, years, connect)
    ended = run_command(folder, *RUN, "--full")
    assert ended.code == 0, ended
    return store.results(), exported(folder)


def _ended(process: subprocess.Popen[str], said: str, tally: Tally) -> None:
    """Looks how the run ended that lost its server."""
    try:
        _, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        tally.breaks("the run did not end", said)
        return
    tally.add(f"exit code {process.returncode}")
    if process.returncode not in (0, 1) or "Traceback" in err:
        tally.breaks("no exit code 1 and a message", f"{said}: {err[-500:]}")
    elif process.returncode == 1:
        line = next((each for each in err.splitlines() if "error:" in each), "no message")
        tally.add(f"refused: {line.rpartition('error: ')[2][:50]}")
