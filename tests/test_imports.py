"""Imports stay light: learning needs no database, and the command line answers at once."""

from __future__ import annotations

import subprocess
import sys

import pytest

LOADED = "import sys; import {module}; print(*sorted(m.partition('.')[0] for m in sys.modules))"


def loaded(module: str) -> set[str]:
    command = [sys.executable, "-c", LOADED.format(module=module)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("miningflow", "sqlglot duckdb sqlalchemy pandas sklearn networkx pyarrow numpy yaml"),
        ("miningflow.learn", "sqlglot yaml duckdb sqlalchemy pandas sklearn typer"),
        ("miningflow.learn.selection", "sqlglot yaml duckdb sqlalchemy pandas typer"),
        ("miningflow_operators", "duckdb sqlalchemy pandas sklearn scipy threadpoolctl typer"),
        ("miningflow.cli.main", "sqlglot duckdb sqlalchemy pandas sklearn networkx pyarrow numpy"),
    ],
)
def test_an_import_is_light(module: str, heavy: str) -> None:
    found = loaded(module)
    assert "miningflow" in found
    assert not found & set(heavy.split())
