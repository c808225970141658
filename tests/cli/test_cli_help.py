"""Help fits a terminal of 80 columns, nothing in it is cut off, and each command has an example."""

from __future__ import annotations

import re
import shlex

import pytest
import typer.main
from typer.testing import CliRunner

from miningflow.cli.commands import app

COMMANDS = [
    info.name or info.callback.__name__ for info in app.registered_commands if info.callback
]


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_80_columns(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")  # CliRunner would make the lines two longer
    with pytest.raises(SystemExit, match="0"):
        app([*command.split(), "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert "Usage:" in lines[0]
    assert [line for line in lines if len(line) > 80] == []
    rest = [line for line in lines if not line.startswith("Usage:")]
    assert [line for line in rest if "..." in line or line.endswith("…")] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_that_is_right(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"]).stdout
    (example,) = re.findall(r"^  Example: miningflow (.*)$", shown, re.MULTILINE)
    name, *words = shlex.split(example)
    assert name == command
    found = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    found.make_context(name, words)  # raises a usage error


def test_every_command_stands_below_a_heading() -> None:
    shown = CliRunner().invoke(app, ["--help"]).stdout
    assert "\nCommands:" not in shown
    for command in COMMANDS:
        assert re.search(rf"^  {command} +[A-Z].*\.$", shown, re.MULTILINE), command
