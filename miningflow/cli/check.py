"""`miningflow check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from miningflow.cli.candidates import case_files
from miningflow.cli.failing import failing
from miningflow.cli.options import Connect, Json, Lazy
from miningflow.cli.output import counted, echo, echo_diagnostic, note, print_json
from miningflow.errors import without_repetitions

if TYPE_CHECKING:
    from miningflow.verbs.check import Checked

LOOPS_SHOWN = 4


def check(
    cases: Annotated[
        list[Path],
        typer.Argument(
            metavar="CASE…",
            help="Case files, such as cases/insurance.yml.",
            autocompletion=case_files,
        ),
    ],
    connect: Connect = None,
    lazy: Lazy = False,
    data: Annotated[
        bool,
        typer.Option(
            "--data",
            help="Also look whether files, tables and columns exist and have fitting types, and "
            "note columns that came.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Check cases and report all their errors.

    Touches no data and no database, unless asked to.

    Example: miningflow check shop.yml --data
    """
    with failing(json):
        from miningflow.verbs.check import check

        found = check(*cases, connect=connect, lazy=lazy, data=data)
        if json:
            described = [each.as_json() for each in found]
            print_json(described[0] if len(described) == 1 else described)
        else:
            for each in found:
                _print(each, alone=len(found) == 1)
            if len(found) > 1:
                passed = sum(each.passed for each in found)
                note(f"{passed} of {len(found)} cases have no errors")
        if not all(each.passed for each in found):
            raise typer.Exit(1)


def _print(checked: Checked, alone: bool) -> None:
    for diagnostic in without_repetitions(checked.diagnostics):
        echo_diagnostic(diagnostic)
    if checked.contents is None:
        errors = sum(each.severity == "error" for each in checked.diagnostics)
        if errors > 1:
            where = "" if alone else f"{checked.path}: "
            echo(f"\n{where}{errors} errors", err=True)
        return
    found = checked.contents
    connected = "" if checked.connected else "; it is not connected to a store yet"
    concepts, steps = counted(found.concepts, "concept"), counted(found.steps, "step")
    note(f"{checked.case}: {concepts}, {steps}, no errors{connected}")
    repeated = [f"{name} has {counted(turns, 'turn')}" for name, turns in found.loops.items()]
    if len(repeated) > LOOPS_SHOWN:
        more = counted(len(repeated) - LOOPS_SHOWN, "more loop")
        repeated = [*repeated[:LOOPS_SHOWN], f"and {more}"]
    for name in found.segmentations:
        repeated.append(f"what follows {name} runs once for each segment")
    said = f": {', '.join(repeated)}" if repeated else ""
    note(f"    a run has {counted(found.stages, 'stage')}{said}")
