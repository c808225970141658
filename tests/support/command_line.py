"""Runs the real command line in a folder, and looks into the store it left."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

from miningflow.cli.bugs import TRACEBACK
from miningflow.cli.commands import app


@dataclass(frozen=True)
class Said:
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str


def miningflow(folder: Path, *words: object) -> Said:
    """Runs a command in a folder; a bug is raised here as it is, not hidden in an exit code."""
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setenv(TRACEBACK, "1")
        result = CliRunner().invoke(app, [str(w) for w in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Said(result.exit_code, result.stdout, result.stderr)


def refused(folder: Path, *words: object, code: int = 1) -> str:
    """Runs a command that must fail with a message, and returns the message."""
    said = miningflow(folder, *words)
    assert said.code == code, said
    assert "Traceback" not in said.err
    assert said.err.strip()
    return said.err


def accepted(folder: Path, *words: object) -> str:
    """Runs a command that must succeed, and returns what it printed."""
    said = miningflow(folder, *words)
    assert said.code == 0, said
    return said.out


def rows(store: Path, table: str) -> list[tuple[Any, ...]]:
    """Reads a published table of a store, in the order of its first column."""
    with duckdb.connect(str(store), read_only=True) as connection:
        found: list[tuple[Any, ...]] = connection.sql(
            f"SELECT * FROM {table} ORDER BY 1"
        ).fetchall()
    return found


def started(folder: Path, *words: object, code: str = "") -> subprocess.Popen[str]:
    """Starts the command line as a separate process; `code` runs before it.

    Tests that a shell started in the background ignore ^C, and what they start would inherit that.
    """
    heed = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)"
    run = "from miningflow.cli.main import main\nmain()"
    program = f"{heed}\n{code}\n{run}"
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
