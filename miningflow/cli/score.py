"""`miningflow score`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from miningflow.cli.assignments import assignments
from miningflow.cli.candidates import any_files, inputs, steps
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Lazy, Wait
from miningflow.cli.output import echo, note, print_json, table
from miningflow.cli.result_warnings import print_warnings
from miningflow.cli.tables import print_table

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_SHOWN = 20


def score(
    case: CaseFile,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            "-i",
            metavar="CONCEPT=ROWS",
            help="New rows of a concept: a CSV or Parquet file, or a table of the store.",
            autocompletion=inputs,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE | TABLE",
            help="Write to this .parquet or .csv file, or to this new table of the store, "
            "instead of printing.",
            autocompletion=any_files,
        ),
    ] = None,
    step: Annotated[
        str | None,
        typer.Option(
            "--step",
            metavar="STEP",
            help="The step to score with, if not the case's `scoring`.",
            autocompletion=steps,
        ),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", "-k", metavar="FEATURE", help="Also return this feature."),
    ] = None,
    connect: Connect = None,
    lazy: Lazy = False,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Score new rows with everything learned frozen.

    The rows need no label.

    Example: miningflow score shop.yml --input Customer=new.csv
    """
    with failing(json):
        from miningflow.project import load

        loaded = load(case, connect, lazy)
        rows = assignments(inputs, "--input")
        scores = loaded.score(rows, output, step, keep or (), wait, report=True)
        report = scores.report.as_json() if scores.report else {}
        warnings = [asdict(warning) for warning in scores.warnings]
        if json and scores.table is not None:
            found = scores.table.to_pylist()
            print_json({"rows": found, "report": report, "warnings": warnings})
        elif json:
            written = {"rows": scores.rows, "written": scores.written}
            print_json({**written, "report": report, "warnings": warnings})
        else:
            if scores.table is not None:
                _print_scores(scores.table)
            else:
                note(f"{scores.rows:,} rows scored to {scores.written}")
            print_warnings(scores.warnings)


def _print_scores(scores: pa.Table) -> None:
    shown = table(*scores.column_names)
    for row in scores.slice(0, ROWS_SHOWN).to_pylist():
        shown.add_row(*("NULL" if v is None else str(v) for v in row.values()))
    print_table(shown)
    if scores.num_rows > ROWS_SHOWN:
        rows = f"{ROWS_SHOWN} of {scores.num_rows:,} rows"
        echo(f"{rows}; write all with --output scores.parquet")
