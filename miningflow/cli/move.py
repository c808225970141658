"""`miningflow move`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from miningflow.cli.candidates import stores
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Lazy, Target, Wait
from miningflow.cli.output import note, print_json


def move(
    case: CaseFile,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="STORE | FILE",
            help="The new store, such as postgresql://user@host/database, or a connection file.",
            autocompletion=stores,
        ),
    ],
    origin: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="STORE | FILE",
            help="The old store; by default the case's own.",
            autocompletion=stores,
        ),
    ] = None,
    keep_rows: Annotated[
        bool,
        typer.Option(
            "--keep-rows",
            help="Keep the rows of tables that exist there; move only what was learned.",
        ),
    ] = False,
    target: Target = Path("target"),
    connect: Connect = None,
    lazy: Lazy = False,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Move a case to another store without learning again.

    Sources that are tables are copied unless they exist there already; files are loaded as in a
    run. All steps are then computed there. Nothing changes in the old store.

    Example: miningflow move shop.yml --to duckdb:///other.duckdb
    """
    with failing(json):
        from miningflow.cli.progress import progress
        from miningflow.project import load

        loaded = load(case, connect, lazy)
        with progress(loaded, quiet=json) as listener:
            moved = loaded.move(to, origin, keep_rows, target, wait, listener)
        if json:
            print_json(moved.as_json())
            return
        for source in moved.sources:
            rows = "" if source.rows is None else f", {source.rows:,} rows"
            note(f"{source.concept}: {source.happened}{rows} ({source.location})")
        learned = ", ".join(moved.learned) or "nothing, it was there already"
        note(f"learned elsewhere and taken over: {learned}")
        built = sum(stage.action == "run" for stage in moved.report.stages)
        note(f"{moved.report.case} is on {moved.target}: {built} stages computed there")
