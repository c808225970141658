"""Bugs: an exception that nobody expected becomes one message, and its details a file."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback

from miningflow import __version__
from miningflow.cli.output import echo_diagnostic, print_json
from miningflow.errors import Diagnostic

CODE = 70
"""The exit code, as sysexits.h has it."""
TRACEBACK = "MININGFLOW_TRACEBACK"
"""The environment variable that lets developers see tracebacks."""


def report_bug(error: BaseException, as_json: bool = False) -> None:
    """Prints that this is a bug, and where its details are."""
    if os.environ.get(TRACEBACK):
        raise error
    reason = "".join(traceback.format_exception_only(error)).strip().splitlines()[0]
    said = Diagnostic(f"this is a bug in MiningFlow: {reason[:300]}", None, _what_to_do(error))
    if as_json:
        print_json({"diagnostics": [said.as_json()]})
    else:
        echo_diagnostic(said)


def _what_to_do(error: BaseException) -> str:
    seen = f"set {TRACEBACK}=1 to see them here"
    try:
        return (
            f"the details are in {_written(error)}: please report it with this file "
            f"(it may quote names and values of your data), or {seen}; "
            "published results are unchanged"
        )
    except OSError as refused:
        return f"its details cannot be written ({refused.strerror}); {seen}"


def _written(error: BaseException) -> str:
    """Writes the details to a new file, which only the user can read."""
    with tempfile.NamedTemporaryFile(
        "w",
        encoding="utf-8",
        errors="backslashreplace",
        prefix="miningflow-bug-",
        suffix=".log",
        delete=False,
    ) as file:
        file.write(f"miningflow {__version__}, Python {platform.python_version()}, ")
        file.write(f"{platform.platform()}\n{sys.argv!r}\n\n")
        file.write("".join(traceback.format_exception(error)))
        return file.name
