"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

# typer reads Optional[...] at run time
CaseFile = Annotated[
    Path, typer.Argument(metavar="CASE", help="The case file, such as cases/insurance.yml.")
]
Connect = Annotated[
    Path | None,
    typer.Option(
        "--connect", metavar="FILE", help="A connection file, instead of the case's own connection."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        "-s",
        metavar="STEPS",
        help="Only these: scored, +scored (and all before), relevant+ (and all after).",
    ),
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="STEP", help="Run this step and all after it, changed or not."),
]
To = Annotated[
    str | None,
    typer.Option("--to", metavar="STEP", help="Only what this step needs, and the step."),
]
Full = Annotated[bool, typer.Option("--full", help="Run everything, changed or not.")]
Lazy = Annotated[
    bool,
    typer.Option("--lazy", help="Try a case: keep only the first segment of each segmentation."),
]
Wait = Annotated[
    float,
    typer.Option("--wait", metavar="SECONDS", help="How long to wait for a store that is in use."),
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Also draw it: a .svg, .png or .pdf file."),
]
Dialect = Annotated[
    str | None,
    typer.Option(
        "--dialect",
        help="The SQL to print, such as postgres or sqlite; by default the store's. `miningflow "
        "engines` lists them.",
    ),
]
