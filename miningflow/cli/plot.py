"""`miningflow plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from miningflow.cli.candidates import steps
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Lazy
from miningflow.cli.output import echo


def plot(
    case: CaseFile,
    step: Annotated[
        str,
        typer.Argument(
            metavar="STEP",
            help="A step that evaluates, selects or scores.",
            autocompletion=steps,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="A .svg, .png or .pdf file to write."),
    ],
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="NAME",
            help="Only this one of its plots: roc, precision_recall, calibration, confusion or "
            "errors of an evaluation; search of a selection; scores of a model.",
        ),
    ] = None,
    connect: Connect = None,
    lazy: Lazy = False,
) -> None:
    """Plot an evaluation, the search of a selection, or scores.

    Changes nothing in the store. Needs matplotlib.

    Example: miningflow plot shop.yml quality --output quality.svg
    """
    with failing(False):
        from miningflow.project import load

        load(case, connect, lazy).plot(step, kind, output=output)
        echo(f"wrote {output}")
