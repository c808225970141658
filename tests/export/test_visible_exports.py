"""What people read of an export shows control characters; data in CSV files is never changed."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from support.command_line import accepted

CASE = r"""
case: odd
about: "first \e[31m red\r\nsecond \u202e \u2028 \x85 line"
concepts:
  Thing:
    key: id
    about: "things \e]0;title\a"
    features: {id: key, x: numeric, town: nominal}
steps:
  logged: {operator: LogScaling, input: Thing, target: x, output: y, about: "step \e[2J \x01"}
  written: {operator: PrepareForExport, input: logged, path: written.csv}
data_tests:
  Thing:
  - {expression: x > 0, about: "test \e[31m"}
connect:
  store: duckdb:///store.duckdb
  concepts:
    Thing: {file: things.csv}
"""
TOWNS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "=cmd|'/c calc'!A1", 'a "b", c']
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    (folder / "case.yml").write_text(CASE)
    with (folder / "things.csv").open("w", encoding="utf-8", newline="") as file:
        quoted = csv.writer(file, quoting=csv.QUOTE_ALL)
        quoted.writerow(["id", "x", "town"])
        quoted.writerows([i, i, town] for i, town in enumerate(TOWNS, start=1))
    accepted(folder, "run", "case.yml")
    return folder


@pytest.mark.parametrize("kind", ["script", "dbt", "sqlmesh"])
def test_control_characters_are_written_out(folder: Path, kind: str) -> None:
    accepted(folder, "export", "case.yml", "--to", kind)
    files = [path for path in (folder / "exported/odd" / kind).rglob("*") if path.is_file()]
    texts = {path.name: path.read_text(encoding="utf-8") for path in files}
    assert [name for name, text in texts.items() if CONTROL.search(text)] == []
    written = "".join(texts.values()).replace("\\\\", "\\").replace("\\[", "[")
    for said in (
        r"first \x1b[31m red",
        r"second \u202e \u2028 \x85 line",
        r"things \x1b]0;title\x07",
    ):
        assert said in written


def test_the_picture_has_no_control_characters(folder: Path) -> None:
    accepted(folder, "show", "case.yml", "--svg", "case.svg")
    assert not CONTROL.search((folder / "case.svg").read_text(encoding="utf-8"))


def test_a_csv_file_has_texts_exactly_as_they_are(folder: Path) -> None:
    """A text that a spreadsheet would take for a formula is data: docs/case_language.md says so."""
    with (folder / "target/odd/export/written.csv").open(encoding="utf-8", newline="") as file:
        found = {int(row["id"]): row["town"] for row in csv.DictReader(file)}
    assert found == dict(enumerate((town.strip(" ") for town in TOWNS), start=1))
