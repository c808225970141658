"""Starts the command line; nothing heavy is imported before ^C is heeded."""

from __future__ import annotations

import io
import os
import sys

from miningflow.cli import interruption

ASKED = "_MININGFLOW_COMPLETE"
"""The environment variable by which the script of a shell asks what may come next."""


def main() -> None:
    """Runs the command line, and ends with its exit code."""
    interruption.heed()
    try:
        code = _ran()
    except KeyboardInterrupt:  # while the command was ending
        code = 0
    interruption.ignore()
    if interruption.came():
        interruption.report("the command had ended" if code == 0 else "")
        code = interruption.CODE
    sys.exit(code)


def _ran() -> int:
    """Returns the exit code of the command; an unknown exception is a bug."""
    try:
        if ASKED in os.environ:
            from miningflow.cli.completing import complete

            return complete(sys.argv[1:])
        from miningflow.cli.commands import app

        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # a console that cannot print ● gets a ?
                stream.reconfigure(errors="replace")
        app()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except KeyboardInterrupt:
        return interruption.CODE
    except Exception as error:
        from miningflow.cli.bugs import CODE, report_bug

        if not interruption.came():
            report_bug(error)
        return CODE
    return 0
