"""Shells complete commands, options, files and names of the case; what they offer is only read."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.command_line import accepted, refused

from miningflow.cli.candidates import EXPORTS, METRICS, STORES
from miningflow.cli.completing import complete, split_line
from miningflow.engines.opening import find_store_kind
from miningflow.export import FORMS
from miningflow.learn.selection.comparison_metrics import METRICS as COMPARED

CASE = """\
case: shop
concepts:
  Customer: {key: id, features: {id: key, age: numeric}}
  Order: {key: id, features: {id: key, customer: key}}
steps:
  filled: {operator: AssignAverageValue, input: Customer, target: age}
  "$(touch owned)": {operator: LinearScaling, input: filled, target: age}
  'back\\`touch owned`': {operator: LinearScaling, input: filled, target: age}
  "two words": {operator: LinearScaling, input: filled, target: age}
tests:
  ages: {step: filled, given: {Customer: []}, expect: []}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "shop.yml").write_text(CASE)
    (tmp_path / "my case.yml").write_text(CASE)
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "new.csv").write_text("")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "miningflow").write_text(
        f'#!/bin/sh\nexec {sys.executable} -m miningflow "$@"\n'
    )
    (tmp_path / "bin" / "miningflow").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def offered(capsys: pytest.CaptureFixture[str], line: str, breaks: str = "") -> list[str]:
    assert complete([line, breaks]) == 0
    return [row.split("\t")[1] for row in capsys.readouterr().out.splitlines()]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("miningflow pla", ["plan"]),
        ("miningflow -q ex", ["explain", "export"]),
        ("miningflow completion ", ["bash", "zsh", "fish", "powershell"]),
        ("miningflow run shop.yml --fr", ["--from"]),
        ("miningflow run sh", ["shop.yml"]),
        ('miningflow run "my c', ["my case.yml"]),
        ("miningflow run --connect ", ["bin/", "data/", "my case.yml", "shop.yml"]),
        ("miningflow show shop.yml --svg data/", ["data/new.csv"]),
        ("miningflow run shop.yml --to fi", ["filled"]),
        ("miningflow run shop.yml -s +fi", ["+filled"]),
        ("miningflow stats shop.yml Cus", ["Customer"]),
        ("miningflow show shop.yml Customer.a", ["Customer.age"]),
        ("miningflow test shop.yml a", ["ages"]),
        ("miningflow score shop.yml -i Ord", ["Order="]),
        ("miningflow score shop.yml -i Order=data/", ["Order=data/new.csv"]),
        ("miningflow operators AssignAv", ["AssignAverageValue"]),
        ("miningflow compare shop.yml filled --selector mar", ["margin_bound"]),
        ("miningflow compare shop.yml filled --metric a", ["accuracy", "auc"]),
        ("miningflow compile shop.yml --dialect sq", ["sqlite"]),
        ("miningflow verify shop.yml --on post", ["postgresql://"]),
        ("miningflow export shop.yml --to d", ["dbt"]),
    ],
)
def test_what_is_offered(capsys: pytest.CaptureFixture[str], line: str, found: list[str]) -> None:
    assert offered(capsys, line) == found


@pytest.mark.usefixtures("folder")
def test_bash_replaces_what_follows_a_break(capsys: pytest.CaptureFixture[str]) -> None:
    assert offered(capsys, "miningflow score shop.yml -i Order=da", "=:") == ["data/"]
    assert offered(capsys, "miningflow verify shop.yml --on postgresql:", "=:") == ["//"]


@pytest.mark.parametrize(
    "text",
    ["", "\0", ": : :", "[1, 2]", "case: x\nsteps: {a: 1}\n", "a: &x [*x]\n", "case: ä" * 9],
    ids=range(7),
)
def test_a_case_that_cannot_be_read_offers_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (folder / "shop.yml").write_text(text)
    assert offered(capsys, "miningflow run shop.yml --from f") == []
    for line in (
        "",
        "miningflow nothing ",
        "miningflow run 'x",
        "miningflow run nothing.yml --to ",
    ):
        offered(capsys, line)


@pytest.mark.usefixtures("folder")
def test_names_with_control_characters_are_not_offered(capsys: pytest.CaptureFixture[str]) -> None:
    Path("shop.yml").write_text(CASE.replace('"two words"', r'"two\ewords"'))
    assert offered(capsys, "miningflow run shop.yml --from two") == []


def test_a_line_is_split_as_a_shell_does() -> None:
    assert split_line("miningflow run a\\ b.yml ") == (["run", "a b.yml"], "")
    assert split_line("miningflow run 'a b.yml' --from \"x y") == (
        ["run", "a b.yml", "--from"],
        "x y",
    )
    assert split_line("miningflow") == ([], "miningflow")


def test_what_is_listed_for_speed_is_complete() -> None:
    assert set(EXPORTS) == set(FORMS)
    assert set(METRICS) == set(COMPARED)
    assert all(find_store_kind(address) for address in STORES)


@pytest.mark.parametrize("words", ["run shop.yml --from f", "operators Ass", "verify x.yml --on d"])
def test_no_database_is_loaded(folder: Path, words: str) -> None:
    code = (
        "import sys\nfrom miningflow.cli.completing import complete\n"
        f"complete(['miningflow {words}', ''])\n"
        "assert not {'sqlalchemy', 'duckdb', 'pandas', 'sklearn', 'psycopg'} & set(sys.modules)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, check=True, capture_output=True, text=True
    )
    assert said.stdout


def test_a_bash(folder: Path) -> None:
    script = """
    source <(miningflow completion bash)
    complete -p miningflow
    compopt() { echo "compopt $*"; }
    words() {
        COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _miningflow_completion miningflow
        printf '<%s>' "${COMPREPLY[@]}"; echo
    }
    words miningflow pla
    words miningflow run shop.yml --from ''
    words miningflow run my
    words miningflow score shop.yml --input Cus
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script], cwd=folder, check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [
        "complete -F _miningflow_completion miningflow",
        "<plan>",
        r"<Customer><Order><filled><\$\(touch\ owned\)><back\\\`touch\ owned\`><two\ words>",
        "compopt -o filenames",
        "<my case.yml>",
        "compopt -o nospace",
        "<Customer=>",
    ]
    assert not (folder / "owned").exists()


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs the shell fish")
def test_a_fish(folder: Path) -> None:
    script = """
    miningflow completion fish | source
    complete -C 'miningflow pla'
    complete -C 'miningflow run shop.yml --from '
    complete -C 'miningflow run my'
    """
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "HOME": str(folder)},
    )
    found = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert found[0] == "plan"
    assert {"Customer", "filled", "$(touch owned)", "two words"} <= set(found)
    assert found[-1].replace("\\", "") == "my case.yml"
    assert not (folder / "owned").exists()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs the shell zsh")
def test_a_zsh(folder: Path) -> None:
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm", PS1="% ", HOME=str(folder))
        os.execvp("zsh", ["zsh", "-f", "-i"])
    try:
        ready = "autoload -U compinit && compinit -u && source <(miningflow completion zsh)"
        typed(terminal, f"{ready}; echo rea''dy\n", "ready\r\n")
        typed(terminal, "miningflow pla\t", "miningflow plan")
        typed(terminal, "\x15miningflow run shop.yml --from fil\t", "--from filled")
        typed(terminal, "\x15miningflow run shop.yml --from tw\t", r"--from two\ words")
        typed(terminal, "\x15miningflow run shop.yml --from '$'\t", "touch owned")
        typed(terminal, "\x15miningflow run my\t", r"my\ case.yml")
        typed(terminal, "\x15miningflow run shop.yml --from \t\t", "AssignAverageValue")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    assert not (folder / "owned").exists()


def typed(terminal: int, keys: str, shown: str) -> None:
    """Types, and waits until the terminal shows a text."""
    os.write(terminal, keys.encode())
    end, seen = time.monotonic() + 60, ""
    while shown not in seen:
        left = end - time.monotonic()
        assert left > 0, f"{keys!r} shows {seen!r}"
        if select.select([terminal], [], [], left)[0]:
            seen += os.read(terminal, 65_536).decode(errors="replace")


def test_an_unknown_shell_is_refused(tmp_path: Path) -> None:
    assert "'fish'" in refused(tmp_path, "completion", "tcsh", code=2)


def test_the_script_of_powershell(tmp_path: Path) -> None:
    assert "Register-ArgumentCompleter" in accepted(tmp_path, "completion", "powershell")
