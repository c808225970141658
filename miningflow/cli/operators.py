"""`miningflow operators`."""

from __future__ import annotations

from typing import Annotated

import typer

from miningflow.cli.candidates import operators as installed_operators
from miningflow.cli.failing import failing
from miningflow.cli.markdown import print_markdown
from miningflow.cli.options import Json
from miningflow.cli.output import echo_lines, note, print_json, table
from miningflow.cli.tables import print_table


def operators(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="Only this operator.", autocompletion=installed_operators
        ),
    ] = None,
    json: Json = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the whole reference.")
    ] = False,
) -> None:
    """List the installed operators, or explain one.

    Example: miningflow operators AssignAverageValue
    """
    with failing(json):
        from miningflow.catalog import installed
        from miningflow.describe.operators import (
            describe_operator,
            operator_markdown,
            reference_markdown,
        )
        from miningflow.errors import Diagnostic, MiningFlowError, suggestion

        catalog = installed()
        if markdown:
            echo_lines(reference_markdown(catalog), nl=False)
        elif name is not None and name not in catalog:
            hint = suggestion(name, catalog, "operators")
            raise MiningFlowError(Diagnostic(f"there is no operator {name!r}", None, hint))
        elif name is not None:
            if json:
                print_json(describe_operator(catalog[name]))
            else:
                print_markdown(operator_markdown(catalog[name]))
        elif json:
            print_json([describe_operator(cls) for cls in catalog.values()])
        else:
            shown = table("operator", "family", "does")
            for cls in sorted(catalog.values(), key=lambda c: (c.family, c.__name__)):
                shown.add_row(cls.__name__, cls.family, cls.doc().splitlines()[0])
            print_table(shown)
            note("explain one: miningflow operators NAME")
