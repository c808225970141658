"""Lines that fit the terminal: text is wrapped between words, and stays indented."""

from __future__ import annotations

import os
import textwrap
from typing import TextIO

from miningflow.errors import Diagnostic

_NARROWEST = 20
_DEEPER = "    "


def width_of(stream: TextIO) -> int | None:
    """Returns the columns of a terminal, or COLUMNS; None where lines may have any length."""
    if os.environ.get("COLUMNS", "").isdecimal():
        return int(os.environ["COLUMNS"])
    try:
        return os.get_terminal_size(stream.fileno()).columns or None
    except (OSError, ValueError):
        return None


def wrapped(text: str, width: int | None) -> str:
    """Wraps the lines of a text that are longer than a width, but cuts no word, such as a path."""
    if width is None:
        return text
    return "\n".join(_wrapped(line, max(width, _NARROWEST)) for line in text.split("\n"))


def wrapped_diagnostic(diagnostic: Diagnostic, width: int | None) -> str:
    """Writes a diagnostic; the line of the file and the mark below it stay as they are."""
    lines = str(diagnostic).split("\n")
    kept = range(1, 3) if diagnostic.place and diagnostic.place.text else range(0)
    return "\n".join(line if i in kept else wrapped(line, width) for i, line in enumerate(lines))


def _wrapped(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    text = line.lstrip(" ")
    indent = line[: len(line) - len(text)]
    return textwrap.fill(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent + ("" if len(indent) >= len(_DEEPER) else _DEEPER),
        break_long_words=False,
        break_on_hyphens=False,
    )
