"""`export` and `lineage` on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.command_line import accepted, miningflow, refused

STEPS = "filled: {operator: AssignAverageValue, input: Customer, target: income}"


@pytest.fixture
def folder(write_case: Callable[..., Path]) -> Path:
    path = write_case(STEPS)
    accepted(path.parent, "run", "case.yml")
    return path.parent


def test_an_export_says_where_it_is(folder: Path) -> None:
    said = accepted(folder, "export", "case.yml", "--to", "script")
    assert "wrote exported/example/script" in said
    assert "README.md" in said
    again = accepted(folder, "export", "case.yml", "--to", "script")
    assert "0 of them new or changed" in again


@pytest.mark.parametrize("dialect", ["duckdb", "duckdb1.5", "postgres", "spark"])
def test_every_dialect_has_a_script(folder: Path, dialect: str) -> None:
    words = ("--to", "script", "--dialect", dialect, "-o", "out", "--json")
    said = json.loads(accepted(folder, "export", "case.yml", *words))
    assert said["folder"] == "out"
    assert {"README.md", "all.sql", "remove.sql"} <= set(said["files"])
    assert ("landing.sql" in said["files"]) == (dialect in ("postgres", "spark"))


def test_a_lineage_in_the_folder_is_that_of_the_command(folder: Path) -> None:
    accepted(folder, "export", "case.yml", "--to", "dbt", "-o", "out", "--lineage")
    printed = accepted(folder, "lineage", "case.yml")
    assert (folder / "out" / "lineage.jsonl").read_text(encoding="utf-8") == printed
    said = accepted(folder, "lineage", "case.yml", "-o", "events.jsonl")
    assert said == "wrote events.jsonl: 6 events\n"
    assert (folder / "events.jsonl").read_text(encoding="utf-8") == printed


def test_wrong_words(folder: Path) -> None:
    said = refused(folder, "export", "case.yml", "--to", "excel")
    assert "a case cannot be exported to 'excel'" in said
    assert "known forms: script, dbt, sqlmesh" in said
    said = refused(folder, "export", "case.yml", "--to", "script", "--dialect", "duckdbb")
    assert "did you mean" in said
    assert miningflow(folder, "export", "case.yml").code == 2
    (folder / "file").write_text("x", encoding="utf-8")
    assert "is not a folder" in refused(folder, "export", "case.yml", "--to", "dbt", "-o", "file")


def test_mistakes_as_json(folder: Path) -> None:
    said = miningflow(folder, "export", "case.yml", "--to", "dbt", "--dialect", "spark", "--json")
    assert said.code == 1
    (diagnostic,) = json.loads(said.out)["diagnostics"]
    assert diagnostic["message"] == "there is no dbt project for 'spark'"


def test_a_case_that_did_not_run(write_case: Callable[..., Path]) -> None:
    path = write_case(STEPS)
    said = refused(path.parent, "export", "case.yml", "--to", "script")
    assert "case.yml:1:7: error: case 'example' has not run yet" in said
    assert "miningflow run" in said
    assert not (path.parent / "exported").exists()
