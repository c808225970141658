"""Names of files or tables that the caller gives, outside any case file."""

from __future__ import annotations

from pathlib import Path

from miningflow.errors import Place
from miningflow.read import Scalar

_NOWHERE = Place("", 0, 0)
_FILES = {".csv", ".tsv", ".txt", ".gz", ".parquet"}


def is_file(name: str) -> bool:
    """Returns whether a name means a file, and not a table of the store such as `schema.table`."""
    known = {s.lower() for s in Path(name).suffixes} & _FILES
    return bool(known) or "*" in name or "/" in name or Path(name).is_file()


def given_name(name: str, place: Place = _NOWHERE) -> Scalar:
    """Returns a name that was not read from a case file, and so has no position there."""
    return Scalar(name, "text", place)
