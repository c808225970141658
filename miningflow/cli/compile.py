"""`miningflow compile`."""

from __future__ import annotations

from typing import Annotated

import typer

from miningflow.cli.candidates import steps
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Dialect, Lazy
from miningflow.cli.output import echo_program


def compile_(
    case: CaseFile,
    step: Annotated[
        str | None, typer.Argument(metavar="[STEP]", help="Only this step.", autocompletion=steps)
    ] = None,
    connect: Connect = None,
    lazy: Lazy = False,
    dialect: Dialect = None,
    score: Annotated[
        bool, typer.Option("--score", help="Print the scoring script instead.")
    ] = False,
    functions: Annotated[
        bool, typer.Option("--functions", help="Print the models as SQL functions instead.")
    ] = False,
) -> None:
    """Print the SQL of a case with what was learned. Changes nothing.

    Example: miningflow compile shop.yml --dialect sqlite
    """
    with failing():
        from miningflow.project import load

        text = load(case, connect, lazy).compile(step, dialect, score, functions)
        echo_program(text)
