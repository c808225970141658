"""`miningflow impact`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from miningflow.cli.candidates import features
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Lazy
from miningflow.cli.output import echo, print_json, table
from miningflow.cli.tables import print_table

if TYPE_CHECKING:
    from miningflow.resolve.effects import Effect, Impact

TITLES = {
    "breaks": "breaks: what cannot be without it",
    "shrinks": "shrinks: lists that go on with less",
    "loses": "loses: what counts as not given",
}
FEATURES_SHOWN = 12


def impact(
    case: CaseFile,
    what: Annotated[
        str,
        typer.Argument(
            metavar="CONCEPT.FEATURE",
            help="A feature of a concept or step; with --column: TABLE.COLUMN or FILE.COLUMN, "
            "as the connection writes it.",
            autocompletion=features,
        ),
    ],
    column: Annotated[
        bool, typer.Option("--column", help="Name a column of the connection instead.")
    ] = False,
    connect: Connect = None,
    lazy: Lazy = False,
    json: Json = False,
) -> None:
    """Show what the removal of a feature would break.

    Also shows which lists would shrink and what steps would lose. Needs no data.

    Example: miningflow impact shop.yml Customer.age
    """
    with failing(json):
        from miningflow.project import load

        found = load(case, connect, lazy).impact(what, column)
        if json:
            print_json(found.as_json())
        else:
            _print(found)


def _print(impact: Impact) -> None:
    from miningflow.errors import listed

    echo(f"without {', '.join(impact.features)}:")
    for kind, title in TITLES.items():
        own = [e for e in impact.effects if e.kind == kind and not e.through]
        if own:
            _print_effects(title, own)
        _print_followers([e for e in impact.effects if e.kind == kind and e.through])
    if impact.lost:
        shown = table("would still run", "without these features")
        for name, features in impact.lost.items():
            shown.add_row(name, listed(features, FEATURES_SHOWN))
        print_table(shown)
    if not impact.effects and not impact.lost:
        echo("nothing uses it")


def _print_effects(title: str, effects: list[Effect]) -> None:
    shown = table("where", "what", "place", title=title)
    for effect in effects:
        shown.add_row(effect.where, effect.said, str(effect.place))
    print_table(shown)


def _print_followers(effects: list[Effect]) -> None:
    from miningflow.errors import listed

    causes = dict.fromkeys(effect.through for effect in effects)
    for cause in causes:
        names = dict.fromkeys(e.where for e in effects if e.through == cause)
        echo(f"    with {cause}: {listed(names, FEATURES_SHOWN)}")
