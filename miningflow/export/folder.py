"""Writes an exported folder; never over what is not ours."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from miningflow.checked_folder import (
    CheckedFolder,
    check_folders,
    checked_folder,
    is_scratch,
    remove_scratch,
    scratch_folder,
    unguessable_name,
)
from miningflow.errors import CompileError, Diagnostic, listed
from miningflow.export.frozen import Files
from miningflow.html.page import FrameHtml

if TYPE_CHECKING:
    import pandas as pd

MANIFEST = "miningflow-export.json"


@dataclass(frozen=True)
class Written(FrameHtml):
    """What an export did to its folder."""

    folder: Path
    files: tuple[str, ...]
    changed: tuple[str, ...]
    """Files that are new, or other than before."""
    removed: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Returns a row for each file: whether it was written, left as it was, or removed."""
        import pandas as pd

        changed = set(self.changed)
        rows = [(name, "written" if name in changed else "unchanged") for name in self.files]
        rows += [(name, "removed") for name in self.removed]
        return pd.DataFrame(rows, columns=["file", "happened"])


@dataclass(frozen=True)
class Origin:
    """What a folder is an export of."""

    case: str
    form: str


@dataclass(frozen=True)
class _Manifest:
    """The contents of the list in an exported folder."""

    origin: Origin
    files: Mapping[str, frozenset[str]]
    """Path → hashes of files that we wrote: two if an export was interrupted."""


def write_folder(
    folder: Path,
    origin: Origin,
    files: Files,
    copied: Mapping[str, Path],
    force: bool = False,
) -> Written:
    """Writes and copies files into a folder; files of an earlier export are replaced.

    Everything is written aside first. With `force`, files of ours that were edited are replaced.
    """
    before = _before(folder, origin)
    _refuse_links(folder, [*files, *copied, *before.files])
    with (
        checked_folder(folder) as opened,
        scratch_folder(folder / unguessable_name()) as aside,
    ):
        hashes = _write_aside(aside, files, copied)
        there = {name: _hash(folder / name) for name in {*before.files, *hashes}}
        _refuse_foreign(folder, [n for n in hashes if there[n] and n not in before.files])
        gone = [name for name in before.files if name not in hashes and there[name]]
        changed = [name for name, mark in hashes.items() if there[name] != mark]
        edited = [n for n in [*changed, *gone] if there[n] and there[n] not in before.files[n]]
        if edited and not force:
            raise _edited(folder, edited)
        for name in changed:
            _check_place(folder, name)
        _list(opened, origin, hashes, before)
        for name in changed:
            path = PurePath(name)
            with checked_folder(folder, *path.parent.parts) as place:
                place.take(aside / name, path.name)
        for name in gone:
            _remove(folder, name)
        _list(opened, origin, hashes)
        remove_scratch(folder)
    return Written(folder, tuple(hashes), tuple(changed), tuple(gone))


def check_folder(folder: Path, origin: Origin) -> None:
    """Refuses a folder that cannot be written to, before anything is computed."""
    check_folders(folder)
    _before(folder, origin)


def _before(folder: Path, origin: Origin) -> _Manifest:
    """Reads what an earlier export left; refuses a folder that holds anything else."""
    if folder.exists() and not folder.is_dir():
        raise CompileError(Diagnostic(f"{folder} is not a folder", None, "name another --output"))
    if not folder.exists() or all(is_scratch(p) for p in folder.iterdir()):
        return _Manifest(origin, {})
    try:
        written = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        found = _manifest(written)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise CompileError(
            Diagnostic(
                f"{folder} is not empty, and holds no export of this case",
                None,
                "name another --output; nothing was changed",
            )
        ) from None
    if found.origin != origin:
        raise CompileError(
            Diagnostic(
                f"{folder} holds an export of case {found.origin.case!r} to {found.origin.form}",
                None,
                "name another --output; nothing was changed",
            )
        )
    return found


def _manifest(written: Any) -> _Manifest:
    files = {name: frozenset([mark]) for name, mark in written["files"].items()}
    files |= {name: frozenset(marks) for name, marks in written.get("begun", {}).items()}
    if not all(_is_plain(name) for name in files):
        raise ValueError("no export of ours lists files outside of its folder")
    return _Manifest(Origin(written["case"], written["to"]), files)


def _is_plain(name: str) -> bool:
    """Returns whether a name is that of a file in the folder, or in folders below."""
    path = PurePath(name)
    return bool(path.parts) and not path.anchor and ".." not in path.parts


def _write_aside(aside: Path, files: Files, copied: Mapping[str, Path]) -> dict[str, str]:
    hashes: dict[str, str] = {}
    for name, text in sorted(files.items()):
        path = aside / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    for name, source in sorted(copied.items()):
        path = aside / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
    for name in sorted({**files, **copied}):
        hashes[name] = _hash(aside / name) or ""
    return hashes


def _list(
    folder: CheckedFolder, origin: Origin, files: Mapping[str, str], before: _Manifest | None = None
) -> None:
    """Lists the files of the folder; before they are replaced, the old ones and the new ones."""
    listed: dict[str, Any] = {"case": origin.case, "to": origin.form, "files": dict(files)}
    if before is not None:
        marks = {n: {*before.files.get(n, ()), files.get(n, "")} for n in {*before.files, *files}}
        listed |= {"files": {}, "begun": {name: sorted(m - {""}) for name, m in marks.items()}}
    text = json.dumps(listed, indent=1, ensure_ascii=False, sort_keys=True)
    folder.write(MANIFEST, text + "\n")


def _hash(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refuse_links(folder: Path, names: Iterable[str]) -> None:
    """Refuses links on the way to the folder and within it, which may lead out of it."""
    for name in names:
        path = folder / name
        named = [path, *path.parents]
        checked = named[: named.index(folder)] if folder.is_absolute() else named
        for part in checked:
            if part.is_symlink():
                hint = "remove the link, or name another --output"
                raise CompileError(Diagnostic(f"{part} is a link", None, hint))


def _refuse_foreign(folder: Path, names: list[str]) -> None:
    if names:
        raise CompileError(
            Diagnostic(
                f"{folder} holds files that no export made: {listed(names)}",
                None,
                "move them away, or name another --output; nothing was changed",
            )
        )


def _check_place(folder: Path, name: str) -> None:
    """Refuses a file where a folder is, or the reverse."""
    path = folder / name
    blocked = next((p for p in path.parents if p.exists() and not p.is_dir()), None)
    if path.is_dir() or blocked is not None:
        message = f"{blocked or path} is in the way of {name}"
        raise CompileError(Diagnostic(message, None, "move it away; nothing was changed"))


def _edited(folder: Path, names: list[str]) -> CompileError:
    return CompileError(
        Diagnostic(
            f"these files in {folder} were edited since they were exported: {listed(names)}",
            None,
            "keep your changes elsewhere, or replace them with --force; nothing was changed",
        )
    )


def _remove(folder: Path, name: str) -> None:
    """Removes a file that is no longer exported, and folders that are empty then."""
    path = folder / name
    path.unlink(missing_ok=True)
    for parent in path.parents:
        if parent == folder or any(parent.iterdir()):
            return
        parent.rmdir()
