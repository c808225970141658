"""Colours and live lines are for terminals; NO_COLOR and others in the environment are heeded."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from support.command_line import accepted
from support.terminal import in_pipe, on_terminal

from miningflow.cli.colour import is_coloured

ESCAPE = "\x1b"
STYLE = re.compile("\x1b\\[[0-9;]*m")
MOVES = re.compile("\x1b\\[[0-9;?]*[A-Za-ln-z]")
CASE = """\
case: colours
concepts: {Person: {key: id, features: {id: key, age: numeric}}}
steps: {filled: {operator: AssignAverageValue, input: Person, target: age}}
connect: {store: 'duckdb:///store.duckdb', concepts: {Person: {file: people.csv}}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("colours")
    (made / "case.yml").write_text(CASE)
    (made / "people.csv").write_text("id,age\n1,20\n2,\n3,40\n")
    accepted(made, "run", "case.yml")
    return made


def test_a_terminal_is_coloured_and_live(folder: Path) -> None:
    said = on_terminal(folder, "run", "case.yml", "--full")
    assert STYLE.search(said)
    assert MOVES.search(said)


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("CLICOLOR", "0")])
def test_a_terminal_without_colours(folder: Path, name: str, value: str) -> None:
    said = on_terminal(folder, "run", "case.yml", "--full", environment={name: value})
    assert "✓ filled" in said
    assert not STYLE.search(said)


def test_a_dumb_terminal_gets_no_escapes(folder: Path) -> None:
    said = on_terminal(folder, "run", "case.yml", "--full", environment={"TERM": "dumb"})
    assert "✓ filled" in said
    assert ESCAPE not in said


def test_a_pipe_gets_no_escapes_and_colours_only_if_forced(folder: Path) -> None:
    assert ESCAPE not in in_pipe(folder, "run", "case.yml", "--full")
    said = in_pipe(folder, "run", "case.yml", "--full", environment={"FORCE_COLOR": "1"})
    assert STYLE.search(said)
    assert not MOVES.search(said)


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"CLICOLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        ({"FORCE_COLOR": "1", "CLICOLOR": "0"}, True),
    ],
    ids=str,
)
def test_what_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], coloured: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert is_coloured(io.StringIO()) == coloured


def test_a_quiet_run_shows_nothing_on_a_terminal_either(folder: Path) -> None:
    assert on_terminal(folder, "run", "case.yml", "--full", "-q") == ""


def test_tables_fit_the_terminal(folder: Path) -> None:
    said = on_terminal(folder, "plan", "case.yml", width=60, environment={"NO_COLOR": "1"})
    assert max(len(line.rstrip()) for line in said.splitlines()) <= 60
    assert "AssignAverageValue" in said
