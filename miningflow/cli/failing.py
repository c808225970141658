"""How commands fail: messages on standard error and an exit code, never a traceback."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

from miningflow.cli import interruption
from miningflow.cli.output import echo, echo_diagnostic, print_json
from miningflow.errors import Diagnostic, MiningFlowError, without_repetitions

_INTENDED = (typer.Exit, typer.Abort, typer.BadParameter)
# What Python and the loader of libraries say where the address space is too small.
_OUT_OF_MEMORY = ("can't start new thread", "failed to map segment", "annot allocate memory")


@contextmanager
def failing(as_json: bool = False) -> Iterator[None]:
    """Turns errors into messages: of the user, of the system, and our own."""
    try:
        yield
    except _INTENDED:
        raise
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except (Exception, KeyboardInterrupt) as error:
        raise typer.Exit(_reported(error, as_json)) from None


def _reported(error: BaseException, as_json: bool) -> int:
    """Reports an error, and returns the exit code."""
    if isinstance(error, KeyboardInterrupt) or interruption.came():
        if as_json:
            _report([Diagnostic("interrupted")], as_json)
        interruption.report(str(error) if isinstance(error, KeyboardInterrupt) else "")
        return interruption.CODE
    match error:
        case MiningFlowError():
            _report(error.diagnostics, as_json)
        case _ if _lacks_memory(error):
            hint = "learn from fewer rows with `sample_size`, raise the limit of this process "
            hint += "(`ulimit -v`), or use a larger machine; published results are unchanged"
            _report([Diagnostic("there is not enough memory", None, hint)], as_json)
        case OSError():
            name = f": {error.filename}" if error.filename else ""
            _report([Diagnostic(f"{error.strerror or error}{name}")], as_json)
        case _:
            from miningflow.cli import bugs

            bugs.report_bug(error, as_json)
            return bugs.CODE
    return 1


def _lacks_memory(error: BaseException) -> bool:
    """Returns whether there is too little memory for data, a thread or a library."""
    match error:
        case MemoryError():
            return True
        case OSError():
            return error.errno == errno.ENOMEM
        case RuntimeError() | ImportError():
            return any(said in str(error) for said in _OUT_OF_MEMORY)
    return False


def _report(diagnostics: Sequence[Diagnostic], as_json: bool) -> None:
    if as_json:
        print_json({"diagnostics": [each.as_json() for each in diagnostics]})
        return
    for diagnostic in without_repetitions(diagnostics):
        echo_diagnostic(diagnostic)
    errors = sum(each.severity == "error" for each in diagnostics)
    if errors > 1:
        echo(f"\n{errors} errors", err=True)
