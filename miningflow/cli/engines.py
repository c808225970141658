"""`miningflow engines`."""

from __future__ import annotations

from typing import Annotated

import typer

from miningflow.cli.failing import failing
from miningflow.cli.options import Json


def engines(
    dialect: Annotated[
        str | None, typer.Argument(metavar="[DIALECT]", help="Only this one, in full.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the reference page of all engines.")
    ] = False,
    json: Json = False,
) -> None:
    """List the databases that there is SQL for: what runs there, what was tried, what differs.

    A store runs cases. For the others `compile --dialect` prints SQL; what they cannot do is
    refused when it is compiled.
    """
    with failing(json):
        from miningflow.cli.printing import as_json, console, table
        from miningflow.describe.engines import (
            describe_engine,
            engine_markdown,
            engines_markdown,
        )
        from miningflow.sql.dialect import DIALECTS, known_dialect

        if markdown and dialect is None:
            typer.echo(engines_markdown(), nl=False)
        elif dialect is not None:
            known = DIALECTS[known_dialect(dialect)]
            if json:
                as_json(describe_engine(known))
            else:
                typer.echo(engine_markdown(known), nl=False)
        else:
            described = [describe_engine(known) for known in DIALECTS.values()]
            if json:
                as_json(described)
                return
            shown = table("dialect", "engine", "cases run there", "tried on", "operators")
            for each in described:
                store = each["store"] or "no, SQL only"
                count = f"{len(each['operators'])} of {len(each['operators'] + [*each['refused']])}"
                tried = each["tried_on"] or "no real one"
                shown.add_row(each["dialect"], each["engine"], store, tried, count)
            console().print(shown)
            typer.echo("what differs on one: miningflow engines DIALECT")
