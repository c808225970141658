"""`init` makes a project that runs at once, and never writes over anything."""

from __future__ import annotations

from pathlib import Path

from support.command_line import accepted, refused


def test_a_new_project_runs(tmp_path: Path) -> None:
    accepted(tmp_path, "init", "shop")
    folder = tmp_path / "shop"
    assert "no errors" in accepted(folder, "check", "shop.yml")
    accepted(folder, "run", "shop.yml")
    accepted(folder, "show", "shop.yml", "--trace")
    accepted(folder, "score", "shop.yml")


def test_an_empty_folder_is_fine(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    accepted(tmp_path, "init", "empty")
    assert (tmp_path / "empty" / "shop.yml").exists()


def test_a_folder_with_anything_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "shop.yml").write_text("my own")
    said = refused(tmp_path, "init", "mine")
    assert "nothing was written" in said
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["shop.yml"]
    assert (tmp_path / "mine" / "shop.yml").read_text() == "my own"
