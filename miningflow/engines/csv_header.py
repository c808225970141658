"""The first line of a CSV file: which columns there are, and what stands between them.

An engine that guesses these from the data may guess wrong and leave rows out: DuckDB's sniffer
skips lines that do not fit the others, and takes a row that begins with # for a comment.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from miningflow.engines.engine import FileError
from miningflow.errors import Mistake

DELIMITERS = (",", ";", "\t", "|")
LONGEST = 4_000_000


@dataclass(frozen=True)
class Header:
    """The columns of a CSV file, each under a name of its own."""

    columns: tuple[str, ...]
    delimiter: str


def csv_header(path: Path, delimiter: str | None) -> Header:
    """Reads the first line; without a delimiter, the one that gives most columns counts."""
    text = _beginning(path)
    found = [Header(_names(path, text, d), d) for d in ([delimiter] if delimiter else DELIMITERS)]
    header = max(found, key=lambda header: len(header.columns))
    if any(ord(c) < 32 and not c.isspace() for name in header.columns for c in name):
        raise FileError(
            Mistake(f"the first line of {path.name} is not text", None, "is it a CSV file?")
        )
    return header


def _beginning(path: Path) -> str:
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            content = file.read(LONGEST)
    except (OSError, EOFError) as error:
        raise FileError(Mistake(f"{path.name} cannot be read: {error}")) from None
    line = io.BytesIO(content).readline()
    if not content.strip():
        raise FileError(Mistake(f"{path.name} is empty", None, "its first line names the columns"))
    try:
        line.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(
            Mistake(f"{path.name} is not UTF-8 text", None, "save it as UTF-8")
        ) from None
    return content.decode("utf-8-sig", errors="replace")


def _names(path: Path, text: str, delimiter: str) -> tuple[str, ...]:
    """Gives the names; of several equal ones none is meant, so each is told apart by position."""
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except (csv.Error, TypeError) as error:
        raise FileError(Mistake(f"the first line of {path.name} cannot be read: {error}")) from None
    names = [name.strip() or f"column {i + 1}" for i, name in enumerate(names)]
    times = Counter(name.casefold() for name in names)
    return tuple(
        name if times[name.casefold()] == 1 else f"{name} (column {i + 1})"
        for i, name in enumerate(names)
    )
