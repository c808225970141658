"""`miningflow test`: a line for each test, and below it what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import typer

from miningflow.cli.printing import as_json
from miningflow.run.data_tests import DataTestResult
from miningflow.run.differences import Difference
from miningflow.run.testing import TestReport
from miningflow.run.unit_tests import TestResult

DIFFERENCES_SHOWN = 5


def print_tests(report: TestReport, json_wanted: bool) -> None:
    """Prints what came of the tests; the exit code is 1 if one failed."""
    if json_wanted:
        as_json(report.as_json())
    else:
        _print(report)
    if not report.passed:
        raise typer.Exit(1)


def print_data_tests(results: tuple[DataTestResult, ...]) -> None:
    """Prints the data tests of a run."""
    for result in results:
        _print_data_test(result)


def _print(report: TestReport) -> None:
    for result in report.unit:
        _print_test(result)
    print_data_tests(report.data)
    if not report.unit and not report.data:
        typer.echo(f"{report.case} has no such tests; add them below `tests:` or `data_tests:`")
        return
    passed = sum(r.passed for r in report.unit) + sum(
        r.passed and not r.skipped for r in report.data
    )
    counts = {
        "passed": passed,
        "failed": sum(not r.passed for r in report.unit)
        + sum(bool(r.broken) and r.test.severity == "error" for r in report.data),
        "warned": sum(bool(r.broken) and r.test.severity == "warn" for r in report.data),
        "not tested": sum(bool(r.untested) for r in report.data),
        "left out": sum(bool(r.skipped) for r in report.data),
    }
    typer.echo(", ".join(f"{n} {what}" for what, n in counts.items() if n or what == "passed"))
    if counts["not tested"]:
        typer.echo("run the case to test its results, or test with --unit only")


def _print_test(result: TestResult) -> None:
    mark = "✓" if result.passed else "✗"
    typer.echo(f"{mark} {result.test.name}: {result.test.step}")
    for difference in result.differences[:DIFFERENCES_SHOWN]:
        typer.echo(f"    {difference.place}: {_difference(difference)}")
    more = len(result.differences) - DIFFERENCES_SHOWN
    if more > 0:
        typer.echo(f"    and {more} more rows that differ")
    for mistake in result.mistakes:
        lines = str(mistake if mistake.place else f"{result.test.place}: {mistake}").splitlines()
        typer.echo("\n".join(f"    {line}" for line in lines))


def _print_data_test(result: DataTestResult) -> None:
    mark = "✓"
    if result.skipped:
        mark = "–"
    elif result.untested:
        mark = "?"
    elif not result.passed:
        mark = "!" if result.test.severity == "warn" else "✗"
    typer.echo(f"{mark} {result.test.concept}: {result.test.said}")
    if result.skipped or result.untested:
        typer.echo(f"    {result.test.place}: {result.skipped or result.untested}")
    elif result.broken:
        rows = "1 row does" if result.broken == 1 else f"{result.broken:,} rows do"
        typer.echo(f"    {result.test.place}: {rows} not")
        for row in result.rows:
            typer.echo(f"        {shown(row)}")


def _difference(difference: Difference) -> str:
    row = f" ({shown(difference.row)})" if difference.row else ""
    parts = [f"{difference.said}{row}"]
    if difference.expected:
        parts.append(f"expected {shown(difference.expected)}")
    if difference.found:
        parts.append(f"found {shown(difference.found)}")
    return "; ".join(parts)


def shown(row: Mapping[str, Any]) -> str:
    """Writes a row for people."""
    return ", ".join(f"{name} = {_value(value)}" for name, value in row.items())


def _value(value: Any) -> str:
    match value:
        case None:
            return "NULL"
        case float():
            return f"{value:.12g}"
        case datetime():
            return value.isoformat(" ")
        case _:
            return str(value)
