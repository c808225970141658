"""How commands fail: mistakes on standard error and exit code 1, never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def failing(as_json: bool = False) -> Iterator[None]:
    """Turns errors that a user can mend into messages; bugs crash."""
    from miningflow.errors import MiningFlowError

    try:
        yield
    except MiningFlowError as error:
        if as_json:
            import json

            typer.echo(
                json.dumps({"mistakes": [m.as_json() for m in error.mistakes]}, ensure_ascii=False)
            )
        else:
            for mistake in error.mistakes:
                typer.echo(str(mistake), err=True)
            errors = sum(m.severity == "error" for m in error.mistakes)
            if errors > 1:
                typer.echo(f"\n{errors} mistakes", err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.echo("\nstopped; the last good results are as they were", err=True)
        raise typer.Exit(130) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as error:
        name = f": {error.filename}" if error.filename else ""
        typer.echo(f"error: {error.strerror or error}{name}", err=True)
        raise typer.Exit(1) from None
