"""MININGFLOW_* sets options once for a machine; a mistyped name is a warning."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer.main
from support.command_line import accepted, miningflow, refused

from miningflow.cli.commands import app
from miningflow.cli.environment import settings

CASE = """\
case: example
concepts: {Person: {key: id, features: {id: key, age: numeric}}}
steps: {filled: {operator: AssignAverageValue, input: Person, target: age}}
"""
CONNECTION = "store: duckdb:///store.duckdb\nconcepts: {Person: {file: people.csv}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "case.yml").write_text(CASE)
    (tmp_path / "server.yml").write_text(CONNECTION)
    (tmp_path / "people.csv").write_text("id,age\n1,20\n2,\n")
    return tmp_path


def test_options_are_taken_from_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MININGFLOW_CONNECT", str(folder / "server.yml"))
    monkeypatch.setenv("MININGFLOW_TARGET", "made")
    monkeypatch.setenv("MININGFLOW_WAIT", "2.5")
    accepted(folder, "run", "case.yml")
    assert (folder / "made" / "example" / "compiled").is_dir()
    accepted(folder, "run", "case.yml", "--target", "other")
    assert (folder / "other" / "example" / "compiled").is_dir()


def test_a_connection_in_the_environment_is_absolute(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MININGFLOW_CONNECT", "server.yml")
    said = " ".join(refused(folder, "plan", "case.yml", code=2).split())
    assert "write an absolute path" in said
    accepted(folder, "plan", "case.yml", "--connect", "server.yml")


def test_a_wrong_value_names_its_variable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MININGFLOW_WAIT", "long")
    assert "MININGFLOW_WAIT" in refused(folder, "run", "case.yml", code=2)


@pytest.mark.parametrize("name", ["MININGFLOW_WAITS", "MININGFLOW_CONNECTION", "MININGFLOW_QUITE"])
def test_a_mistyped_name_is_a_warning(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    said = miningflow(folder, "check", "case.yml")
    assert said.code == 0
    assert f"warning: the environment variable {name} has no meaning" in said.err
    assert "did you mean MININGFLOW_" in said.err


@pytest.mark.parametrize("name", ["MININGFLOW_PASSWORD", "MININGFLOW_TEST_LONG", "MINING"])
def test_other_names_are_left_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    assert miningflow(folder, "check", "case.yml").err == ""


def test_python_reads_nothing_from_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import miningflow as api

    monkeypatch.setenv("MININGFLOW_CONNECT", str(folder / "server.yml"))
    assert api.load(folder / "case.yml").connection is None


def test_help_names_the_variables(tmp_path: Path) -> None:
    assert "MININGFLOW_WAIT" in accepted(tmp_path, "run", "--help")
    assert set(settings(typer.main.get_command(app))) == {
        f"MININGFLOW_{name}" for name in ("CONNECT", "QUIET", "TARGET", "VERBOSE", "WAIT")
    }
