"""`miningflow show`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from miningflow.cli.candidates import features
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Lazy, Plot
from miningflow.cli.output import note, print_json


def show(
    case: CaseFile,
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[STEP | STEP.FEATURE]",
            help="A concept or step, or one of its features.",
            autocompletion=features,
        ),
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show the search trace of a selection instead.")
    ] = False,
    plot: Plot = None,
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="Draw the case as a graph into this file."),
    ] = None,
    connect: Connect = None,
    lazy: Lazy = False,
    json: Json = False,
) -> None:
    """Show which features each step has, and why others are gone.

    A feature is present, deselected (by which step, and why), or was never there.

    Example: miningflow show shop.yml scored.city
    """
    with failing(json):
        from miningflow.cli.feature_tables import print_features
        from miningflow.cli.traces import print_traces, trace_json
        from miningflow.errors import Diagnostic, MiningFlowError
        from miningflow.project import load

        loaded = load(case, connect, lazy)
        if svg is not None:
            if what is not None or trace or plot is not None or json:
                hint = "use it without further options"
                raise MiningFlowError(Diagnostic("--svg draws the whole case", None, hint))
            loaded.draw(svg)
            note(f"wrote {svg}")
        elif trace:
            found = loaded.selections(what, plot)
            if not found:
                hint = "run the case first"
                raise MiningFlowError(Diagnostic("no selection has run yet", None, hint))
            if json:
                print_json(trace_json(found))
            else:
                print_traces(found)
        elif plot is not None:
            hint = "add --trace, and name a selecting step"
            raise MiningFlowError(Diagnostic("--plot draws a search trace", None, hint))
        else:
            print_features(loaded.bound, loaded.features(what), what, json)
