"""The first line of a CSV file: which columns there are, and what stands between them.

An engine that guesses these from the data may guess wrong and leave rows out: DuckDB's sniffer
skips lines that do not fit the others, and takes a row that begins with # for a comment.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from dataclasses import dataclass
from pathlib import Path

from miningflow.engines.column_names import distinct_names
from miningflow.engines.csv_reading import ENCODINGS, ZONED
from miningflow.engines.engine import FileError
from miningflow.errors import Diagnostic

DELIMITERS = (",", ";", "\t", "|")
LONGEST = 4_000_000


@dataclass(frozen=True)
class Header:
    """The columns of a CSV file, each under a unique name."""

    columns: tuple[str, ...]
    delimiter: str


def csv_header(path: Path, delimiter: str | None, encoding: str = "utf-8") -> Header:
    """Reads the first line; without a delimiter, the one that yields the most columns counts."""
    text = _beginning(path, encoding)
    found = [Header(_names(path, text, d), d) for d in ([delimiter] if delimiter else DELIMITERS)]
    header = max(found, key=lambda header: len(header.columns))
    if any(ord(c) < 32 and not c.isspace() for name in header.columns for c in name):
        raise FileError(
            Diagnostic(f"the first line of {path.name} is not text", None, "is it a CSV file?")
        )
    return header


def uses_delimiter(path: Path, delimiter: str, encoding: str = "utf-8") -> bool:
    """Returns whether the first line has a delimiter, so that it may be that of the file."""
    return delimiter in _beginning(path, encoding).partition("\n")[0]


def has_zoned_times(path: Path, encoding: str = "utf-8") -> bool:
    """Returns whether times with a time zone are among the first values of a file."""
    try:
        return re.search(ZONED, _beginning(path, encoding)) is not None
    except FileError:  # loading it says what is wrong
        return False


def _beginning(path: Path, encoding: str) -> str:
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            content = file.read(LONGEST)
    except (OSError, EOFError) as error:
        raise FileError(Diagnostic(f"{path.name} cannot be read: {error}")) from None
    if not content.strip(b"\xff\xfe\xef\xbb\xbf\0 \t\r\n"):
        raise FileError(
            Diagnostic(f"{path.name} is empty", None, "its first line names the columns")
        )
    codec = ENCODINGS[encoding]
    text = content.decode(codec, errors="replace")
    if "\N{REPLACEMENT CHARACTER}" in text.partition("\n")[0] and encoding != "latin-1":
        hint = "save it as UTF-8, or say which it has: `encoding: latin-1` or `encoding: utf-16`"
        raise FileError(Diagnostic(f"{path.name} is not {encoding.upper()} text", None, hint))
    return text


def _names(path: Path, text: str, delimiter: str) -> tuple[str, ...]:
    """Returns the names; equal ones are numbered by position."""
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except (csv.Error, TypeError) as error:
        raise FileError(
            Diagnostic(f"the first line of {path.name} cannot be read: {error}")
        ) from None
    return distinct_names([name.strip() or f"column {i + 1}" for i, name in enumerate(names)])
