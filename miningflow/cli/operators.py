"""`miningflow operators`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from miningflow.cli.candidates import operators as installed_operators
from miningflow.cli.failing import failing
from miningflow.cli.markdown import print_markdown
from miningflow.cli.options import Json
from miningflow.cli.output import echo_lines, note, print_json, table
from miningflow.cli.tables import print_table

if TYPE_CHECKING:
    from miningflow.verbs.operators import OperatorList


def operators(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD",
            help="The name or short name of an operator to explain, or words for what it should "
            "do, such as 'missing', 'rare' or 'lag'.",
            autocompletion=installed_operators,
        ),
    ] = None,
    json: Json = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the whole reference.")
    ] = False,
) -> None:
    """List the operators, find some by their purpose, or explain one.

    Example: miningflow operators missing
    """
    with failing(json):
        from miningflow.catalog import installed
        from miningflow.describe.operators import reference_markdown
        from miningflow.verbs.operators import operators

        if markdown:
            echo_lines(reference_markdown(installed()), nl=False)
            return
        found = operators(*words or ())
        named = words is not None and len(words) == 1 and installed().find(words[0]) is not None
        if named:
            print_json(found[0].as_json()) if json else print_markdown(str(found[0]))
        elif json:
            print_json([each.as_json() for each in found])
        else:
            _print_list(found, words or [])


def _print_list(found: OperatorList, words: list[str]) -> None:
    shown = table("operator", "short name", "family", "does")
    for each in found:
        shown.add_row(each.name, each.alias, each.family, each.purpose)
    print_table(shown)
    best = found[0].alias or found[0].name
    if words:
        note(f"explain one, with an example to copy: miningflow operators {best}")
    else:
        note(f"explain one: miningflow operators {best}")
        note("find some by what they do: miningflow operators missing")
