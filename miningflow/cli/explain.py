"""`miningflow explain`."""

from __future__ import annotations

from typing import Annotated

import typer

from miningflow.cli.candidates import steps
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Dialect, Json, Lazy
from miningflow.cli.output import print_json, table
from miningflow.cli.tables import print_table


def explain(
    case: CaseFile,
    step: Annotated[
        str | None,
        typer.Argument(
            metavar="[STEP]", help="The step; by default the one that scores.", autocompletion=steps
        ),
    ] = None,
    connect: Connect = None,
    lazy: Lazy = False,
    dialect: Dialect = None,
    json: Json = False,
) -> None:
    """Explain a step: what it learned, its SQL, what that costs.

    Example: miningflow explain shop.yml scored
    """
    with failing(json):
        from miningflow.project import load

        explanation = load(case, connect, lazy).explain(step, dialect)
        if json:
            print_json(explanation.as_json())
            return
        shown = table(explanation.step, explanation.operator)
        for topic, said in explanation.topics.items():
            shown.add_row(topic, said)
        if not explanation.topics:
            shown.add_row("", "it learns nothing")
        print_table(shown)
