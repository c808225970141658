"""Writes files into folders that a stranger may have prepared, through no link.

A folder that came with a case may contain links where files are about to be written. Folders are
therefore opened one by one without following links, and files made under names nobody can guess.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from miningflow.errors import Diagnostic, MiningFlowError

# Windows opens no folders, and has no descriptors to name files by: paths are checked there.
_BY_DESCRIPTOR = os.open in os.supports_dir_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_OLD_FILE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_SCRATCH = re.compile(r"\.[0-9a-f]{24}\.part")
_HINT = "remove it, or name another folder"


@dataclass(frozen=True)
class CheckedFolder:
    """A real folder, held open."""

    path: Path
    descriptor: int | None

    def write(self, name: str, text: str, mode: int | None = None) -> None:
        """Writes a text file, whole or not at all; `mode` says who may read and write it."""
        self.refuse(name)
        with _plain_errors(self.path / name):
            aside, file = self._aside()
            try:
                with os.fdopen(file, "w", encoding="utf-8", newline="\n") as opened:
                    opened.write(text)
                    if mode is not None and hasattr(os, "fchmod"):
                        os.fchmod(opened.fileno(), mode)
                    opened.flush()
                    if self.descriptor is not None:  # before it is closed, and not locked any more
                        self._move(aside, self.descriptor, name)
                if self.descriptor is None:  # Windows moves no open file
                    self._move(self._named(aside), None, name)
            except BaseException:
                with suppress(OSError):
                    os.unlink(self._named(aside), dir_fd=self.descriptor)
                raise

    def take(self, written: Path, name: str) -> None:
        """Moves a file, which lies on the same disk, to its place."""
        self.refuse(name)
        with _plain_errors(self.path / name):
            self._move(str(written), None, name)

    def remove(self, name: str) -> None:
        """Removes a file or a link, if it is there."""
        with _plain_errors(self.path / name), suppress(FileNotFoundError):
            os.unlink(self._named(name), dir_fd=self.descriptor)

    def refuse(self, name: str) -> None:
        """Refuses a name that is taken by anything but a file."""
        try:
            found = os.lstat(self._named(name), dir_fd=self.descriptor).st_mode
        except OSError:
            return
        if not stat.S_ISREG(found):
            kind = "a link" if stat.S_ISLNK(found) else "not a file"
            raise MiningFlowError(Diagnostic(f"{self.path / name} is {kind}", None, _HINT))

    def remove_scratch_files(self) -> None:
        """Removes what `write` left in processes that died; a file being written is locked."""
        for name in os.listdir(self.descriptor) if self.descriptor is not None else ():
            if not _SCRATCH.fullmatch(name):
                continue
            with suppress(OSError):  # another process removed or moved it
                file = os.open(name, _OLD_FILE, dir_fd=self.descriptor)
                try:
                    if stat.S_ISREG(os.fstat(file).st_mode):
                        _lock(file)
                        os.unlink(name, dir_fd=self.descriptor)
                finally:
                    os.close(file)

    def _aside(self) -> tuple[str, int]:
        """Opens a new file under another name, locked until it is closed."""
        while True:
            aside = unguessable_name()
            file = os.open(self._named(aside), _NEW_FILE, 0o666, dir_fd=self.descriptor)
            with suppress(BlockingIOError):
                _lock(file)
                if os.fstat(file).st_nlink:
                    return aside, file
            os.close(file)  # a process took it for a file that was left, before it was locked

    def _named(self, name: str) -> str:
        return name if self.descriptor is not None else str(self.path / name)

    def _move(self, written: str, folder: int | None, name: str) -> None:
        os.replace(written, self._named(name), src_dir_fd=folder, dst_dir_fd=self.descriptor)


@contextmanager
def checked_folder(named: Path, *below: str) -> Iterator[CheckedFolder]:
    """Opens a folder below the one that the user named, and makes what is missing of it.

    An absolute path is the user's choice and may lead through links. A relative one starts in the
    folder where the command runs, which may be a stranger's, and leads through real folders only.
    """
    with _plain_errors(named):
        if named.is_absolute():
            named.mkdir(parents=True, exist_ok=True)
        start, steps = (named, below) if named.is_absolute() else (Path(), (*named.parts, *below))
        with ExitStack() as stack:
            folder = CheckedFolder(start, _opened(start, None, stack))
            for step in steps:
                folder = _entered(folder, step, stack)
            yield folder


def check_folders(named: Path, *below: str) -> Path:
    """Refuses what `checked_folder` would refuse, and makes nothing; returns the path."""
    start = named if named.is_absolute() else Path()
    for step in below if named.is_absolute() else (*named.parts, *below):
        start = start / step
        refuse_link(start)
        if start.exists() and not start.is_dir():
            raise MiningFlowError(Diagnostic(f"{start} is not a folder", None, _HINT))
    return start


def unguessable_name() -> str:
    """Returns a name for a temporary file or folder."""
    return f".{secrets.token_hex(12)}.part"


def is_scratch(path: Path) -> bool:
    """Returns whether a name is one of ours for temporary files, left by a process that died."""
    return _SCRATCH.fullmatch(path.name) is not None


def remove_scratch(folder: Path) -> None:
    """Removes the temporary folders that processes left which died."""
    for path in folder.iterdir():
        if is_scratch(path) and not path.is_symlink() and path.is_dir():
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def scratch_folder(path: Path) -> Iterator[Path]:
    """Makes a folder for this user only, and removes it at the end."""
    with _plain_errors(path):
        path.mkdir(mode=0o700)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _lock(file: int) -> None:
    """Locks a file, where files can be locked; raises BlockingIOError if it is locked."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _entered(folder: CheckedFolder, step: str, stack: ExitStack) -> CheckedFolder:
    path = folder.path / step
    refuse_link(path)
    place = step if folder.descriptor is not None else str(path)
    with suppress(FileExistsError):
        os.mkdir(place, dir_fd=folder.descriptor)
    try:
        return CheckedFolder(path, _opened(Path(place), folder.descriptor, stack))
    except NotADirectoryError:
        raise MiningFlowError(Diagnostic(f"{path} is not a folder", None, _HINT)) from None


def _opened(path: Path, parent: int | None, stack: ExitStack) -> int | None:
    if not _BY_DESCRIPTOR:
        return None
    follow = _FOLDER if parent is not None else _FOLDER & ~getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, follow, dir_fd=parent)
    stack.callback(os.close, descriptor)
    return descriptor


def refuse_link(path: Path) -> None:
    """Refuses a link where a file or folder is about to be written."""
    if path.is_symlink():
        message = f"{path} is a link, and files are written to real folders only"
        raise MiningFlowError(Diagnostic(message, None, _HINT))


@contextmanager
def _plain_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise MiningFlowError(Diagnostic(f"cannot write to {path}: {reason}")) from None
