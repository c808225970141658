"""`miningflow test`."""

from __future__ import annotations

from typing import Annotated

import typer

from miningflow.cli.candidates import tested
from miningflow.cli.failing import failing
from miningflow.cli.options import CaseFile, Connect, Json, Lazy


def test(
    case: CaseFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME…]",
            help="Only these: a test, or a step whose data tests are meant.",
            autocompletion=tested,
        ),
    ] = None,
    unit: Annotated[
        bool, typer.Option("--unit", help="Only `tests:`, which need no results.")
    ] = False,
    data: Annotated[
        bool, typer.Option("--data", help="Only `data_tests:`, of the last results.")
    ] = False,
    connect: Connect = None,
    lazy: Lazy = False,
    json: Json = False,
) -> None:
    """Run the tests of a case.

    `tests:` give rows and expect rows; they run in memory and touch no data. `data_tests:` are
    rules for what the last run published. The exit code is 1 if a test fails.

    Example: miningflow test shop.yml --unit
    """
    with failing(json):
        from miningflow.cli.test_results import print_tests
        from miningflow.project import load

        report = load(case, connect, lazy).test(*names or (), unit=unit, data=data)
        print_tests(report, json)
        if not report.passed:
            raise typer.Exit(1)
