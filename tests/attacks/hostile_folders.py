"""Folders of strangers: whatever is in them, nothing outside changes, is read or is called."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb

from attacks import address_tricks, file_tricks, store_tricks
from attacks.commands import run_command
from attacks.stranger import ROWS, Stranger
from attacks.tally import Tally
from attacks.time_limit import limited
from attacks.user_home import (
    ENVIRONMENT,
    SECRET,
    Listener,
    contents,
    found_secret,
    listening,
    write_home,
)

TRICKS: tuple[Callable[[Stranger], None], ...] = (
    *(store_tricks.view, store_tricks.view, store_tricks.macro, store_tricks.foreign_rows),
    *(address_tricks.connection_file, address_tricks.repository, address_tricks.own_paths),
    *(address_tricks.server, address_tricks.store_name, file_tricks.links, file_tricks.links),
    *(file_tricks.linked_rows, file_tricks.odd_names, file_tricks.manifest),
    *(file_tricks.case_name, file_tricks.export_path),
)
VERBS: tuple[tuple[str, ...], ...] = (
    *(("check",), ("check", "--data"), ("plan",), ("show",), ("stats",), ("compile",)),
    *(("score",), ("score", "--output", "scores.csv"), ("lineage",), ("explain",), ("clean",)),
    *(("export", "--to", "script"), ("export", "--to", "dbt"), ("run", "--full")),
    *(("run", "--target", "t"), ("lineage", "--output", "l.jsonl"), ("test",)),
)


def attack(count: int, seed: int) -> Tally:
    """Makes `count` folders with one or two tricks each, and runs commands in them."""
    tally, rng = Tally(), random.Random(seed)
    with (
        tempfile.TemporaryDirectory(prefix="miningflow-attack-") as name,
        listening() as listener,
        patch.dict(os.environ, {**ENVIRONMENT, "HOME": f"{name}/home"}),
    ):
        whole = Path(name) / "whole"
        write_home(whole)
        expected = _honest(Path(name) / "honest", listener)
        for number in range(count):
            home = Path(name) / "home"
            shutil.copytree(whole, home)
            _attack_one(home, expected, random.Random(rng.random()), (number, listener), tally)
            shutil.rmtree(home)
    return tally


def _honest(home: Path, listener: Listener) -> Any:
    """Returns the results of the case without a trick."""
    stranger = _stranger(home, random.Random(0), listener)
    stranger.write()
    ended = run_command(stranger.folder, "run", "case.yml")
    assert ended.code == 0, ended
    return _published(stranger.folder)


def _stranger(home: Path, rng: random.Random, listener: Listener) -> Stranger:
    folder = home / "stranger"
    folder.mkdir(parents=True)
    (folder / "rows.csv").write_text(ROWS)
    (folder / "x").mkdir()
    return Stranger(folder, rng, listener.port)


def _attack_one(
    home: Path, expected: Any, rng: random.Random, numbered: tuple[int, Listener], tally: Tally
) -> None:
    number, listener = numbered
    stranger = _stranger(home, rng, listener)
    for trick in rng.sample(TRICKS, rng.choice((1, 1, 2))):
        trick(stranger)
    stranger.write()
    said = f"folder {number}: {'; '.join(stranger.done)}"
    tally.add("hostile folders")
    before = contents(home, stranger.folder)
    case = rng.choice(("case.yml", str(stranger.folder / "case.yml")))
    for words in [*rng.sample(VERBS, 2), ("run",), *rng.sample(VERBS, 2)]:
        with limited(60):
            ended = run_command(stranger.folder, words[0], case, *words[1:])
        tally.add("commands")
        tally.add(f"exit code {ended.code}")
        where = f"{' '.join(words)}: {said}"
        if ended.bug:
            tally.breaks("traceback", f"{ended.bug}: {where}")
        after = contents(home, stranger.folder)
        if after != before:
            changed = sorted(k for k in {*before, *after} if before.get(k) != after.get(k))
            tally.breaks("something outside changed", f"{changed}: {where}")
            before = after
        if SECRET in ended.out + ended.err:
            tally.breaks("a secret was printed", where)
        if found := found_secret(stranger.folder):
            tally.breaks("a secret was copied", f"{found}: {where}")
        if listener.calls:
            tally.breaks("a server was called", f"{listener.calls.pop()!r}: {where}")
        if words[0] == "run" and ended.code == 0:
            tally.add("runs that succeeded")
            _look(stranger, expected, where, tally)


def _look(stranger: Stranger, expected: Any, where: str, tally: Tally) -> None:
    """Looks into the results of a run that succeeded."""
    found = _published(stranger.folder)
    if SECRET in repr(found):
        tally.breaks("a secret in the results", where)
    if stranger.honest and found is not None and found != expected:
        tally.breaks("other results than those of the honest case", where)


def _published(folder: Path) -> Any:
    """Reads the rows of a step past MiningFlow, if they are in the usual store."""
    store = folder / "s.duckdb"
    if store.is_symlink() or not store.exists():
        return None
    with suppress(duckdb.Error), duckdb.connect(str(store), read_only=True) as connection:
        sql = 'SELECT id, age, "left", risk FROM small_results.judged ORDER BY id'
        return connection.execute(sql).fetchall()
    return None
