"""Connects to a DuckDB file, and waits while another process has it open."""

from __future__ import annotations

import re
import time
from pathlib import Path

import duckdb

from miningflow.engines.duckdb.errors import first_line
from miningflow.engines.duckdb.locking import configuration
from miningflow.errors import Diagnostic, EngineError

_HEADERS = 3 * 4096
_HELD_BY = re.compile(r"held in (.*?) ?\(PID (\d+)\)")


def connect(path: Path | None, wait: float, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Opens a file, or a database in memory; waits up to `wait` seconds for another process."""
    if path is not None and not path.parent.is_dir():
        raise EngineError(
            Diagnostic(
                f"there is no folder {path.parent} for the store {path.name}", None, "make it first"
            )
        )
    deadline = time.monotonic() + wait
    while True:
        try:
            return duckdb.connect(
                str(path) if path else ":memory:",
                read_only=read_only,
                config=dict(configuration(path)),
            )
        except duckdb.IOException as error:
            held = _HELD_BY.search(str(error))
            if held is None:
                raise EngineError(_cannot_open(path, error)) from None
            if time.monotonic() >= deadline:
                raise EngineError(
                    Diagnostic(
                        f"the store {path} is in use by process {held[2]}",
                        None,
                        "wait for it, end it, or let this command wait with `--wait SECONDS`",
                    )
                ) from None
            time.sleep(0.2)
        except duckdb.Error as error:
            raise EngineError(_cannot_open(path, error)) from None


def _cannot_open(path: Path | None, error: duckdb.Error) -> Diagnostic:
    reason = first_line(error)
    hint = "is it a DuckDB file, and may you write to it?"
    if path is not None and _is_cut_off(path):
        hint = "it was cut off while it was made and holds nothing: delete it and run again"
    if "different configuration" in reason:
        hint = "this process has opened the file itself: close that connection first"
    return Diagnostic(f"cannot open the store {path}: {reason}", None, hint)


def _is_cut_off(path: Path) -> bool:
    """Returns whether a file ends within the headers that DuckDB begins one with."""
    try:
        with path.open("rb") as file:
            start = file.read(_HEADERS)
    except OSError:
        return False
    return len(start) < _HEADERS and (not start.strip(b"\0") or start[8:12] == b"DUCK")
