"""`miningflow operators`."""

from __future__ import annotations

import typer

from miningflow.catalog import installed
from miningflow.cli.printing import as_json, console, table
from miningflow.describe.operators import describe_operator, operator_markdown, reference_markdown
from miningflow.errors import MiningFlowError, Mistake, suggestion


def print_operators(name: str | None, json_wanted: bool, markdown: bool) -> None:
    """Lists all operators, or explains one."""
    catalog = installed()
    if markdown:
        typer.echo(reference_markdown(catalog), nl=False)
        return
    if name is None:
        if json_wanted:
            as_json([describe_operator(cls) for cls in catalog.values()])
            return
        shown = table("operator", "family", "does")
        for cls in sorted(catalog.values(), key=lambda c: (c.family, c.__name__)):
            shown.add_row(cls.__name__, cls.family, cls.doc().splitlines()[0])
        console().print(shown)
        typer.echo("explain one: miningflow operators NAME")
        return
    found = catalog.get(name)
    if found is None:
        hint = suggestion(name, catalog, "operators")
        raise MiningFlowError(Mistake(f"there is no operator {name!r}", None, hint))
    if json_wanted:
        as_json(describe_operator(found))
    else:
        typer.echo(operator_markdown(found), nl=False)
