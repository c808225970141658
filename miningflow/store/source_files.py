"""The files of sources: found by name or by pattern."""

from __future__ import annotations

import glob
from contextlib import suppress
from pathlib import Path

from miningflow.engines.file_access import FileAccess, access_to
from miningflow.errors import Diagnostic, RunError, suggestion
from miningflow.nodes import Scalar
from miningflow.read import ConnectionText


def access_of(connection: ConnectionText) -> FileAccess:
    """Returns the access that the sources of a connection need; missing ones are reported later."""
    found: list[Path] = []
    for source in connection.sources.values():
        if source.file is not None:
            with suppress(RunError):
                found += find_files(connection.folder, source.file)
    return access_to(found)


def find_files(folder: Path, scalar: Scalar) -> tuple[Path, ...]:
    """Finds the file, or the files of a glob."""
    exact = folder / scalar.text
    try:
        if exact.is_file():
            return (exact,)
        found = sorted(glob.glob(scalar.text, root_dir=folder, recursive=True))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RunError(Diagnostic(f"this is no path: {reason}", scalar.place)) from None
    paths = tuple(folder / name for name in found if (folder / name).is_file())
    if not paths and exact.is_dir():
        hint = f"write for example '{scalar.text.rstrip('/')}/*.parquet' for the files in it"
        raise RunError(Diagnostic(f"{scalar.text!r} is a folder", scalar.place, hint))
    if not paths:
        parent = exact.parent
        near = sorted(p.name for p in parent.iterdir())[:200] if parent.is_dir() else []
        hint = suggestion(exact.name, near, f"files in {parent}") if near else f"no folder {parent}"
        raise RunError(Diagnostic(f"there is no file {scalar.text!r}", scalar.place, hint))
    return paths
