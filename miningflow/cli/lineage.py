"""`miningflow lineage`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Lazy
from miningflow.cli.output import note, print_json


def lineage(
    case: CaseFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead."),
    ] = None,
    connect: Connect = None,
    lazy: Lazy = False,
    json: Json = False,
) -> None:
    """Print OpenLineage events of the last run, one per line.

    There is an event for each source and step: what became of each column. Columns that only
    filter, join, group or sort count as indirect. The lines are JSON with or without --json.

    Example: miningflow lineage shop.yml --output shop.jsonl
    """
    with failing(json):
        from miningflow.project import load

        events = load(case, connect, lazy).lineage(output)
        if output is not None:
            note(f"wrote {output}: {len(events)} events")
            return
        for event in events:
            print_json(event, sort_keys=True)
