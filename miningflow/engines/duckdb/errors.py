"""Errors of DuckDB as diagnostics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from miningflow.engines.duckdb.interrupts import heeding_interrupts
from miningflow.errors import Diagnostic, EngineError

_CSV_LINE = re.compile(r"CSV Error on Line: (\d+)")
_CSV_REASONS = ("Expected Number of Columns", "Value with unterminated quote", "Invalid unicode")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turns errors of DuckDB into diagnostics, with a hint where the cause is known."""
    try:
        with heeding_interrupts():
            yield
    except duckdb.Error as error:
        hint = ""
        if "No space left" in str(error) or "disk" in str(error).lower():
            hint = "free some space and run again: what was built before is kept"
        elif "Could not convert string" in str(error):
            hint = "a text was compared with a number: are both keys numbers, or both text?"
        elif "not utf-8 encoded" in str(error) or "Invalid unicode" in str(error):
            hint = "save the file as UTF-8, or name its encoding (`encoding: latin-1`)"
        elif isinstance(error, duckdb.PermissionException):
            hint = "views of a store cannot read files: name the file as the source, {file: …}"
        raise EngineError(Diagnostic(f"DuckDB says: {first_line(error)}", None, hint)) from error


def first_line(error: Exception) -> str:
    """Returns what an error says in one line; for a CSV file, the line of the file and why."""
    lines = str(error).strip().splitlines()
    wrong_line = _CSV_LINE.search(lines[0])
    if wrong_line is None:
        return lines[0]
    said = [line for line in lines[1:] if line.startswith(_CSV_REASONS)]
    return f"line {wrong_line[1]} of the CSV file: {said[0] if said else lines[0]}"
