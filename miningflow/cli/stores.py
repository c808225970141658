"""The commands over two stores: `verify`, `move`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Wait


def verify(
    case: CaseFile,
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on",
            metavar="STORE | FILE",
            help="A store, such as postgresql://user@host/database, or a connection file; "
            "with one only, the other is the case's own.",
        ),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", min=0.0, help="How much doubles may differ, relatively."),
    ] = 1e-9,
    learn_once: Annotated[
        bool,
        typer.Option(
            "--learn-once", help="Learn on the first only: compare what the SQL alone does."
        ),
    ] = False,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Leave what was made, in the schema CASE_verify_results."),
    ] = False,
    connect: Connect = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Run a case on two stores or more, and compare every step row by row.

    It runs under another name, so that the results of the case stay as they are, and leaves
    nothing behind. Keys, labels and categories must be equal, and doubles to nine digits. The exit
    code is 1 if something differs.
    """
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli.progress import watching
        from miningflow.cli.verifying import print_verifications
        from miningflow.read import named_connection

        project = pipeline.check(case, connect)
        named = [named_connection(text, project.connection, "--on") for text in on or ()]
        if len(named) < 2 and project.connection is not None:
            named.insert(0, project.connection)
        if len(named) < 2:
            raise typer.BadParameter("name two stores: --on A --on B", param_hint="--on")
        with watching(project.bound, quiet=json) as listener:
            found = pipeline.verify(project, named, tolerance, learn_once, keep, listener, wait)
        print_verifications(found, json)


def move(
    case: CaseFile,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="STORE | FILE",
            help="Where to: a store, such as postgresql://user@host/database, "
            "or a connection file.",
        ),
    ],
    origin: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="STORE | FILE", help="Where from; by default the case's own store."
        ),
    ] = None,
    keep_rows: Annotated[
        bool,
        typer.Option(
            "--keep-rows",
            help="Tables that are there keep their rows; only what was learned is moved.",
        ),
    ] = False,
    exports: Annotated[
        Path, typer.Option("--target", metavar="DIR", help="Where exported files go.")
    ] = Path("target"),
    connect: Connect = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Move a case to another store: copy its sources and what it learned, learn nothing again.

    Sources that are tables are copied unless they are there already; files are loaded as in a run.
    All steps are then computed there. Nothing changes where the case comes from.
    """
    with failing(json):
        from dataclasses import replace

        from miningflow import pipeline
        from miningflow.cli.progress import watching
        from miningflow.cli.verifying import print_moved
        from miningflow.read import named_connection

        project = pipeline.check(case, connect)
        if origin is not None:
            own = named_connection(origin, project.connection, "--from")
            project = replace(project, connection=own)
        target = named_connection(to, project.connection, "--to")
        with watching(project.bound, quiet=json) as listener:
            moved = pipeline.move(project, target, keep_rows, listener, wait, exports)
        print_moved(moved, json)
