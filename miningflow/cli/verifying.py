"""What `verify` and `move` print: a line for each step, and below it what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import typer

from miningflow.cli.printing import as_json
from miningflow.cli.testing import shown
from miningflow.run.moving import Moved
from miningflow.run.row_comparison import RowDifference
from miningflow.run.verifying import StepComparison, Verification


def print_verifications(found: Sequence[Verification], json_wanted: bool) -> None:
    """Prints what came of verifying; the exit code is 1 if something differs."""
    if json_wanted:
        as_json({"verifications": [v.as_json() for v in found]})
    else:
        for verification in found:
            _print(verification)
    if not all(v.equal for v in found):
        raise typer.Exit(1)


def print_moved(moved: Moved, json_wanted: bool) -> None:
    """Prints what was moved."""
    if json_wanted:
        as_json(moved.as_json())
        return
    for source in moved.sources:
        rows = "" if source.rows is None else f", {source.rows:,} rows"
        typer.echo(f"{source.concept}: {source.happened}{rows} ({source.location})")
    learned = ", ".join(moved.learned) or "nothing, it was there already"
    typer.echo(f"learned elsewhere and taken over: {learned}")
    built = sum(stage.action == "run" for stage in moved.report.stages)
    typer.echo(f"{moved.report.case} is on {moved.target}: {built} stages computed there")


def _print(verification: Verification) -> None:
    typer.echo(f"{verification.left}  against  {verification.right}")
    for step in verification.steps:
        _print_step(step, verification)
    wrong = sum(not step.equal for step in verification.steps)
    count = len(verification.steps)
    if wrong:
        typer.echo(f"{wrong} of {count} concepts and steps differ")
        return
    largest = max((step.rows.largest for step in verification.steps), default=0.0)
    rows = sum(step.rows.rows for step in verification.steps)
    typer.echo(
        f"all {count} concepts and steps are equal, {rows:,} rows in all; "
        f"doubles differ by {largest:.1e} at most, relatively"
    )


def _print_step(step: StepComparison, verification: Verification) -> None:
    mark = "✓" if step.equal else "✗"
    differing = f", {step.rows.differing:,} differ" if step.rows.differing else ""
    typer.echo(f"{mark} {step.name}: {step.operator}, {step.rows.rows:,} rows{differing}")
    sides = {verification.left: step.only_left, verification.right: step.only_right}
    for url, features in sides.items():
        if features:
            typer.echo(f"    only on {url}: {', '.join(features)}")
    for difference in step.rows.first:
        typer.echo(f"    {_difference(difference, verification)}")
    more = step.rows.differing - len(step.rows.first)
    if more > 0:
        typer.echo(f"    and {more:,} more rows that differ")


def _difference(difference: RowDifference, verification: Verification) -> str:
    key = shown(difference.key)
    if difference.right is None:
        return f"{key}: only on {verification.left}"
    if difference.left is None:
        return f"{key}: only on {verification.right}"
    return f"{key}: {_sides(difference.left, difference.right)}"


def _sides(left: Mapping[str, Any], right: Mapping[str, Any]) -> str:
    """Writes both values of each feature; of doubles that differ little, all digits."""
    parts = []
    for name in left:
        one, other = shown({name: left[name]}), shown({name: right[name]}).partition(" = ")[2]
        if one.partition(" = ")[2] == other:
            one, other = f"{name} = {left[name]!r}", repr(right[name])
        parts.append(f"{one} ↔ {other}")
    return "; ".join(parts)
