"""The stories are true: their commands run, and print what the pages show."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

import miningflow as package
from miningflow.cli.commands import app
from miningflow.describe.picture import case_picture

ROOT = Path(__file__).parents[1]
STORIES = sorted((ROOT / "docs" / "stories").glob("*.md"))
# Their cases learn for long, and run among the other cases too.
LONG = {"drugstore", "fields"}

# a block, and the table below a query
_BLOCK = re.compile(
    r"^```(console|python|text|sql)\n(.*?)^```$(?:\n\n((?:^\|[^\n]*\n)+))?",
    re.MULTILINE | re.DOTALL,
)

_MEASURE = re.compile(r"-?(?=[\d.]{4,})\d+\.\d+")


def printed_by(lines: list[str]) -> str:
    """Runs the commands of a console block."""
    printed = ""
    for line in lines:
        if line.startswith("miningflow "):
            result = CliRunner().invoke(app, shlex.split(line)[1:])
            assert result.exit_code == 0, f"{line}\n{result.output}"
            printed += result.stdout
        else:
            done = subprocess.run(["bash", "-c", line], check=True, capture_output=True, text=True)
            printed += done.stdout
    return printed


def compare(store: Path, query: str, table: str) -> None:
    """Asks the store, and compares with the table below the query, if there is one."""
    with duckdb.connect(str(store), read_only=True) as connection:
        result = connection.execute(query)
        if not table:
            return
        head = [name for name, *_ in result.description]
        rows = [head, *([str(value) for value in row] for row in result.fetchall())]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert [lines[0], *lines[2:]] == rows


def is_printed(words: list[str], known: list[str]) -> bool:
    """Returns whether words follow each other in what was printed.

    Of measures with four digits the last may differ: libsvm's solution depends on the processor.
    """
    starts = range(len(known) - len(words) + 1)
    return any(all(map(_is_alike, words, known[start:])) for start in starts)


def _is_alike(word: str, found: str) -> bool:
    if word == found or not _MEASURE.fullmatch(word) or not _MEASURE.fullmatch(found):
        return word == found
    return abs(float(word) - float(found)) <= 1e-3 * abs(float(word))


@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=pytest.mark.slow if p.stem in LONG else ()) for p in STORIES],
    ids=lambda page: page.stem,
)
def test_a_story_runs_as_it_is_told(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_out = shutil.ignore_patterns("*.duckdb*", "target")
    shutil.copytree(ROOT / "cases", tmp_path / "cases", ignore=left_out)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    for kind, body, table in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "sql":
            compare(tmp_path / "cases" / f"{page.stem}.duckdb", body, table)
            continue
        shown = body.splitlines()
        if kind == "console":
            printed = printed_by([line[2:] for line in shown if line.startswith("$ ")])
            shown = [line for line in shown if not line.startswith("$ ")]
        elif kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                exec(body, names)
            printed, shown = out.getvalue(), []
        known = printed.split()
        for line in shown:
            for part in line.split("…"):  # what is left out there
                assert is_printed(part.split(), known), line


@pytest.mark.parametrize("page", STORIES, ids=lambda page: page.stem)
def test_the_picture_of_a_story_is_that_of_its_case(page: Path) -> None:
    case = package.load(ROOT / "cases" / f"{page.stem}.yml")
    drawn = page.with_suffix(".svg").read_text(encoding="utf-8")
    assert drawn == case_picture(case.bound), "draw it anew: miningflow show --svg"
