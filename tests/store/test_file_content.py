"""A file that changed is noticed, whatever its size and time of change say."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import duckdb
import pytest
from support.command_line import accepted, rows

from miningflow.store import file_content

CASE = """\
case: copied
concepts: {Thing: {key: id, features: {id: key, v: numeric}}}
steps: {grown: {operator: RowSelectionByQuery, input: Thing, where: v > 0}}
connect:
  store: duckdb:///store.duckdb
  concepts: {Thing: {file: things.csv}}
"""
OLD, NEW = "id,v\n1,5\n", "id,v\n1,7\n"
LONG_AGO = (1_600_000_000, 1_600_000_000)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "case.yml").write_text(CASE)
    write(tmp_path / "things.csv", OLD)
    accepted(tmp_path, "run", "case.yml")
    return tmp_path


def write(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, LONG_AGO)


def test_a_copy_with_the_old_size_and_time_is_read(folder: Path) -> None:
    accepted(folder, "run", "case.yml")
    write(folder / "other.csv", NEW)
    shutil.copy2(folder / "other.csv", folder / "things.csv")  # as `cp -p` does
    assert (folder / "things.csv").stat().st_mtime == LONG_AGO[0]
    accepted(folder, "run", "case.yml")
    assert rows(folder / "store.duckdb", "copied_results.grown") == [(1, 7.0)]


def test_a_large_copy_with_the_old_size_and_time_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_content, "ALWAYS_READ", 0)
    monkeypatch.setattr(file_content, "SETTLED_NS", 0)
    accepted(folder, "run", "case.yml")
    write(folder / "things.csv", NEW)
    accepted(folder, "run", "case.yml")
    assert rows(folder / "store.duckdb", "copied_results.grown") == [(1, 7.0)]


def test_a_large_file_that_did_not_change_is_not_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_content, "ALWAYS_READ", 0)
    monkeypatch.setattr(file_content, "SETTLED_NS", 0)
    accepted(folder, "run", "case.yml")
    with duckdb.connect(str(folder / "store.duckdb")) as connection:
        connection.execute("UPDATE miningflow.file_versions SET content_hash = 'as noted'")
    assert "2 of 2 stages would run" in accepted(folder, "plan", "case.yml")


def test_a_file_that_changed_just_now_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_content, "ALWAYS_READ", 0)
    monkeypatch.setattr(file_content, "SETTLED_NS", 3_600_000_000_000)
    accepted(folder, "run", "case.yml")
    with duckdb.connect(str(folder / "store.duckdb")) as connection:
        assert connection.sql("FROM miningflow.file_versions").fetchall() == []
