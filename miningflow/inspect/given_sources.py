"""Where the tables are that a user names: files, globs, folders, databases."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from miningflow.engines.opening import find_store_kind
from miningflow.errors import Diagnostic, RunError, listed, suggestion
from miningflow.inspect.column_words import concept_name

DATA_ENDINGS = (".csv", ".tsv", ".txt", ".parquet")
DATABASE_ENDINGS = (".duckdb", ".ddb", ".db")
EXCEL_ENDINGS = (".xlsx", ".xlsm")
READ = ".csv, .tsv or .txt (also with .gz), .parquet, .xlsx, .duckdb, or a database such as postgresql://…"
_COUNTED = re.compile(r"[-_. ]*(part[-_]?)?\d+$", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][\w+.-]*://")
_WILD = re.compile(r"[*?[]")


@dataclass(frozen=True)
class GivenSource:
    """A table that a user named, or a database whose tables are meant."""

    name: str
    """The name of the concept; empty for a database or a workbook, which may have several."""
    shown: str
    paths: tuple[Path, ...] = ()
    pattern: str | None = None
    """The glob that the paths were found by, as an absolute path."""
    database: str | None = None
    """The address of a store whose tables are meant."""
    workbook: Path | None = None
    frame: Any = None
    """A data frame of pandas, polars or Arrow."""
    is_made: bool = False
    """Whether its file was made for the case, and must be copied."""
    notes: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        """Returns what messages call a file that was made for the case; empty for the others."""
        return self.shown if self.is_made else ""


def given_source(word: str, name: str | None = None) -> list[GivenSource]:
    """Finds what a word of the user means: one source, or all the files of a folder."""
    if find_store_kind(word) is not None:
        return [GivenSource("", word, database=word)]
    if scheme := _SCHEME.match(word):
        raise _refused(f"{scheme[0]} is no kind of database that can be read", f"use {READ}")
    path = Path(word)
    try:
        if path.is_dir():
            return _folder(path)
        is_file = path.is_file()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _refused(f"{word!r} is no path: {reason}", "") from None
    if is_file:
        return [_file(path, word, name)]
    if _WILD.search(word):
        return [_matching(word, name)]
    raise _absent(path)


def _file(path: Path, shown: str, name: str | None) -> GivenSource:
    endings = [ending.lower() for ending in path.suffixes]
    last = endings[-1] if endings else ""
    if last in DATABASE_ENDINGS or _is_duckdb(path):
        return GivenSource("", shown, database=f"duckdb:///{path.absolute()}")
    if last in EXCEL_ENDINGS:
        return GivenSource("", shown, workbook=path)
    if not _is_data(path):
        raise _refused(f"{path.name} is no kind of file that can be read", f"use {READ}")
    if "${" in str(path.absolute()):
        raise _refused(f"the path {str(path)!r} contains '${{'", "rename the file or the folder")
    return GivenSource(name or concept_name(_stem(path)), shown, (path.absolute(),))


def _matching(word: str, name: str | None) -> GivenSource:
    found = sorted(Path(each) for each in glob.glob(word, recursive=True))
    files = [path for path in found if path.is_file()]
    if not files:
        raise _refused(f"no file matches {word!r}", "quote a glob, and check the folder")
    wrong = [path.name for path in files if not _is_data(path)]
    if wrong:
        raise _refused(f"{word!r} also matches {listed(wrong, 3)}", f"use {READ}")
    stem = _COUNTED.sub("", _stem(files[0])) or _stem(files[0])
    folder = "" if Path(word).is_absolute() else glob.escape(str(Path.cwd())) + "/"
    paths = tuple(path.absolute() for path in files)
    return GivenSource(name or concept_name(stem), word, paths, folder + word)


def _folder(folder: Path) -> list[GivenSource]:
    """Makes a source of each file; numbered files of one name are one source."""
    inside = folder.resolve()
    found: dict[str, list[Path]] = {}
    skipped: list[str] = []
    others: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or not path.is_file():
            continue
        if not path.resolve().is_relative_to(inside):
            skipped.append(f"{path.name} is a link that leaves the folder, and was not read")
        elif _is_data(path):
            found.setdefault(_COUNTED.sub("", _stem(path)) or _stem(path), []).append(path)
        elif path.suffix.lower() in (*EXCEL_ENDINGS, *DATABASE_ENDINGS):
            others.append(path)
        else:
            skipped.append(f"{path.name} is no table, and was not read")
    sources: list[GivenSource] = []
    for stem, paths in found.items():
        if len(paths) == 1 or not _same_columns(paths):
            sources += [_file(path, str(path), None) for path in paths]
            continue
        ending = "".join(paths[0].suffixes[-2:] if paths[0].suffix == ".gz" else [paths[0].suffix])
        pattern = f"{glob.escape(str(folder.absolute()))}/{glob.escape(stem)}*{ending}"
        absolute = tuple(path.absolute() for path in paths)
        sources.append(GivenSource(concept_name(stem), pattern, absolute, pattern))
    sources += [_file(path, str(path), None) for path in others]
    if not sources:
        raise _refused(f"no file in {folder} can be read", f"use {READ}")
    first = sources[0]
    return [replace(first, notes=tuple(skipped)), *sources[1:]]


def _same_columns(paths: Sequence[Path]) -> bool:
    """Returns whether files have the same first line, or the same columns of Parquet."""
    from miningflow.engines.csv_header import csv_header
    from miningflow.engines.engine import FileError

    try:
        if any(".parquet" in path.name.lower() for path in paths):
            import pyarrow.parquet as pq

            names = {tuple(pq.read_schema(path).names) for path in paths}
        else:
            names = {csv_header(path, None).columns for path in paths}
    except (FileError, OSError, ValueError):
        return False
    return len(names) == 1


def _is_data(path: Path) -> bool:
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] == ".gz":
        endings = endings[:-1]
    return bool(endings) and endings[-1] in DATA_ENDINGS


def _is_duckdb(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(12)[8:12] == b"DUCK"
    except OSError:
        return False


def _stem(path: Path) -> str:
    name = path.name
    for ending in (".gz", *DATA_ENDINGS):
        if name.lower().endswith(ending):
            name = name[: -len(ending)]
    return name


def _absent(path: Path) -> RunError:
    if path.is_symlink():
        return _refused(
            f"{path} is a link to something that does not exist", "name the file itself"
        )
    parent = path.parent
    near = sorted(p.name for p in parent.iterdir())[:200] if parent.is_dir() else []
    hint = suggestion(path.name, near, f"files in {parent}") if near else f"no folder {parent}"
    return _refused(f"there is no file {str(path)!r}", hint)


def _refused(message: str, hint: str) -> RunError:
    return RunError(Diagnostic(message, None, hint))
