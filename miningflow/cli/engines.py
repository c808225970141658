"""`miningflow engines`."""

from __future__ import annotations

from typing import Annotated

import typer

from miningflow.cli.candidates import dialects
from miningflow.cli.failing import failing
from miningflow.cli.markdown import print_markdown
from miningflow.cli.options import Json
from miningflow.cli.output import echo_lines, note, print_json, table
from miningflow.cli.tables import print_table


def engines(
    dialect: Annotated[
        str | None,
        typer.Argument(
            metavar="[DIALECT]", help="Only this one, in detail.", autocompletion=dialects
        ),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the reference page of all engines.")
    ] = False,
    json: Json = False,
) -> None:
    """List the databases that MiningFlow writes SQL for.

    Shows what runs there, what it was tried on, and what differs. Cases run on stores; for other
    databases `compile --dialect` prints SQL, and refuses what they cannot do.

    Example: miningflow engines sqlite
    """
    with failing(json):
        from miningflow.describe.engines import (
            describe_engine,
            engine_markdown,
            engines_markdown,
        )
        from miningflow.sql.dialect import DIALECTS, known_dialect

        if markdown and dialect is None:
            echo_lines(engines_markdown(), nl=False)
        elif dialect is not None:
            known = DIALECTS[known_dialect(dialect)]
            if json:
                print_json(describe_engine(known))
            else:
                print_markdown(engine_markdown(known))
        else:
            described = [describe_engine(known) for known in DIALECTS.values()]
            if json:
                print_json(described)
                return
            shown = table("dialect", "engine", "cases run there", "tried on", "operators")
            for each in described:
                store = each["store"] or "no, SQL only"
                count = f"{len(each['operators'])} of {len(each['operators'] + [*each['refused']])}"
                tried = each["tried_on"] or "no real one"
                shown.add_row(each["dialect"], each["engine"], store, tried, count)
            print_table(shown)
            note("what differs on one: miningflow engines DIALECT")
