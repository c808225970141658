"""The files that a case is written in: as texts to edit, and written back together."""

from __future__ import annotations

import difflib
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from miningflow import pipeline
from miningflow.checked_folder import checked_folder, refuse_link, unguessable_name
from miningflow.errors import Diagnostic, MiningFlowError, ReadError
from miningflow.read import ConnectionText
from miningflow.read.yaml_edits import YamlEdits
from miningflow.read.yaml_file import text_of
from miningflow.resolve import BoundCase
from miningflow.store.opening import needed


@dataclass
class CaseFiles:
    """The file of a case and that of its connection, which may be the same."""

    path: Path
    given: Path | None
    """The connection file that the user named."""
    lazy: bool
    bound: BoundCase
    connection: ConnectionText
    case: YamlEdits
    where: YamlEdits
    """The file that says where the data are."""
    where_path: Path
    block: tuple[str, ...]
    """Where the connection is in its file."""
    data: list[Path] = field(default_factory=list)
    """Files that were copied into the folder of the case."""

    @property
    def home(self) -> Path:
        """Returns the folder of the case."""
        return self.path.parent

    def changes(self) -> list[FileChange]:
        """Returns the files that would change."""
        edited = {
            id(self.case): (self.path, self.case),
            id(self.where): (self.where_path, self.where),
        }
        found = [FileChange(path, each.text, each.result()) for path, each in edited.values()]
        return [each for each in found if each.before != each.after]

    def check(self, changes: Sequence[FileChange]) -> tuple[BoundCase, ConnectionText]:
        """Resolves the case as it would be, and raises what would be wrong with it."""
        texts = {each.path: each.after for each in changes}
        if self.given is not None and self.where_path in texts:
            texts[self.given] = texts[self.where_path]
        try:
            bound, connection = pipeline.check(self.path, self.given, self.lazy, texts)
        except MiningFlowError as error:
            message = f"{self.path} would no longer pass `check`, so nothing was written"
            why = Diagnostic(message, None, "change first what these messages name")
            raise type(error)(*error.diagnostics, why) from None
        return bound, needed(bound.case, connection)


@dataclass(frozen=True)
class FileChange:
    """The text of a file before and after."""

    path: Path
    before: str
    after: str

    @property
    def diff(self) -> str:
        """Returns the lines that change, as `diff -u` would print them."""
        name = str(self.path)
        before, after = self.before.splitlines(), self.after.splitlines()
        lines = difflib.unified_diff(before, after, name, name, lineterm="")
        return "".join(f"{line}\n" for line in lines)


def open_case(bound: BoundCase, connection: ConnectionText | None, lazy: bool) -> CaseFiles:
    """Reads the files of a loaded case again, which must be a case without errors still."""
    path = bound.case.path
    connection = needed(bound.case, connection)
    where = Path(connection.place.file)
    given = where if connection.home is None else None
    texts = {path: text_of(path)}
    is_same = where.resolve() == path.resolve()
    texts[where] = texts[path] if is_same else text_of(where)
    bound, found = pipeline.check(path, given, lazy, texts)
    connection = needed(bound.case, found)
    case = YamlEdits(texts[path], str(path))
    edits = case if is_same else YamlEdits(texts[where], str(where))
    block = ("connect",) if edits.has(("case",)) else ()  # which `add` makes if there is none
    where_path = path if is_same else where
    return CaseFiles(path, given, lazy, bound, connection, case, edits, where_path, block)


@contextmanager
def copied(files: CaseFiles, copies: Sequence[tuple[Path, str]]) -> Iterator[None]:
    """Copies files into the folder of a case, and takes them out again if anything fails."""
    done: list[Path] = []
    try:
        for origin, within in copies:
            *below, name = Path(within).parts
            with checked_folder(files.home.absolute(), *below) as folder:
                aside = folder.path / unguessable_name()
                try:
                    shutil.copyfile(origin, aside)
                    folder.take(aside, name)
                finally:
                    with suppress(OSError):
                        aside.unlink()
                done.append(folder.path / name)
        yield
    except BaseException:
        for path in done:
            with suppress(OSError):
                path.unlink()
        raise


def refuse_unwritable(files: CaseFiles) -> None:
    """Refuses files that cannot be replaced, before anything long begins."""
    for path in {files.path, files.where_path}:
        refuse_link(path)
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise MiningFlowError(Diagnostic(f"{path} is not a file", None, "name a case file"))
        if not mode & 0o222 or not os.access(path, os.W_OK):
            hint = "make it writable, or look at the change with `--dry-run`"
            raise MiningFlowError(Diagnostic(f"{path} is read-only", None, hint))


def save(changes: Sequence[FileChange]) -> None:
    """Writes files, each whole or not at all; if one cannot be written, none is changed."""
    for each in changes:
        _refuse_changed(each)
    done: list[FileChange] = []
    try:
        for each in changes:
            _write(each.path, each.after)
            done.append(each)
    except BaseException:
        for each in done:
            _write(each.path, each.before)
        raise


def _refuse_changed(change: FileChange) -> None:
    try:
        now = text_of(change.path)
    except ReadError:
        now = ""
    if now != change.before:
        message = f"{change.path} was changed meanwhile, so nothing was written"
        raise MiningFlowError(Diagnostic(message, None, "repeat the command"))


def _write(path: Path, text: str) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    with checked_folder(path.parent.absolute()) as folder:
        folder.write(path.name, text, mode)
