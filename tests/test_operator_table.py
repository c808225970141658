"""Every operator has a golden file, result tests, a case, and is compared on other engines."""

from __future__ import annotations

import ast
from pathlib import Path

import operator_table
import pytest
from operator_table import ROOT, State

from miningflow.catalog import installed

TABLE = operator_table.operator_table()


@pytest.mark.parametrize("state", TABLE, ids=lambda s: s.operator)
def test_no_column_is_empty(state: State) -> None:
    assert "duckdb" in state.golden, "write it with `pytest tests/conformance --update-golden`"
    assert state.tests > 0, "no test in tests/operators names it"
    assert state.cases, "no case in cases/ uses it"
    assert set(state.engines) == {"duckdb", "postgres", "spark"}


def test_every_operator_with_an_example_is_installed() -> None:
    written = {
        node.name
        for path in (ROOT / "operators").glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and any(map(_is_example, node.body))
    }
    assert written - set(installed()) == set(), "add it to OPERATORS in operators/__init__.py"


def _is_example(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == "example"
    )


def test_a_test_counts_through_what_it_uses(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text("FILLED = {'operator': 'AssignModalValue'}\nOTHER = 1\n")
    file = tmp_path / "test_some.py"
    file.write_text(
        "from steps import FILLED, OTHER\n"
        "STEP = 'operator: Union, input: x'\n"
        "def case(): return STEP\n"
        "def test_one(case): assert case\n"
        "def test_two(): assert FILLED\n"
        "def test_three(): assert OTHER\n"
    )
    words = operator_table._words_of_file(file)
    reached = {name: operator_table._reached(name, words) for name in words}
    assert "'Union'" in reached["test_one"]
    assert "'AssignModalValue'" in reached["test_two"]
    assert not {"'Union'", "'AssignModalValue'"} & reached["test_three"]
