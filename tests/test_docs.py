"""The documentation is true: links resolve, references are up to date, commands run."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest
import typer.main
from typer.testing import CliRunner

from miningflow.catalog import installed
from miningflow.cli.bugs import TRACEBACK
from miningflow.cli.commands import app
from miningflow.cli.environment import settings
from miningflow.cli.reference import with_commands
from miningflow.describe.engines import engines_markdown
from miningflow.describe.operators import reference_markdown
from miningflow.describe.schema import case_schema
from miningflow.sql.fragments.aggregates import AGGREGATES
from miningflow.sql.fragments.functions import FUNCTIONS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = sorted(
    [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
)

_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_CALL = re.compile(r"`(\w+)\(")


def prose(page: Path) -> str:
    return _CODE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    titles = _HEADING.findall(prose(page))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def section(page: Path, title: str) -> str:
    """Returns the text below a heading, up to the next one of the same or a higher level."""
    text = page.read_text(encoding="utf-8")
    heading = re.search(rf"^(#+) {re.escape(title)}$", text, re.MULTILINE)
    assert heading is not None, f"{page.name} has no section {title!r}"
    rest = _CODE.sub(lambda block: block[0].replace("\n#", "\n\0#"), text[heading.end() :])
    end = re.search(rf"^#{{1,{len(heading[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start() if end else None].replace("\0", "")


def commands(text: str) -> list[str]:
    """Returns the lines after a prompt in console blocks, and all lines of bash blocks."""
    found: list[str] = []
    for kind, body in _BLOCK.findall(text):
        if kind == "console":
            found += [line[2:] for line in body.splitlines() if line.startswith("$ ")]
        elif kind == "bash":
            found += [line for line in body.splitlines() if line and not line.startswith("#")]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    for link in _LINK.findall(prose(page)):
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path.replace("\\_", "_")).resolve() if path else page
        assert target.exists(), f"{page.name}: {link} leads nowhere"
        assert target.is_relative_to(ROOT), f"{page.name}: {link} leads out of the repository"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: {link} has no such heading"


def test_the_operator_reference_is_up_to_date() -> None:
    written = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
    assert written == reference_markdown(installed()), "run make docs"


def test_the_page_of_engines_is_up_to_date() -> None:
    written = (ROOT / "docs" / "dialects.md").read_text(encoding="utf-8")
    assert written == engines_markdown(), "run make docs"


def test_the_page_of_the_command_line_is_up_to_date() -> None:
    page = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    assert page == with_commands(page), "run make docs"
    known = {*settings(typer.main.get_command(app)), TRACEBACK}
    named = re.findall(
        r"^\| `(MININGFLOW_\w+)", section(ROOT / "docs/command_line.md", "Environment"), re.M
    )
    assert set(named) == known


def test_the_schema_is_up_to_date() -> None:
    written = (ROOT / "docs" / "miningflow.schema.json").read_text(encoding="utf-8")
    made = json.dumps(case_schema(installed()), indent=1, ensure_ascii=False) + "\n"
    assert written == made, "run make docs"


def test_the_layout_names_every_room() -> None:
    rooms = {"benchmarks", "cases", "docs", "operators", "tests"}
    for path in (ROOT / "miningflow").iterdir():
        if (path.suffix == ".py" and not path.name.startswith("__")) or (
            path / "__init__.py"
        ).is_file():
            rooms.add(f"miningflow/{path.name}")
    named = set(_LINK.findall(section(README, "Layout of the code")))
    assert rooms - named == set(), "rooms that the layout of the code in README.md leaves out"


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    notes = {path.name for path in folder.glob("[0-9]*.md")}
    assert notes == set(_LINK.findall(prose(folder / "README.md")))


def documented_commands() -> list[str]:
    return [
        line
        for page in PAGES
        for line in commands(page.read_text(encoding="utf-8"))
        if line.startswith("miningflow ")
    ]


def test_the_readme_has_commands() -> None:
    found = {shlex.split(line)[1] for line in commands(README.read_text(encoding="utf-8"))[2:]}
    assert {"init", "check", "plan", "run", "show", "score"} <= found


@pytest.mark.parametrize("line", sorted(set(documented_commands())))
def test_documented_commands_exist(line: str) -> None:
    group: Any = typer.main.get_command(app)
    words = shlex.split(line, comments=True)[1:]
    if words[0].startswith("-"):
        options = {option for parameter in group.params for option in parameter.opts}
        assert words[0] in options
        return
    assert words[0] in group.commands, f"there is no command {words[0]!r}"
    # parses arguments and options without running anything; raises a usage error
    group.commands[words[0]].make_context(words[0], words[1:])


def test_the_first_project_runs_as_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = section(README, "A first project")
    monkeypatch.chdir(tmp_path)
    printed = ""
    for line in commands(text):
        if line.startswith("cd "):
            monkeypatch.chdir(line.removeprefix("cd "))
        elif line.startswith("miningflow "):
            result = CliRunner().invoke(app, shlex.split(line)[1:])
            assert result.exit_code == 0, f"{line}\n{result.output}"
            printed += result.stdout
        else:
            subprocess.run(["bash", "-c", line], check=True)
    shown = " ".join(printed.split())
    for body in (body for kind, body in _BLOCK.findall(text) if kind == "console"):
        for line in body.splitlines():
            # the table lines and sums that the README shows; rules and shortened lines aside
            if line and not line.startswith(("$", " ─")) and "…" not in line:
                assert " ".join(line.split()) in shown
    assert_scores_without_python(text, tmp_path / "my_project")


def assert_scores_without_python(text: str, project: Path) -> None:
    """Runs the SQL of the README as DuckDB's client would, and compares with `score`."""
    (sql,) = (body for kind, body in _BLOCK.findall(text) if kind == "sql")
    *views, read = sql.strip().splitlines()
    connection = duckdb.connect()
    connection.execute(f"SET file_search_path = '{project}'")
    for view in views:
        connection.execute(view)
    script = (project / read.removeprefix(".read ")).read_text(encoding="utf-8")
    found = {int(key): (score, label) for key, score, label in connection.sql(script).fetchall()}
    scores = (project / "scores.csv").read_text(encoding="utf-8").splitlines()
    assert scores[0] == "customer_id,age,loyalty,loyalty_label"
    assert len(found) == len(scores) - 1 == 5
    for key, _, score, label in (line.split(",") for line in scores[1:]):
        assert found[int(key)] == (pytest.approx(float(score), abs=1e-9), label)


def test_the_functions_of_expressions_are_documented() -> None:
    page = ROOT / "docs" / "case_language.md"
    assert set(_CALL.findall(first_cells(section(page, "Functions")))) == set(FUNCTIONS)
    assert set(_CALL.findall(first_cells(section(page, "Aggregates")))) == set(AGGREGATES)


def first_cells(text: str) -> str:
    return "\n".join(line.split("|")[1] for line in text.splitlines() if line.startswith("|"))
