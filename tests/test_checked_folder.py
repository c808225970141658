"""Files are written aside first; what a process left that died is removed, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from miningflow.checked_folder import checked_folder

LEFT = ".0123456789abcdef01234567.part"


def test_what_a_dead_process_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / LEFT).write_text("half", encoding="utf-8")
    for other in (".hidden.part", f"{LEFT}.sql", "a.part"):
        (tmp_path / other).touch()
    (tmp_path / ".abcdefabcdefabcdefabcdef.part").mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch()
    (tmp_path / ".111111111111111111111111.part").symlink_to(elsewhere)
    before = {path.name for path in tmp_path.iterdir()}
    with checked_folder(tmp_path) as folder:
        folder.remove_scratch_files()
    assert before - {path.name for path in tmp_path.iterdir()} == {LEFT}


def test_a_file_that_is_being_written_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may write to the same folder at the same time."""
    with checked_folder(tmp_path) as folder, checked_folder(tmp_path) as other:
        moved = type(folder)._move

        def late(self: object, *names: object) -> None:
            other.remove_scratch_files()
            moved(self, *names)  # type: ignore[arg-type]  # the arguments of the method

        monkeypatch.setattr(type(folder), "_move", late)
        folder.write("a.sql", "SELECT 1")
    assert [path.name for path in tmp_path.iterdir()] == ["a.sql"]
