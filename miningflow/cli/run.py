"""`miningflow run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from miningflow.cli.assignments import assignments
from miningflow.cli.failing import failing
from miningflow.cli.options import (
    CaseFile,
    Connect,
    From,
    Full,
    Json,
    Lazy,
    Select,
    Sources,
    Target,
    To,
    Wait,
)
from miningflow.cli.output import print_json


def run(
    case: CaseFile,
    connect: Connect = None,
    select: Select = None,
    from_step: From = None,
    to_step: To = None,
    full: Full = False,
    lazy: Lazy = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Also print the search trace of each selection.")
    ] = False,
    target: Target = Path("target"),
    test: Annotated[
        bool,
        typer.Option("--test", help="Run the data tests first; publish nothing if one fails."),
    ] = False,
    sources: Sources = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Run a case: build what changed, then publish it all at once.

    Example: miningflow run shop.yml --select +scored
    """
    with failing(json):
        from miningflow.cli.progress import progress
        from miningflow.cli.run_summary import print_run
        from miningflow.project import load

        loaded = load(case, connect, lazy)
        with progress(loaded, quiet=json) as listener:
            given = assignments(sources, "--source")
            asked = select or (), from_step, to_step, full, target, test, given, wait, listener
            report = loaded.run(*asked)
        if json:
            print_json(report.as_json())
            return
        found = loaded.selections() if trace else {}
        print_run(loaded.bound, report, {n: s for n, s in found.items() if s.trace})
