"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from miningflow.cli.candidates import case_files, dialects, nodes, selections
from miningflow.cli.environment import CONNECT, TARGET, WAIT, trusted_connection
from miningflow.cli.verbosity import COMMON

# typer reads Optional[...] at run time
CaseFile = Annotated[
    Path,
    typer.Argument(
        metavar="CASE",
        help="The case file, such as cases/insurance.yml.",
        autocompletion=case_files,
    ),
]
Connect = Annotated[
    Path | None,
    typer.Option(
        "--connect",
        metavar="FILE",
        help="A connection file, instead of the case's own connection.",
        rich_help_panel=COMMON,
        autocompletion=case_files,
        envvar=CONNECT,
        callback=trusted_connection,
    ),
]
Lazy = Annotated[
    bool,
    typer.Option(
        "--lazy",
        help="Keep only the first segment of each segmentation, to try a case.",
        rich_help_panel=COMMON,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON for programs.", rich_help_panel=COMMON)
]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        "-s",
        metavar="STEPS",
        help="Only these: scored, +scored (and all before it), relevant+ (and all after it).",
        autocompletion=selections,
    ),
]
From = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="STEP",
        help="Run this step and everything after it, changed or not.",
        autocompletion=nodes,
    ),
]
To = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="STEP",
        help="Run this step and what it depends on.",
        autocompletion=nodes,
    ),
]
Full = Annotated[bool, typer.Option("--full", help="Run everything, changed or not.")]
Target = Annotated[
    Path,
    typer.Option(
        "--target",
        metavar="DIR",
        help="Write SQL and exported files to DIR/<case>; by default ./target.",
        show_default=False,
        envvar=TARGET,
    ),
]
Wait = Annotated[
    float,
    typer.Option(
        "--wait",
        metavar="SECONDS",
        help="How long to wait for a store that is in use.",
        envvar=WAIT,
        rich_help_panel=COMMON,
    ),
]
Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="CONCEPT=ROWS",
        help="Read a concept from this CSV or Parquet file, or table of the store, this time.",
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Also draw it: a .svg, .png or .pdf file."),
]
Dialect = Annotated[
    str | None,
    typer.Option(
        "--dialect",
        metavar="NAME",
        help="The SQL dialect, such as postgres or sqlite; by default the store's. "
        "`miningflow engines` lists them.",
        autocompletion=dialects,
    ),
]
