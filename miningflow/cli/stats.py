"""`miningflow stats`."""

from __future__ import annotations

from typing import Annotated

import typer

from miningflow.cli.assignments import assignments
from miningflow.cli.candidates import nodes
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Lazy, Sources, Wait


def stats(
    case: CaseFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STEP…]",
            help="Only these concepts or steps; * stands for any.",
            autocompletion=nodes,
        ),
    ] = None,
    learned: Annotated[
        bool, typer.Option("--learned", help="Leave out the rows that are held out.")
    ] = False,
    anew: Annotated[
        bool, typer.Option("--anew", help="Compute them again, even if they are stored.")
    ] = False,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate", help="Estimate steps from their sources instead; nothing needs to run."
        ),
    ] = False,
    sources: Sources = None,
    connect: Connect = None,
    lazy: Lazy = False,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Show missing and distinct values, range and mean of features.

    The statistics are computed in the database and kept there until the rows change.

    Example: miningflow stats shop.yml Customer
    """
    with failing(json):
        from miningflow.cli.progress import progress
        from miningflow.cli.statistics_tables import print_estimates, print_statistics
        from miningflow.project import load

        loaded = load(case, connect, lazy)
        chosen, given = names or (), assignments(sources, "--source")
        with progress(loaded, quiet=json) as listener:
            if estimate:
                estimates = loaded.estimate(*chosen, sources=given, wait=wait, listener=listener)
                print_estimates(estimates.found, bool(names), json)
                return
            found = loaded.stats(
                *chosen, learned=learned, anew=anew, sources=given, wait=wait, listener=listener
            )
        print_statistics(found, json)
