"""How results of tests are printed: a line for each test, and below it what went wrong."""

from __future__ import annotations

from miningflow.cli.output import echo, note, print_json
from miningflow.cli.row_text import row_text
from miningflow.cli.verbosity import is_quiet
from miningflow.run.data_tests import DataTestResult
from miningflow.verbs.case_tests.differences import Difference
from miningflow.verbs.case_tests.report import TestReport
from miningflow.verbs.case_tests.unit_tests import TestResult

DIFFERENCES_SHOWN = 5


def print_tests(report: TestReport, json: bool) -> None:
    """Prints the results of tests, and how many passed."""
    if json:
        print_json(report.as_json())
    else:
        _print(report)


def print_data_tests(results: tuple[DataTestResult, ...], err: bool = False) -> None:
    """Prints the data tests of a run."""
    for result in results:
        if result.broken or not is_quiet():
            _print_data_test(result, err)


def _print(report: TestReport) -> None:
    for result in report.unit:
        _print_test(result)
    print_data_tests(report.data)
    if not report.unit and not report.data:
        note(f"{report.case} has no such tests; add them below `tests:` or `data_tests:`")
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
    note(", ".join(f"{n} {what}" for what, n in counts.items() if n or what == "passed"))
    if counts["not tested"]:
        note("run the case to test its results, or test with --unit only")


def _print_test(result: TestResult) -> None:
    mark = "✓" if result.passed else "✗"
    (note if result.passed else echo)(f"{mark} {result.test.name}: {result.test.step}")
    for difference in result.differences[:DIFFERENCES_SHOWN]:
        echo(f"    {difference.place}: {_difference(difference)}")
    more = len(result.differences) - DIFFERENCES_SHOWN
    if more > 0:
        echo(f"    and {more} more rows that differ")
    for diagnostic in result.diagnostics:
        lines = str(
            diagnostic if diagnostic.place else f"{result.test.place}: {diagnostic}"
        ).splitlines()
        echo("\n".join(f"    {line}" for line in lines))


def _print_data_test(result: DataTestResult, err: bool) -> None:
    mark = "✓"
    if result.skipped:
        mark = "–"
    elif result.untested:
        mark = "?"
    elif not result.passed:
        mark = "!" if result.test.severity == "warn" else "✗"
    echo(f"{mark} {result.test.concept}: {result.test.said}", err)
    if result.skipped or result.untested:
        echo(f"    {result.test.place}: {result.skipped or result.untested}", err)
    elif result.broken:
        rows = "1 row does" if result.broken == 1 else f"{result.broken:,} rows do"
        echo(f"    {result.test.place}: {rows} not", err)
        for row in result.rows:
            echo(f"        {row_text(row)}", err)


def _difference(difference: Difference) -> str:
    row = f" ({row_text(difference.row)})" if difference.row else ""
    parts = [f"{difference.said}{row}"]
    if difference.expected:
        parts.append(f"expected {row_text(difference.expected)}")
    if difference.found:
        parts.append(f"found {row_text(difference.found)}")
    return "; ".join(parts)
