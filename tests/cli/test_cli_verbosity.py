"""--quiet leaves results, warnings and errors; --verbose adds what is read, why, and statements."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.command_line import accepted, miningflow, refused

import miningflow as api
from miningflow.cli.commands import app
from miningflow.run.events import Event

CASE = """\
case: quiet
concepts:
  Person:
    key: id
    features: {id: key, age: numeric, size: numeric}
steps:
  filled: {operator: AssignAverageValue, input: Person, target: age}
tests:
  one:
    step: filled
    given: {Person: [{id: 1, age: 2, size: 1}]}
    expect: [{id: 1, age: 2, size: 1}]
data_tests:
  filled: [{range: {age: {max: 30}}, severity: warn}]
connect:
  store: duckdb:///store.duckdb
  concepts: {Person: {file: people.csv}}
"""
COMMANDS = [i.name or i.callback.__name__ for i in app.registered_commands if i.callback]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "case.yml").write_text(CASE)
    (tmp_path / "people.csv").write_text("id,age,size\n1,20,1.7\n2,,1.8\n3,40,1.6\n")
    return tmp_path


@pytest.mark.parametrize("words", [["-q", "run", "case.yml"], ["run", "case.yml", "--quiet"]])
def test_a_quiet_run_says_nothing(folder: Path, words: list[str]) -> None:
    said = miningflow(folder, *words)
    assert (said.code, said.out, said.err) == (0, "", "")
    assert "0 of 2 stages ran" in accepted(folder, "run", "case.yml")


def test_a_quiet_run_prints_warnings_and_errors_to_standard_error(folder: Path) -> None:
    said = miningflow(folder, "run", "case.yml", "-q", "--test")
    assert (said.code, said.out) == (0, "")
    assert said.err.startswith("! filled: age")
    (folder / "people.csv").unlink()
    said = miningflow(folder, "run", "case.yml", "-q")
    assert (said.code, said.out) == (1, "")
    assert "people.csv" in said.err


@pytest.mark.parametrize(
    ("words", "result"),
    [
        (["plan", "case.yml"], "unchanged"),
        (["stats", "case.yml"], "filled: 3 rows"),
        (["show", "case.yml"], "Person"),
        (["compile", "case.yml"], "step 'filled'"),
        (["operators"], "AssignAverageValue"),
    ],
)
def test_quiet_commands_print_their_results(folder: Path, words: list[str], result: str) -> None:
    accepted(folder, "run", "case.yml", "-q")
    said = miningflow(folder, *words, "-q")
    assert result in said.out
    assert said.err == ""


@pytest.mark.parametrize(
    "words",
    [
        ["check", "case.yml"],
        ["test", "case.yml", "--unit"],
        ["verify", "case.yml", "--on", "duckdb://"],
        ["export", "case.yml", "--to", "script"],
        ["lineage", "case.yml", "-o", "lines.jsonl"],
        ["schema", "-o", "schema.json"],
        ["move", "case.yml", "--to", "duckdb:///other.duckdb"],
        ["clean", "case.yml"],
        ["init", "shop"],
    ],
)
def test_quiet_commands_whose_exit_code_tells_say_nothing(folder: Path, words: list[str]) -> None:
    accepted(folder, "run", "case.yml", "-q")
    said = miningflow(folder, *words, "-q")
    assert (said.code, said.out, said.err) == (0, "", "")


def test_quiet_tests_and_checks_print_what_failed(folder: Path) -> None:
    (folder / "case.yml").write_text(
        CASE.replace("expect: [{id: 1, age: 2", "expect: [{id: 1, age: 3")
    )
    said = miningflow(folder, "test", "case.yml", "--unit", "-q")
    assert said.code == 1
    assert said.out.startswith("✗ one: filled")
    (folder / "case.yml").write_text(CASE.replace("input: Person", "input: Persn"))
    assert "did you mean 'Person'?" in refused(folder, "check", "case.yml", "-q")


def test_verbose_says_what_is_read_and_why_and_each_statement(folder: Path) -> None:
    said = miningflow(folder, "run", "case.yml", "-v")
    assert said.code == 0
    lines = said.err.splitlines()
    assert lines[:2] == ["case: case.yml", "connection: case.yml"]
    assert {"store: duckdb:///store.duckdb", "reads Person: people.csv", "  ● filled: new"} <= {
        *lines
    }
    statements = re.findall(r"^    (\w+): \d\.\d{3} s(?:, [\d,]+ rows?)?: (.*)$", said.err, re.M)
    assert {name for name, _ in statements} == {"Person", "filled"}
    assert any(sql.startswith("CREATE TABLE") for _, sql in statements)
    assert re.search(r"^took \d+\.\d\d s, [\d,]+ MB of memory at most$", said.err, re.M)
    (folder / "case.yml").write_text(CASE.replace("target: age", "target: size"))
    said = miningflow(folder, "-v", "run", "case.yml")
    assert "  – Person: unchanged, not run, 3 rows" in said.err
    assert "  ● filled: changed target" in said.err


def test_statements_fit_a_narrow_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    said = miningflow(folder, "run", "case.yml", "-v")
    assert "CREATE TABLE" in said.err
    long = [line for line in said.err.splitlines() if len(line) > 60]
    assert [line for line in long if " " in line.strip()] == []  # paths are not cut


def test_statements_are_events_for_python(folder: Path) -> None:
    events: list[Event] = []
    api.load(folder / "case.yml").run(target=folder / "target", listener=events.append)
    told = [event for event in events if event.kind == "statement"]
    assert {event.stage for event in told} == {"Person", "filled"}
    assert any("CREATE VIEW" in event.message for event in told)


@pytest.mark.parametrize("words", [["-q", "check", "-v"], ["check", "-qv"], ["-vq", "check"]])
def test_quiet_and_verbose_contradict_each_other(folder: Path, words: list[str]) -> None:
    assert "contradict each other" in refused(folder, *words, "case.yml", code=2)


def test_an_option_overrides_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MININGFLOW_QUIET", "1")
    assert accepted(folder, "check", "case.yml") == ""
    for words in (["-v", "check", "case.yml"], ["check", "case.yml", "-v"]):
        assert "no errors" in accepted(folder, *words)
    monkeypatch.setenv("MININGFLOW_VERBOSE", "1")
    said = refused(folder, "check", "case.yml", code=2)
    assert "MININGFLOW_QUIET and MININGFLOW_VERBOSE" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_them(tmp_path: Path, command: str) -> None:
    said = accepted(tmp_path, command, "--help")
    assert "-q, --quiet" in said
    assert "-v, --verbose" in said
