"""How a CSV file is laid out: its encoding, its delimiter, and the names of its columns."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from miningflow.engines.csv_header import DELIMITERS
from miningflow.engines.csv_reading import ENCODINGS
from miningflow.errors import Diagnostic, RunError
from miningflow.inspect.text_forms import is_number, is_time

LOOKED_AT = 1_000_000
LINES = 200
_MORE_DELIMITERS = (":", "^", "~", " ")
_BINARY = (b"\x1f\x8b", b"PK\x03\x04", b"%PDF", b"\x89PNG", b"SQLite format 3", b"PAR1")


@dataclass(frozen=True)
class CsvShape:
    """The layout of a CSV file."""

    encoding: str
    delimiter: str
    columns: tuple[str, ...]


def csv_shape(path: Path, shown: str = "") -> CsvShape:
    """Looks at the beginning of a file; refuses one that is no table with a header.

    Messages call the file `shown`, where its user does not know the file itself.
    """
    shown = shown or path.name
    content = _beginning(path, shown)
    encoding = _encoding(shown, content)
    text = content.decode(ENCODINGS[encoding], errors="replace")
    if len(content) == LOOKED_AT:
        text = text.rpartition("\n")[0] or text  # the last line may be cut off
    delimiter, rows = _split(text)
    if not rows:
        raise _refused(f"{shown} is empty", "its first line names the columns")
    header = [name.strip() for name in rows[0]]
    if len(rows) < 2:
        raise _refused(f"{shown} has no rows below its first line", "a case needs rows to look at")
    _check_header(shown, header, rows[1:])
    return CsvShape(encoding, delimiter, tuple(header))


def _beginning(path: Path, shown: str) -> bytes:
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            content: bytes = file.read(LOOKED_AT)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise _refused(f"{path} cannot be read: {reason}", "") from None
    if not content.strip(b"\xff\xfe\xef\xbb\xbf\0 \t\r\n"):
        raise _refused(f"{shown} is empty", "its first line names the columns")
    return content


def _encoding(shown: str, content: bytes) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if content.startswith(_BINARY) or b"\0" in content[:LOOKED_AT]:
        raise _refused(
            f"{shown} is not text, although its name says so",
            "give it the ending of what it is: .csv.gz, .parquet, .xlsx, .duckdb",
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _split(text: str) -> tuple[str, list[list[str]]]:
    """Returns the delimiter that divides the lines most evenly, and the divided lines."""
    best: tuple[tuple[bool, int], str, list[list[str]]] | None = None
    for delimiter in (*DELIMITERS, *_MORE_DELIMITERS):
        rows = _rows(text, delimiter)
        width = len(rows[0]) if rows else 0
        even = all(len(row) == width for row in rows)
        if delimiter in _MORE_DELIMITERS and (best is None or best[0][1] > 1 or not even):
            continue  # only where no usual delimiter divides anything
        rank = (even and width > 1, width)
        if best is None or rank > best[0]:
            best = rank, delimiter, rows
    assert best is not None
    return best[1], best[2]


def _rows(text: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    found: list[list[str]] = []
    try:
        for row in reader:
            if row:
                found.append(row)
            if len(found) > LINES:
                break
    except csv.Error:
        return found
    return found


def _check_header(shown: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Refuses a first line that looks like a row: every field is a number, a date or a value."""
    as_values = 0
    for i, name in enumerate(header):
        if (
            is_number(name)
            or is_time(name)
            or (name and any(len(row) > i and row[i].strip() == name for row in rows))
        ):
            as_values += 1
        else:
            return
    if as_values:
        names = ", ".join(header[:4]) + (", …" if len(header) > 4 else "")
        raise _refused(
            f"the first line of {shown} looks like a row, not like names of columns: {names}",
            "add a line of names at the top",
        )


def _refused(message: str, hint: str) -> RunError:
    return RunError(Diagnostic(message, None, hint))
