"""Where a case finds new tables: in its folder, where their files are copied if need be."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from miningflow.inspect.looking import Inspected
from miningflow.verbs.add.case_files import CaseFiles
from miningflow.verbs.start.places import Places, is_large, place_tables


def place_additions(files: CaseFiles, tables: Sequence[Inspected], in_place: bool) -> Places:
    """Decides where the connection finds each new table; copies nothing yet."""
    places = Places("")
    outside: list[Inspected] = []
    for each in tables:
        within = _within(files, each) if not each.source.is_made else None
        if within is None or each.table is not None:
            outside.append(each)
        else:
            places.files[each.facts.name] = _from_connection(files, within)
    large = is_large([each for each in outside if each.table is None])
    own = set(places.files)
    place_tables(places, outside, in_place or large, _taken(files.home))
    copied = {within for _, within in places.copies}
    for name, file in places.files.items():
        if name not in own and not Path(file).is_absolute() and _is_copied(file, copied):
            places.files[name] = _from_connection(files, file)
    return places


def _within(files: CaseFiles, table: Inspected) -> str | None:
    """Returns the path of a file, or the pattern of several, if they are in the case's folder."""
    home = files.home.absolute()
    resolved = home.resolve()
    if not all(path.resolve().is_relative_to(resolved) for path in table.source.paths):
        return None
    if table.source.pattern is not None:
        start = f"{glob.escape(str(home))}/"
        found = table.source.pattern.removeprefix(start)
        return found if found != table.source.pattern and ".." not in found else None
    path = table.source.paths[0] if len(table.source.paths) == 1 else None
    if path is None:
        return None
    if path.is_relative_to(home) and ".." not in path.parts:
        return path.relative_to(home).as_posix()
    return path.resolve().relative_to(resolved).as_posix()


def _from_connection(files: CaseFiles, within: str) -> str:
    """Writes a path within the case's folder as the connection file has to."""
    home, folder = files.home.absolute(), files.connection.folder.absolute()
    if home == folder:
        return within
    if folder.is_relative_to(home):
        return f"{Path(os.path.relpath(home, folder)).as_posix()}/{within}"
    return f"{home.as_posix()}/{within}"


def _is_copied(file: str, copied: set[str]) -> bool:
    folder = file.rpartition("/")[0]
    return file in copied or any(each.startswith(f"{folder}/") for each in copied)


def _taken(home: Path) -> set[str]:
    """Names what the folder of data has already, in small letters."""
    data = home / "data"
    if not data.is_dir():
        return set()
    return {f"data/{each.name}".casefold() for each in data.iterdir()}
