"""`miningflow export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from miningflow.cli.candidates import forms
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Dialect, Json, Lazy
from miningflow.cli.output import note, print_json

if TYPE_CHECKING:
    from miningflow.export import Written


def export(
    case: CaseFile,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORM",
            help="What to write: script, dbt or sqlmesh.",
            autocompletion=forms,
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="The folder to write to; by default exported/CASE/FORM.",
        ),
    ] = None,
    dialect: Dialect = None,
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema", metavar="NAME", help="The schema for results; by default CASE_exported."
        ),
    ] = None,
    with_data: Annotated[
        bool, typer.Option("--with-data", help="Also copy the files of sources.")
    ] = False,
    with_lineage: Annotated[
        bool, typer.Option("--lineage", help="Also write OpenLineage events to lineage.jsonl.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace exported files even if they were edited.")
    ] = False,
    connect: Connect = None,
    lazy: Lazy = False,
    json: Json = False,
) -> None:
    """Write a case as SQL files, a dbt or a SQLMesh project.

    They run without MiningFlow, with everything learned frozen; the case must have run. Only files
    of an earlier export of the same case are replaced.

    Example: miningflow export shop.yml --to dbt
    """
    with failing(json):
        from miningflow.project import load

        written = load(case, connect, lazy).export(
            to, output, dialect, schema, with_data, with_lineage, force
        )
        _print(written, json)


def _print(written: Written, json: bool) -> None:
    if json:
        shown = {
            "folder": str(written.folder),
            "files": list(written.files),
            "changed": list(written.changed),
            "removed": list(written.removed),
        }
        print_json(shown)
        return
    count = f"{len(written.files)} files, {len(written.changed)} of them new or changed"
    removed = f", {len(written.removed)} removed" if written.removed else ""
    note(f"wrote {written.folder}: {count}{removed}")
    note(f"how to run it: {written.folder / 'README.md'}")
