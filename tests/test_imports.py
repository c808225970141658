"""Imports stay light: learning needs no database, and the command line answers at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
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
        ("miningflow.cli.main", "typer rich sqlglot duckdb sqlalchemy pandas sklearn numpy"),
        (
            "miningflow.cli.commands",
            "sqlglot duckdb sqlalchemy pandas sklearn networkx pyarrow numpy",
        ),
    ],
)
def test_an_import_is_light(module: str, heavy: str) -> None:
    found = loaded(module)
    assert "miningflow" in found
    assert not found & set(heavy.split())


CHECKED = (
    "import sys; sys.argv = ['miningflow', 'check', {case!r}]\n"
    "import atexit; atexit.register(lambda: print(*{{m.partition('.')[0] for m in sys.modules}}))\n"
    "from miningflow.cli.main import main; main()"
)


def test_checking_a_case_loads_no_database_and_no_solver() -> None:
    case = str(ROOT / "cases" / "insurance.yml")
    command = [sys.executable, "-c", CHECKED.format(case=case)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    said, *_, loaded_names = done.stdout.strip().splitlines()
    assert "no errors" in said
    found = set(loaded_names.split())
    assert "sqlglot" in found
    assert not found & {"sqlalchemy", "duckdb", "pandas", "sklearn", "scipy", "psycopg"}
