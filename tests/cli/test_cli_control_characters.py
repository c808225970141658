"""Escape sequences in names, data and messages never reach a terminal as they are."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import accepted, miningflow, refused
from support.terminal import read_terminal

from miningflow.errors import Diagnostic, Place
from miningflow.visible_text import visible, visible_json

TITLE = "\x1b]0;owned\x07"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
# YAML takes no control characters as they are
CASE = r"""
case: loud
about: "a \e]0;owned\a case"
concepts:
  Thing: {key: id, about: "\e[2J", features: {id: key, x: numeric, name: nominal}}
steps:
  filled: {operator: AssignModalValue, input: Thing, target: name, about: "\x9b2J \u202e"}
  grouped: {operator: GroupingGivenNoOfGroups, input: filled, target: name, groups: 2}
  guessed:
    operator: PredictionWithDecisionTree
    input: filled
    target: name
    predictors: [x]
    output: guess
scoring: guessed
tests:
  one:
    step: filled
    given: {Thing: [{id: 1, x: 1, name: null}, {id: 2, x: 1, name: "\e]0;owned\a"}]}
    expect: [{id: 1, x: 1, name: "\e[2J"}, {id: 2, x: 1, name: "\e]0;owned\a"}]
data_tests:
  filled: [{accepted_values: {name: [b]}}]
connect:
  store: duckdb:///store.duckdb
  concepts: {Thing: {file: things.csv}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("loud")
    names = [TITLE, "b", "\x9b2J", "back\u202ewards"]
    rows = "".join(f"{i},{i % 4},{names[i % 4]}\n" for i in range(40))
    (made / "things.csv").write_text(f"id,x,name\n{rows}")
    (made / "case.yml").write_text(CASE)
    accepted(made, "run", "case.yml")
    return made


@pytest.mark.parametrize(
    "words",
    [
        ["run", "case.yml", "--full"],
        ["stats", "case.yml", "filled"],
        ["score", "case.yml"],
        ["test", "case.yml"],
        ["impact", "case.yml", "name"],
        ["show", "case.yml"],
        ["show", "case.yml", "grouped"],
        ["explain", "case.yml", "grouped"],
        ["plan", "case.yml"],
        ["lineage", "case.yml"],
        ["stats", "case.yml", "filled", "--json"],
        ["score", "case.yml", "--json"],
        ["check", "\x1b[2J.yml"],
    ],
)
def test_no_command_prints_them(folder: Path, words: list[str]) -> None:
    said = miningflow(folder, *words)
    assert said.out or said.err
    assert not CONTROL.search(said.out + said.err)


def test_they_are_visible(folder: Path) -> None:
    assert r"\x1b]0;owned\x07" in accepted(folder, "score", "case.yml")
    assert r"\u202e" in accepted(folder, "stats", "case.yml", "filled")
    said = refused(folder, "check", "\x1b[2J.yml")
    assert r"\x1b[2J.yml" in said


def test_json_means_the_same(folder: Path) -> None:
    rows = json.loads(accepted(folder, "score", "case.yml", "--json"))["rows"]
    labels = " ".join(str(row["guess"]) for row in rows)
    assert TITLE in labels
    text = json.dumps("\x9b\x7f\u202e\x1b", ensure_ascii=False)
    assert json.loads(visible_json(text)) == "\x9b\x7f\u202e\x1b"
    assert not CONTROL.search(visible_json(text))


def test_sql_is_as_it_is_in_a_pipe_and_visible_on_a_terminal(folder: Path) -> None:
    piped = accepted(folder, "compile", "case.yml")
    assert "\x9b2J" in piped
    main, other = pty.openpty()
    command = [sys.executable, "-m", "miningflow", "compile", "case.yml"]
    process = subprocess.Popen(command, cwd=folder, stdout=other, stderr=subprocess.DEVNULL)
    os.close(other)
    shown = b""
    while part := read_terminal(main):
        shown += part
    assert process.wait() == 0
    os.close(main)
    text = shown.decode().replace("\r\n", "\n")
    assert r"\x9b2J" in text
    assert not CONTROL.search(text)


def test_a_diagnostic_is_visible_but_keeps_its_lines() -> None:
    place = Place("a\x1b.yml", 1, 1, "x: \x1b[31m")
    said = str(Diagnostic("one\ntwo \r three", place, "\x9bhint"))
    assert not CONTROL.search(said)
    assert "one\ntwo \\r three" in said
    assert visible("ä\t→ 漢\n") == "ä\t→ 漢\n"
