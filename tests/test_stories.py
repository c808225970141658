"""The stories are true: what they show is what the commands and queries give."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from miningflow.cli.main import app

ROOT = Path(__file__).parents[1]
STORIES = sorted((ROOT / "docs" / "stories").glob("*.md"))

# a block of commands or a query, and the table below a query
_BLOCK = re.compile(
    r"^```(console|sql)\n(.*?)^```$(?:\n\n((?:^\|[^\n]*\n)+))?", re.MULTILINE | re.DOTALL
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the cases, to run in."""
    copy = tmp_path / "cases"
    shutil.copytree(ROOT / "cases", copy, ignore=shutil.ignore_patterns("*.duckdb*", "target"))
    monkeypatch.chdir(copy)
    monkeypatch.setenv("COLUMNS", "200")
    return copy


@pytest.mark.parametrize("page", STORIES, ids=lambda page: page.stem)
def test_a_story_is_true(page: Path, folder: Path) -> None:
    found = _BLOCK.findall(page.read_text(encoding="utf-8"))
    assert {kind for kind, _, _ in found} == {"console", "sql"}
    for kind, body, table in found:
        if kind == "console":
            _run(body)
        else:
            _query(folder / f"{page.stem}.duckdb", body, table)


def _run(body: str) -> None:
    """Runs commands, and looks for the lines that are shown below each; `…` stands for anything."""
    for part in body.split("$ ")[1:]:
        command, _, shown = part.partition("\n")
        result = CliRunner().invoke(app, shlex.split(command)[1:])
        assert result.exit_code == 0, result.output
        printed = [" ".join(line.split()) for line in result.output.splitlines()]
        for line in shown.splitlines():
            wanted = " ".join(line.partition("…")[0].split())
            assert any(p.startswith(wanted) for p in printed), f"{command}: {line}"


def _query(store: Path, query: str, table: str) -> None:
    """Asks the store, and compares with the table below."""
    connection = duckdb.connect(str(store), read_only=True)
    result = connection.execute(query)
    if not table:
        return
    head = [name for name, *_ in result.description]
    rows = [head, *([str(value) for value in row] for row in result.fetchall())]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert [lines[0], *lines[2:]] == rows
