"""The commands that look at a case and its data: `stats`, `impact`, `test`."""

from __future__ import annotations

from typing import Annotated

import typer

from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Wait


def stats(
    case: CaseFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[STEP…]", help="Only these concepts or steps; * stands for any."),
    ] = None,
    learned: Annotated[
        bool, typer.Option("--learned", help="Of the rows that are not held out.")
    ] = False,
    anew: Annotated[
        bool, typer.Option("--anew", help="Compute them again, although they are stored.")
    ] = False,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate", help="Estimate steps from their sources instead; nothing needs to run."
        ),
    ] = False,
    connect: Connect = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Show statistics of each feature: missing, distinct, range, mean, distribution.

    They are computed in the database and kept there until the rows change.
    """
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli.progress import watching
        from miningflow.cli.statistics import print_estimates, print_statistics

        project = pipeline.check(case, connect)
        with watching(project.bound, quiet=json) as listener:
            if estimate:
                guessed = pipeline.estimate(project, tuple(names or ()), listener, wait)
                print_estimates(guessed, bool(names), json)
                return
            found = pipeline.stats(project, tuple(names or ()), anew, listener, wait)
        print_statistics(found, "learned" if learned else "all", json)


def impact(
    case: CaseFile,
    what: Annotated[
        str,
        typer.Argument(
            metavar="CONCEPT.FEATURE",
            help="A feature of a concept or step; with --column: TABLE.COLUMN or FILE.COLUMN, "
            "as the connection writes it.",
        ),
    ],
    column: Annotated[
        bool, typer.Option("--column", help="Ask about a column of the connection.")
    ] = False,
    connect: Connect = None,
    json: Json = False,
) -> None:
    """Show what the removal of a feature would break, shrink or lose. Needs no data."""
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli.impacts import print_impact

        print_impact(pipeline.impact(pipeline.check(case, connect), what, column), json)


def test(
    case: CaseFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME…]", help="Only these: a test, or a step whose data tests are meant."
        ),
    ] = None,
    unit: Annotated[
        bool, typer.Option("--unit", help="Only `tests:`, which need no results.")
    ] = False,
    data: Annotated[
        bool, typer.Option("--data", help="Only `data_tests:`, of the last results.")
    ] = False,
    connect: Connect = None,
    json: Json = False,
) -> None:
    """Run the tests of a case: rows given and expected, and rules for its results.

    Tests with given rows run in memory and touch no data. Data tests read what the last run
    published. The exit code is 1 if a test fails.
    """
    with failing(json):
        from miningflow import pipeline
        from miningflow.cli.testing import print_tests

        project = pipeline.check(case, connect)
        both = unit == data
        report = pipeline.test(project, tuple(names or ()), unit or both, data or both)
        print_tests(report, json)
