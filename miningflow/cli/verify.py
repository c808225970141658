"""`miningflow verify`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from miningflow.cli.assignments import assignments
from miningflow.cli.candidates import stores
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Lazy, Sources, Wait
from miningflow.cli.output import echo, note, print_json
from miningflow.cli.row_text import row_text

if TYPE_CHECKING:
    from miningflow.verbs.verify.row_comparison import RowDifference
    from miningflow.verbs.verify.stores import StepComparison, Verification


def verify(
    case: CaseFile,
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on",
            metavar="STORE | FILE",
            help="A store, such as postgresql://user@host/database, or a connection file; "
            "a single one is compared with the case's own store.",
            autocompletion=stores,
        ),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option("--tolerance", min=0.0, help="How much doubles may differ, relatively."),
    ] = 1e-9,
    learn_once: Annotated[
        bool,
        typer.Option(
            "--learn-once", help="Learn on the first store only, to compare what the SQL does."
        ),
    ] = False,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Keep what was made, in the schema CASE_verify_results."),
    ] = False,
    sources: Sources = None,
    connect: Connect = None,
    lazy: Lazy = False,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Run a case on several stores and compare every row.

    It runs under another name, so that the results of the case stay as they are, and leaves
    nothing behind. Keys, labels and categories must be equal, and doubles to nine digits. The exit
    code is 1 if something differs.

    Example: miningflow verify shop.yml --on duckdb://
    """
    with failing(json):
        from miningflow.cli.progress import progress
        from miningflow.project import load

        loaded = load(case, connect, lazy)
        given = assignments(sources, "--source")
        if len(on or ()) + bool(loaded.connection or given) < 2:
            raise typer.BadParameter("name two stores: --on A --on B", param_hint="--on")
        with progress(loaded, quiet=json) as listener:
            found = loaded.verify(
                *on or (),
                tolerance=tolerance,
                learn_once=learn_once,
                keep=keep,
                sources=given,
                wait=wait,
                listener=listener,
            )
        if json:
            print_json({"verifications": [v.as_json() for v in found]})
        else:
            for verification in found:
                _print(verification)
        if not all(v.equal for v in found):
            raise typer.Exit(1)


def _print(verification: Verification) -> None:
    say = note if verification.equal else echo
    say(f"{verification.left}  against  {verification.right}")
    for step in verification.steps:
        _print_step(step, verification)
    wrong = sum(not step.equal for step in verification.steps)
    count = len(verification.steps)
    if wrong:
        echo(f"{wrong} of {count} concepts and steps differ")
        return
    largest = max((step.rows.largest for step in verification.steps), default=0.0)
    rows = sum(step.rows.rows for step in verification.steps)
    note(
        f"all {count} concepts and steps are equal, {rows:,} rows in all; "
        f"doubles differ by {largest:.1e} at most, relatively"
    )


def _print_step(step: StepComparison, verification: Verification) -> None:
    mark = "✓" if step.equal else "✗"
    differing = f", {step.rows.differing:,} differ" if step.rows.differing else ""
    say = note if step.equal else echo
    say(f"{mark} {step.name}: {step.operator}, {step.rows.rows:,} rows{differing}")
    sides = {verification.left: step.only_left, verification.right: step.only_right}
    for url, features in sides.items():
        if features:
            echo(f"    only on {url}: {', '.join(features)}")
    for difference in step.rows.first:
        echo(f"    {_difference(difference, verification)}")
    more = step.rows.differing - len(step.rows.first)
    if more > 0:
        echo(f"    and {more:,} more rows that differ")


def _difference(difference: RowDifference, verification: Verification) -> str:
    key = row_text(difference.key)
    if difference.right is None:
        return f"{key}: only on {verification.left}"
    if difference.left is None:
        return f"{key}: only on {verification.right}"
    return f"{key}: {_sides(difference.left, difference.right)}"


def _sides(left: Mapping[str, Any], right: Mapping[str, Any]) -> str:
    """Writes both values of each feature; of doubles that differ little, all digits."""
    parts = []
    for name in left:
        one, other = row_text({name: left[name]}), row_text({name: right[name]}).partition(" = ")[2]
        if one.partition(" = ")[2] == other:
            one, other = f"{name} = {left[name]!r}", repr(right[name])
        parts.append(f"{one} ↔ {other}")
    return "; ".join(parts)
