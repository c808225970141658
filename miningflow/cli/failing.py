"""How commands fail: mistakes on standard error and exit code 1, never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import typer

from miningflow.errors import MiningFlowError, Mistake


@contextmanager
def failing(as_json: bool = False) -> Iterator[None]:
    """Turns errors that a user can mend into messages; bugs crash."""
    try:
        yield
    except MiningFlowError as error:
        _tell(error.mistakes, as_json)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        if as_json:
            _tell([Mistake("stopped by the user")], as_json)
        typer.echo("\nstopped; the last good results are as they were", err=True)
        raise typer.Exit(130) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as error:
        name = f": {error.filename}" if error.filename else ""
        _tell([Mistake(f"{error.strerror or error}{name}")], as_json)
        raise typer.Exit(1) from None


def _tell(mistakes: Sequence[Mistake], as_json: bool) -> None:
    if as_json:
        import json

        typer.echo(json.dumps({"mistakes": [m.as_json() for m in mistakes]}, ensure_ascii=False))
        return
    for mistake in mistakes:
        typer.echo(str(mistake), err=True)
    errors = sum(m.severity == "error" for m in mistakes)
    if errors > 1:
        typer.echo(f"\n{errors} mistakes", err=True)
