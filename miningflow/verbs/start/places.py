"""Where a new case finds its data: copied into its folder, or where they are."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from miningflow.engines.opening import store_kind
from miningflow.inspect.looking import Inspected
from miningflow.names import file_name
from miningflow.verbs.start.databases import DatabaseAddress

MOST_COPIED = 200_000_000
"""Bytes of files that are copied into the folder of a case; larger ones stay where they are."""


@dataclass
class Places:
    """The store of a case, and the file or table of each concept as its connection names them."""

    store: str
    repository: str = ""
    files: dict[str, str] = field(default_factory=dict)
    tables: dict[str, str] = field(default_factory=dict)
    copies: list[tuple[Path, str]] = field(default_factory=list)
    """Files to copy, each with its path within the folder."""
    inside: bool = True
    """Whether all is in the folder of the case, so that it runs without `--connect`."""


def plan_places(
    name: str, tables: Sequence[Inspected], database: DatabaseAddress | None, in_place: bool
) -> Places:
    """Decides for each source where the case will find it; copies nothing yet."""
    places = Places(f"duckdb:///{file_name(name)}.duckdb")
    if database is not None:
        places.store, places.inside = database.written, False
        if store_kind(database.url).dialect == "spark":
            places.repository = f"sqlite:///{file_name(name)}.sqlite"
    place_tables(places, tables, in_place or is_large(tables), set())
    return places


def is_large(tables: Sequence[Inspected]) -> bool:
    """Returns whether the files of tables are too large to be copied."""
    size = sum(path.stat().st_size for table in tables for path in table.source.paths)
    return size > MOST_COPIED


def place_tables(
    places: Places, tables: Sequence[Inspected], in_place: bool, taken: set[str]
) -> None:
    """Decides where each table will be; `taken` are names of files in small letters."""
    for table in tables:
        if table.table is not None:
            places.tables[table.facts.name] = _table(table)
        elif in_place and not table.source.is_made:
            named = table.source.pattern or str(table.source.paths[0])
            places.files[table.facts.name] = named
            places.inside = False
        else:
            places.files[table.facts.name] = _copied(table, places, taken)


def copy_files(places: Places, folder: Path) -> None:
    """Copies the files of sources into the folder of a case."""
    for origin, within in places.copies:
        target = folder / within
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(origin, target)


def _copied(table: Inspected, places: Places, taken: set[str]) -> str:
    paths = table.source.paths
    if len(paths) == 1:
        within = _free(f"data/{_safe(paths[0].name)}", taken)
        places.copies.append((paths[0], within))
        return within
    folder = _free(f"data/{_safe(table.facts.name)}", taken)
    endings: dict[str, None] = {}
    for path in paths:
        within = _free(f"{folder}/{_safe(path.name)}", taken)
        places.copies.append((path, within))
        gz = path.suffix.lower() == ".gz"
        endings["".join(path.suffixes[-2:]) if gz else path.suffix] = None
    return f"{folder}/*{next(iter(endings))}" if len(endings) == 1 else f"{folder}/*"


def _safe(name: str) -> str:
    """Returns the name of a file without characters that mean something in a path or pattern."""
    stem, dot, endings = name.partition(".")
    return (
        (file_name(stem) or "data")
        + dot
        + endings.replace("*", "_").replace("?", "_").replace("[", "_").replace("$", "_")
    )


def _free(within: str, taken: set[str]) -> str:
    stem, dot, endings = within.partition(".")
    number = 2
    while within.casefold() in taken:
        within, number = f"{stem}_{number}{dot}{endings}", number + 1
    taken.add(within.casefold())
    return within


def _table(table: Inspected) -> str:
    assert table.table is not None
    return ".".join('"' + part.replace('"', '""') + '"' for part in table.table)
