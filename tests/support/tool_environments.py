"""Other tools, such as dbt, each in a separate virtual environment that is made once."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest


def environment(config: pytest.Config, tool: str, packages: list[str]) -> Path:
    """Returns the programs of a tool; skips the test if they cannot be installed.

    `MININGFLOW_TEST_DBT`, for example, names an environment that has the tool already.
    """
    given = os.environ.get(f"MININGFLOW_TEST_{tool.upper()}")
    if given:
        return Path(given) / "bin"
    folder = config.rootpath / ".pytest_cache" / f"venv-{tool}"
    folder.parent.mkdir(exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        done = folder / "installed"
        wanted = "\n".join(packages)
        if done.exists() and done.read_text(encoding="utf-8") == wanted:
            return folder / "bin"
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install = [str(folder / "bin" / "pip"), "install", "--quiet", *packages]
        tried = subprocess.run(install, capture_output=True, text=True, check=False)
        if tried.returncode == 0:
            done.write_text(wanted, encoding="utf-8")
            return folder / "bin"
    pytest.skip(f"{tool} cannot be installed: {tried.stderr[-500:]}")


def run(words: list[str | Path], folder: Path, **variables: str) -> str:
    """Runs a program in a folder, and returns what it printed; it must succeed."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DO_NOT_TRACK": "1", "NO_COLOR": "1", **variables},
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-2000:]}"
    return done.stdout
