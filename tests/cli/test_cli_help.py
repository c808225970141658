"""Help fits a terminal of 80 columns, and nothing in it is cut off."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from miningflow.cli.commands import app

COMMANDS = [
    info.name or info.callback.__name__ for info in app.registered_commands if info.callback
]


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits_80_columns(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = CliRunner().invoke(app, [*command.split(), "--help"])
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert "Usage:" in lines[0]
    assert [line for line in lines if len(line) > 80] == []
    rest = [line for line in lines if not line.startswith("Usage:")]
    assert [line for line in rest if "..." in line or line.endswith("…")] == []
