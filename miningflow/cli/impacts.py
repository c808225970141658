"""`miningflow impact`: what would break, shrink or go without a feature."""

from __future__ import annotations

import typer

from miningflow.cli.printing import as_json, console, table
from miningflow.errors import listed
from miningflow.resolve.effects import Effect, Impact

TITLES = {
    "breaks": "breaks: what cannot be without it",
    "shrinks": "shrinks: lists that go on with less",
    "loses": "loses: what counts as not given",
}
FEATURES_SHOWN = 12


def print_impact(impact: Impact, json_wanted: bool) -> None:
    """Prints the effects in groups, each with its place in the file."""
    if json_wanted:
        as_json(impact.as_json())
        return
    typer.echo(f"without {', '.join(impact.features)}:")
    for kind, title in TITLES.items():
        own = [e for e in impact.effects if e.kind == kind and not e.through]
        if own:
            _print_effects(title, own)
        _print_followers([e for e in impact.effects if e.kind == kind and e.through])
    if impact.lost:
        shown = table("would still run", "without these features")
        for name, features in impact.lost.items():
            shown.add_row(name, listed(features, FEATURES_SHOWN))
        console().print(shown)
    if not impact.effects and not impact.lost:
        typer.echo("nothing uses it")


def _print_effects(title: str, effects: list[Effect]) -> None:
    shown = table("where", "what", "place", title=title)
    for effect in effects:
        shown.add_row(effect.where, effect.said, str(effect.place))
    console().print(shown)


def _print_followers(effects: list[Effect]) -> None:
    causes = dict.fromkeys(effect.through for effect in effects)
    for cause in causes:
        names = dict.fromkeys(e.where for e in effects if e.through == cause)
        typer.echo(f"    with {cause}: {listed(names, FEATURES_SHOWN)}")
