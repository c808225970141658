"""The commands that hand a case over to other tools: `export`, `lineage`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Dialect, Json

if TYPE_CHECKING:
    from miningflow.export import Form, Written


def export(
    case: CaseFile,
    to: Annotated[
        str, typer.Option("--to", metavar="FORM", help="What to write: script, dbt or sqlmesh.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="The folder to write, by default exported/CASE/FORM.",
        ),
    ] = None,
    dialect: Dialect = None,
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema", metavar="NAME", help="Where results go, by default CASE_exported."
        ),
    ] = None,
    with_data: Annotated[
        bool, typer.Option("--with-data", help="Also copy the files of sources into it.")
    ] = False,
    with_lineage: Annotated[
        bool, typer.Option("--lineage", help="Also write lineage.jsonl: OpenLineage events.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace exported files although they were edited.")
    ] = False,
    connect: Connect = None,
    json: Json = False,
) -> None:
    """Write a case as SQL files, a dbt or a SQLMesh project, which run without MiningFlow.

    Everything learned is frozen in; the case must have run. Only files of an earlier export of the
    same case are replaced.
    """
    with failing(json):
        from miningflow import pipeline
        from miningflow.read.names import file_name
        from miningflow.sql.dialect import known_dialect

        form = _form(to)
        project = pipeline.check(case, connect)
        dialect = known_dialect(dialect) if dialect else None
        folder = output or Path("exported") / file_name(project.bound.name) / form
        asked = dialect, schema, with_data, with_lineage, force
        written = pipeline.export(project, form, folder, *asked)
        _print(written, json)


def lineage(
    case: CaseFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead."),
    ] = None,
    connect: Connect = None,
    json: Json = False,
) -> None:
    """Print OpenLineage events of the last run, a line for each step: what became of each column.

    Columns that only filter, join, group or sort count as indirect. Needs no further program; the
    lines are JSON in any case.
    """
    with failing(json):
        from miningflow import pipeline

        text = pipeline.lineage(pipeline.check(case, connect))
        if output is None:
            typer.echo(text, nl=False)
        else:
            output.write_text(text, encoding="utf-8")
            typer.echo(f"wrote {output}: {text.count(chr(10))} events")


def _form(name: str) -> Form:
    from typing import cast

    from miningflow.errors import CompileError, Mistake, suggestion
    from miningflow.export import FORMS

    if name not in FORMS:
        hint = suggestion(name, FORMS, "forms")
        raise CompileError(Mistake(f"a case cannot be exported to {name!r}", None, hint))
    return cast("Form", name)


def _print(written: Written, as_json: bool) -> None:
    if as_json:
        import json

        shown = {
            "folder": str(written.folder),
            "files": list(written.files),
            "changed": list(written.changed),
            "removed": list(written.removed),
        }
        typer.echo(json.dumps(shown, ensure_ascii=False))
        return
    count = f"{len(written.files)} files, {len(written.changed)} of them new or changed"
    removed = f", {len(written.removed)} removed" if written.removed else ""
    typer.echo(f"wrote {written.folder}: {count}{removed}")
    typer.echo(f"how to run it: {written.folder / 'README.md'}")
