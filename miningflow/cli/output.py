"""What all commands print with: tables for people, JSON for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from miningflow.cli.verbosity import is_quiet
from miningflow.cli.wrapping import width_of, wrapped, wrapped_diagnostic
from miningflow.errors import Diagnostic
from miningflow.visible_text import visible, visible_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def echo(text: str, err: bool = False) -> None:
    """Prints sentences for people, wrapped to the terminal."""
    echo_lines(wrapped(text, width_of(sys.stderr if err else sys.stdout)), err)


def echo_lines(text: str, err: bool = False, nl: bool = True) -> None:
    """Prints lines that stay as they are, but with control characters written out."""
    stream = sys.stderr if err else sys.stdout  # unlike typer's, it keeps to the encoding
    stream.write(visible(text) + ("\n" if nl else ""))
    stream.flush()


def echo_diagnostic(diagnostic: Diagnostic) -> None:
    """Prints an error or a warning to standard error."""
    echo_lines(wrapped_diagnostic(diagnostic, width_of(sys.stderr)), err=True)


def note(text: str) -> None:
    """Prints what people may like to know, but not with `--quiet`."""
    if not is_quiet():
        echo(text)


def echo_program(text: str) -> None:
    """Prints what a program reads, such as SQL: as it is, but for people on a terminal."""
    typer.echo(visible(text) if sys.stdout.isatty() else text, nl=False)


def print_json(value: Any, sort_keys: bool = False) -> None:
    """Prints JSON, which has no NaN and no infinity: they become null."""
    import json

    text = json.dumps(_finite(value), ensure_ascii=False, default=str, sort_keys=sort_keys)
    typer.echo(visible_json(text))


def table(*columns: str, title: str = "") -> Table:
    """Starts a table; a column whose name starts with > is aligned to the right."""
    from rich import box

    from miningflow.cli.rich_output import VisibleTable

    made = VisibleTable(
        box=box.SIMPLE_HEAD,
        title=visible(title) or None,
        title_justify="left",
        title_style="bold",
    )
    for name in columns:
        made.add_column(
            visible(name.lstrip(">")),
            justify="right" if name.startswith(">") else "left",
            overflow="fold",
        )
    return made


def console() -> Console:
    """Returns a console; without a terminal or COLUMNS, lines are as long as they need to be."""
    from miningflow.cli.rich_output import VisibleConsole

    return VisibleConsole()


def counted(number: int, what: str) -> str:
    """Writes a number of things, such as `1 step` or `1,200 steps`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _finite(value: Any) -> Any:
    import math

    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
        case _:
            return value
