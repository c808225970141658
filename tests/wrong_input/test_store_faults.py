"""Stores that fail: corrupt, read-only, in use, on a full disk, or left by ^C. Nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.command_line import accepted, miningflow, refused, rows, started
from support.default_run import first_only

from miningflow.engines.duckdb.engine import DuckDBEngine

MORE = [f"m{i}" for i in range(12)]
CASE = """\
case: small
concepts:
  Thing: {key: id, features: {id: key, x: numeric, MORE, good: binary}}
steps:
  scaled: {operator: LinearScaling, input: Thing, target: x, range: [0, 1], materialize: table}
connect:
  store: duckdb:///store.duckdb
  concepts: {Thing: {file: things.parquet}}
""".replace("MORE", ", ".join(f"{name}: numeric" for name in MORE))
SLOW = """\
  slow:
    operator: FeatureSelectionWithSVM
    input: scaled
    target: good
    positive: 'yes'
    attributes: all
    kernel: radial
    sample_size: 1500
connect:
"""
STORE = "store.duckdb"


def write(folder: Path, count: int = 40) -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=count) for name in ("x", *MORE)}
    good = np.where(columns["x"] + rng.normal(size=count) > 0, "yes", "no")
    table = pa.table({"id": np.arange(count), **columns, "good": good})
    pq.write_table(table, folder / "things.parquet")
    (folder / "case.yml").write_text(CASE)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    write(tmp_path)
    accepted(tmp_path, "run", "case.yml")
    return tmp_path


def scaled(folder: Path) -> list[tuple[Any, ...]]:
    return rows(folder / STORE, "small_results.scaled")


def wait_until_it_learns(folder: Path, process: subprocess.Popen[str]) -> None:
    """Waits for the first writes, then a while for the learner, which needs a minute."""
    deadline = time.monotonic() + 60
    while not (folder / f"{STORE}.wal").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(1.5)
    assert process.poll() is None


def test_a_store_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / STORE).write_text("this is a letter, not a database. " * 100)
    content = (tmp_path / STORE).read_bytes()
    for command in ("run", "plan", "show", "compile", "score", "clean"):
        said = refused(tmp_path, command, "case.yml")
        assert "case.yml:7:10: error: cannot open the store" in said
        assert "is it a DuckDB file" in said
    assert (tmp_path / STORE).read_bytes() == content


def test_a_store_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / STORE).mkdir()
    assert "case.yml:7:10: error: cannot open the store" in refused(tmp_path, "run", "case.yml")


def test_a_corrupt_repository_is_refused(tmp_path: Path) -> None:
    write(tmp_path)
    case = CASE.replace(
        "  concepts: {Thing:", "  repository: sqlite:///repository.db\n  concepts: {Thing:"
    )
    (tmp_path / "case.yml").write_text(case)
    accepted(tmp_path, "run", "case.yml")
    (tmp_path / "repository.db").write_text("garbage " * 1000)
    said = refused(tmp_path, "run", "case.yml")
    assert "case.yml:8:15: error: cannot open the repository" in said


def test_a_file_that_cannot_be_written_is_refused_and_can_still_be_read(built: Path) -> None:
    store = built / STORE
    if subprocess.run(["chattr", "+i", str(store)], capture_output=True, check=False).returncode:
        store.chmod(0o444)
        if os.access(store, os.W_OK):
            store.chmod(0o644)
            pytest.skip("root may write everything, and this file system knows no `chattr +i`")
    try:
        before = scaled(built)
        said = refused(built, "run", "case.yml", "--full")
        assert "case.yml:7:10: error: cannot open the store" in said
        assert "may you write to it?" in said
        accepted(built, "show", "case.yml")
        accepted(built, "plan", "case.yml")
        assert scaled(built) == before
    finally:
        subprocess.run(["chattr", "-i", str(store)], capture_output=True, check=False)
        store.chmod(0o644)


@pytest.mark.slow
def test_a_full_disk_leaves_the_last_results(built: Path) -> None:
    before = scaled(built)
    size = (built / STORE).stat().st_size
    write(built, 50_000)
    # the limit makes every write beyond it fail, as a full disk does
    limit = (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size + 500_000}, {size + 500_000}))\n"
    )
    process = started(built, "run", "case.yml", code=limit)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, (out, err)
    assert "Traceback" not in err
    assert "error: " in err
    assert scaled(built) == before
    accepted(built, "run", "case.yml")
    assert len(scaled(built)) == 50_000


def test_a_store_in_use_is_refused_with_the_process(built: Path) -> None:
    holding = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import duckdb, sys, time\n"
            f"connection = duckdb.connect({str(built / STORE)!r})\n"
            "print('open', flush=True)\n"
            "time.sleep(float(sys.stdin.readline()))",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holding.stdout is not None
    assert holding.stdin is not None
    try:
        assert holding.stdout.readline() == "open\n"
        said = refused(built, "run", "case.yml", "--full")
        assert f"is in use by process {holding.pid}" in said
        assert "--wait" in said
        found = miningflow(built, "run", "case.yml", "--json", "--wait", "0.3")
        assert found.code == 1
        assert "in use" in json.loads(found.out)["diagnostics"][0]["message"]
        holding.stdin.write("1\n")
        holding.stdin.flush()
        accepted(built, "run", "case.yml", "--full", "--wait", "30")
    finally:
        holding.kill()
        holding.wait()


@pytest.mark.slow
@pytest.mark.parametrize("as_json", first_only([False, True], 1))
def test_interrupting_a_run_keeps_the_last_results(built: Path, as_json: bool) -> None:
    before = scaled(built)
    write(built, 6_000)
    slow = CASE.replace("connect:\n", SLOW)
    (built / "case.yml").write_text(slow)
    process = started(built, "run", "case.yml", *(["--json"] if as_json else []))
    wait_until_it_learns(built, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert "Traceback" not in err
    assert "interrupted; published results are unchanged" in err
    if as_json:
        assert json.loads(out)["diagnostics"][0]["message"] == "interrupted"
    assert scaled(built) == before
    write(built)
    accepted(built, "run", "case.yml")
    assert scaled(built) == before


@pytest.mark.slow
def test_a_killed_run_leaves_a_store_that_can_be_used(built: Path) -> None:
    before = scaled(built)
    write(built, 6_000)
    (built / "case.yml").write_text(CASE.replace("connect:\n", SLOW))
    process = started(built, "run", "case.yml")
    wait_until_it_learns(built, process)
    process.kill()
    process.communicate(timeout=60)
    assert scaled(built) == before
    write(built, 50)
    accepted(built, "run", "case.yml")
    assert len(scaled(built)) == 50
    with duckdb.connect(str(built / STORE), read_only=True) as connection:
        left = connection.sql(
            "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'small_built'"
        ).fetchall()
    assert left == [(2,)]  # the source and the step: nothing of the run that died


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    write(tmp_path)
    if subprocess.run(["chattr", "+i", str(tmp_path)], capture_output=True, check=False).returncode:
        tmp_path.chmod(0o555)
        if os.access(tmp_path, os.W_OK):
            tmp_path.chmod(0o755)
            pytest.skip("root may write everywhere, and this file system knows no `chattr +i`")
    try:
        said = refused(tmp_path, "run", "case.yml")
        assert "case.yml:7:10: error: cannot open the store" in said
        assert "no errors" in accepted(tmp_path, "check", "case.yml")
    finally:
        subprocess.run(["chattr", "-i", str(tmp_path)], capture_output=True, check=False)
        tmp_path.chmod(0o755)


def test_an_interrupt_between_two_statements_is_not_forgotten(tmp_path: Path) -> None:
    engine = DuckDBEngine(tmp_path / STORE)
    endless = "SELECT sum(a.i * b.i) FROM range(10000000) a(i), range(1000000) b(i)"
    with engine.session() as session, engine.interrupting(), pytest.raises(KeyboardInterrupt):
        session.rows(endless)
    engine.close()


def test_a_console_that_knows_few_characters_gets_question_marks(built: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "miningflow", "show", "case.yml"],
        cwd=built,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "+ made   ? deselected   ? deselected in some segments" in said.stdout


def test_settings_of_the_store_are_few_and_checked(tmp_path: Path) -> None:
    write(tmp_path)
    case = tmp_path / "case.yml"
    case.write_text(CASE.replace("store.duckdb", "store.duckdb?memory_limit=200MB&threads=1"))
    accepted(tmp_path, "run", "case.yml")
    assert len(scaled(tmp_path)) == 40
    case.write_text(CASE.replace("store.duckdb", "store.duckdb?memory_limit=lots"))
    assert "memory_limit cannot be 'lots'" in refused(tmp_path, "run", "case.yml", "--full")
    case.write_text(CASE.replace("store.duckdb", "store.duckdb?extension_directory=/tmp"))
    said = refused(tmp_path, "run", "case.yml", "--full")
    assert "case.yml:7:10: error: unknown store setting 'extension_directory'" in said
    assert "known settings: memory_limit, threads" in said
    assert len(scaled(tmp_path)) == 40
