"""Which files a store may reach: those that the user or the connection named, and no others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FileAccess:
    """Files that a store may read, and folders in which it may write."""

    files: frozenset[Path] = frozenset()
    folders: frozenset[Path] = frozenset()

    def __or__(self, other: FileAccess) -> FileAccess:
        return FileAccess(self.files | other.files, self.folders | other.folders)


NO_FILES = FileAccess()


def access_to(files: Iterable[Path] = (), folders: Iterable[Path] = ()) -> FileAccess:
    """Returns the access to files and folders, by absolute paths."""
    return FileAccess(
        frozenset(path.absolute() for path in files),
        frozenset(path.absolute() for path in folders),
    )
