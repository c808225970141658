"""The summary of a run."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console

from miningflow.cli.evaluations import print_evaluations
from miningflow.cli.output import console, echo, table
from miningflow.cli.result_warnings import print_warnings
from miningflow.cli.stage_groups import stage_groups
from miningflow.cli.tables import print_table
from miningflow.cli.test_results import print_data_tests
from miningflow.cli.traces import print_traces
from miningflow.cli.verbosity import is_quiet
from miningflow.compile import Names
from miningflow.declare.selection import Selection
from miningflow.errors import listed
from miningflow.resolve import BoundCase
from miningflow.run import Report

FEATURES_SHOWN = 30


def print_run(bound: BoundCase, report: Report, traces: Mapping[str, Selection]) -> None:
    """Prints what a run did, what was deselected and why, and how good the models are."""
    if is_quiet():
        print_data_tests(report.data_tests, err=True)
        print_warnings(report.warnings)
        return
    out = console()
    shown = table("step", "operator", ">rows", ">seconds", "why it ran")
    for group in stage_groups(bound, report.stages):
        last = group.last
        fused = "fused" if last.builds == "inline" else ""
        rows = fused if last.rows is None else f"{last.rows:,}"
        seconds = sum(stage.seconds for stage in group.stages if stage.action == "run")
        ran = group.action == "run"
        why = "(unchanged, not run)" if group.action == "reuse" else group.reason
        shown.add_row(group.name, last.operator, rows, f"{seconds:.2f}" if ran else "–", why)
    print_table(shown)
    _print_dropped(report, out)
    print_traces(traces)
    print_evaluations(bound, report)
    _print_parity(report, out)
    print_data_tests(report.data_tests)
    echo(f"results: {report.store}, schema {Names(report.case).schema}")
    if "score" in report.files:
        echo(f"scoring: {report.files['score']} (one SELECT, runs without Python)")
    echo(f"SQL:     {report.files['compiled']}")
    for exported in report.exports:
        echo(f"export:  {exported.path} ({exported.rows:,} rows of {exported.step})")
    ran_stages = sum(s.action == "run" for s in report.stages)
    echo(f"{ran_stages} of {len(report.stages)} stages ran in {report.seconds:.1f} s")
    print_warnings(report.warnings)


def _print_dropped(report: Report, out: Console) -> None:
    by_step: dict[tuple[str, str], list[str]] = {}
    for entry in report.dropped:
        by_step.setdefault((entry.step, entry.reason), []).append(entry.feature)
    if not by_step:
        return
    shown = table("deselected in", "features", "why")
    for (step, reason), features in by_step.items():
        shown.add_row(step, listed(features, FEATURES_SHOWN), reason)
    print_table(shown)


def _print_parity(report: Report, out: Console) -> None:
    """Prints how well the SQL of each model agrees with the model itself."""
    compared = [stage for stage in report.stages if stage.parity is not None]
    if not compared:
        return
    shown = table("SQL against the model", ">rows compared", ">largest difference", ">labels equal")
    for stage in compared:
        parity = stage.parity
        assert parity is not None
        labels = f"{parity.labels - parity.labels_too_close:,} of {parity.labels:,}"
        close = f" ({parity.labels_too_close} too close to call)" if parity.labels_too_close else ""
        shown.add_row(
            stage.name,
            f"{parity.compared_rows:,}",
            f"{parity.largest_difference:.0e}",
            labels + close if parity.labels else "–",
        )
    print_table(shown)
