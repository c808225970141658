"""Runs commands in this process, which is faster than a process for each."""

from __future__ import annotations

import contextlib
import os
import traceback
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from typer.testing import CliRunner

from miningflow.cli.bugs import TRACEBACK
from miningflow.cli.commands import app


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str
    bug: str = ""
    """The exception that nobody expected, and where it was raised."""


def run_command(folder: Path, *words: str) -> Ended:
    """Runs a command in a folder."""
    with contextlib.chdir(folder), patch.dict(os.environ, {TRACEBACK: "1"}):
        result = CliRunner().invoke(app, list(words))
    error = result.exception
    bug = ""
    if error is not None and not isinstance(error, SystemExit):
        frames = traceback.extract_tb(error.__traceback__)
        own = [f for f in frames if "miningflow" in f.filename or "operators" in f.filename]
        at = (own or frames)[-1]
        bug = f"{type(error).__name__}: {str(error)[:120]} at {Path(at.filename).name}:{at.lineno}"
    return Ended(result.exit_code, result.stdout, result.stderr, bug)
