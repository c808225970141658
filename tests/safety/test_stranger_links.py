"""Links that a stranger put where files are written lead nowhere; lists of files are no orders."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from support.command_line import accepted, refused

from miningflow.checked_folder import checked_folder
from miningflow.errors import CompileError, MiningFlowError
from miningflow.export.folder import MANIFEST, Origin, write_folder

CASE = """\
case: small
concepts:
  Person: {key: id, features: {id: key, age: numeric, left: binary}}
steps:
  scaled: {operator: LinearScaling, input: Person, target: age}
  judged: {operator: SupportVectorMachineForClassification, input: scaled, target: left,
    positive: 'yes', predictors: [age], kernel: linear, C: 1, output: risk}
  out: {operator: PrepareForExport, input: judged, path: deep/rows.csv}
scoring: judged
connect:
  store: duckdb:///s.duckdb
  concepts: {Person: {file: rows.csv}}
"""
ROWS = "id,age,left\n" + "\n".join(f"{i},{20 + i},{'yes' if i > 10 else 'no'}" for i in range(20))
PRECIOUS = "alias ll='ls -l'\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a stranger, in that of the user."""
    made = tmp_path / "stranger"
    made.mkdir()
    (made / "rows.csv").write_text(ROWS)
    (made / "case.yml").write_text(CASE)
    (tmp_path / ".bashrc").write_text(PRECIOUS)
    return made


def untouched(folder: Path) -> bool:
    """Returns whether nothing was written to the folder of the user."""
    mine = folder.parent
    return (mine / ".bashrc").read_text() == PRECIOUS and sorted(
        p.name for p in mine.iterdir()
    ) == [".bashrc", "stranger"]


@pytest.mark.parametrize(
    "name",
    [
        "target/small/compiled/.scaled.sql.part",
        "target/small/.score.sql.part",
        "target/small/export/.exports.json.part",
        "target/small/export/deep/.rows.csv.part.csv",
        "target/small/export/deep/tmp_.rows.csv.part.csv",
    ],
)
def test_a_temporary_file_is_not_where_one_expects_it(folder: Path, name: str) -> None:
    link = folder / name
    link.parent.mkdir(parents=True)
    link.symlink_to(folder.parent / ".bashrc")
    accepted(folder, "run", "case.yml")
    assert untouched(folder)
    assert link.is_symlink()


@pytest.mark.parametrize(
    ("name", "leads_to"),
    [
        ("target", ""),
        ("target/small", ""),
        ("target/small/compiled", ""),
        ("target/small/compiled/scaled.sql", ".bashrc"),
        ("target/small/score.sql", ".bashrc"),
        ("target/small/export", ""),
        ("target/small/export/deep", ""),
        ("target/small/export/deep/rows.csv", ".bashrc"),
        ("target/small/export/exports.json", ".bashrc"),
    ],
)
def test_run_writes_through_no_link(folder: Path, name: str, leads_to: str) -> None:
    link = folder / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(folder.parent / leads_to)
    assert "is a link" in refused(folder, "run", "case.yml")
    assert untouched(folder)


@pytest.mark.parametrize(
    ("name", "leads_to"),
    [
        ("exported", ""),
        ("exported/small", ""),
        ("exported/small/script", ""),
        ("exported/small/script/miningflow-export.json", ".bashrc"),
    ],
)
def test_export_writes_through_no_link(folder: Path, name: str, leads_to: str) -> None:
    accepted(folder, "run", "case.yml")
    link = folder / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(folder.parent / leads_to)
    refused(folder, "export", "case.yml", "--to", "script")
    assert untouched(folder)


def test_what_the_user_names_absolutely_may_be_a_link(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "large disk")
    accepted(folder, "run", "case.yml", "--target", tmp_path / "linked" / "target")
    assert (tmp_path / "large disk/target/small/score.sql").is_file()
    assert (tmp_path / "large disk/target/small/export/deep/rows.csv").is_file()


def test_the_temporary_file_of_scores_cannot_be_prepared(folder: Path) -> None:
    accepted(folder, "run", "case.yml")
    for name in (".out.csv.part.csv", "tmp_.out.csv.part.csv"):
        (folder / name).symlink_to(folder.parent / ".bashrc")
    accepted(folder, "score", "case.yml", "--output", "out.csv")
    assert untouched(folder)
    assert len((folder / "out.csv").read_text().splitlines()) == 21
    assert not [p for p in folder.iterdir() if p.is_dir() and p.name.endswith(".part")]


@pytest.mark.parametrize("name", ["../mine.txt", "/ABSOLUTE", "sub/../../mine.txt", ".", ""])
@pytest.mark.parametrize("key", ["files", "begun"])
def test_a_prepared_manifest_deletes_nothing_elsewhere(tmp_path: Path, name: str, key: str) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    folder = tmp_path / "out"
    folder.mkdir()
    mark = hashlib.sha256(b"mine").hexdigest()
    listed = name.replace("/ABSOLUTE", str(mine))
    marks = {"files": {}, key: {listed: [mark] if key == "begun" else mark}}
    (folder / MANIFEST).write_text(json.dumps({"case": "c", "to": "script", **marks}))
    with pytest.raises(CompileError, match="holds no export of this case"):
        write_folder(folder, Origin("c", "script"), {"a.sql": "a"}, {}, force=True)
    assert mine.read_text() == "mine"


def test_a_manifest_does_not_delete_through_a_link(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "x.txt").write_text("mine")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "link").symlink_to(mine)
    mark = hashlib.sha256(b"mine").hexdigest()
    listed = {"case": "c", "to": "script", "files": {"link/x.txt": mark}}
    (folder / MANIFEST).write_text(json.dumps(listed))
    with pytest.raises(CompileError, match="is a link"):
        write_folder(folder, Origin("c", "script"), {"a.sql": "a"}, {})
    assert (mine / "x.txt").read_text() == "mine"


def test_a_file_is_whole_or_as_before(tmp_path: Path) -> None:
    with checked_folder(tmp_path, "a", "b") as folder:
        folder.write("x.txt", "old")
        with pytest.raises(UnicodeEncodeError):
            folder.write("x.txt", "new \ud800")
    assert [p.name for p in (tmp_path / "a" / "b").iterdir()] == ["x.txt"]
    assert (tmp_path / "a" / "b" / "x.txt").read_text() == "old"


def test_what_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a file")
    with pytest.raises(MiningFlowError, match="a is not a folder"), checked_folder(tmp_path, "a"):
        pass
    with checked_folder(tmp_path) as folder, pytest.raises(MiningFlowError, match="not a file"):
        (tmp_path / "b").mkdir()
        folder.write("b", "text")
