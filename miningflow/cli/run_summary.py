"""The summary of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console

from miningflow.cli.output import console, echo, table
from miningflow.cli.result_warnings import print_warnings
from miningflow.cli.stage_groups import stage_groups
from miningflow.cli.tables import print_table
from miningflow.cli.test_results import print_data_tests
from miningflow.cli.traces import print_traces
from miningflow.cli.verbosity import is_quiet
from miningflow.compile import Names
from miningflow.declare.segmentation import Segment
from miningflow.declare.selection import Selection
from miningflow.errors import listed
from miningflow.resolve import BoundCase
from miningflow.run import Report
from miningflow.run.evaluation_titles import evaluation_title, learned_fewer

FEATURES_SHOWN = 30
MEASURES_ABREAST = 8
EVALUATIONS_ABREAST = 4
LONGEST_MEASURE = 20
NO_MEASURES = {"part", "learned_from"}


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
    _print_evaluations(bound, report, out)
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


def _print_evaluations(bound: BoundCase, report: Report, out: Console) -> None:
    """Prints a line for each measure, and a column for each evaluation and part."""
    rows: dict[str, dict[str, Any]] = {}
    for step, found in report.evaluations.items():
        segmented = [s.feature for s in bound.steps[step].output.segmentations]
        if segmented:
            _print_by_segment(step, segmented, found, out)
            continue
        rows |= {evaluation_title(step, row): row for row in found}
    for titles in _abreast(list(rows)):
        part = {title: rows[title] for title in titles}
        counts = {n for row in part.values() for n, value in row.items() if isinstance(value, int)}
        names = dict.fromkeys(n for row in part.values() for n in row if n not in NO_MEASURES)
        shown = table("evaluation", *(f">{title}" for title in part))
        for name in names:
            marks = ["" if name in counts else _mark(row) for row in part.values()]
            values = [_measure(row.get(name)) for row in part.values()]
            shown.add_row(name, *(v + m for v, m in zip(values, marks, strict=True)))
            if name == "rows" and any(learned_fewer(row) for row in part.values()):
                learned = (_measure(row.get("learned_from")) for row in part.values())
                shown.add_row("learned from", *learned)
        print_table(shown)
        _print_unknown(part)


def _abreast(titles: list[str]) -> list[list[str]]:
    """Divides evaluations into tables that fit the width, of a few columns each."""
    room = console().width - LONGEST_MEASURE
    found: list[list[str]] = []
    for title in titles:
        here = found[-1] if found else []
        taken = sum(len(other) + 3 for other in [*here, title])
        if here and len(here) < EVALUATIONS_ABREAST and taken <= room:
            here.append(title)
        else:
            found.append([title])
    return found


def _mark(row: dict[str, Any]) -> str:
    return " *" if row.get("unknown") else ""


def _print_unknown(part: dict[str, dict[str, Any]]) -> None:
    """Says which measures leave out rows."""
    for title, row in part.items():
        if row.get("unknown"):
            left_out = f"{row['unknown']:,} of {row['rows']:,} rows"
            echo(f"  * {title}: without {left_out}, which have no score or no truth")


def _print_by_segment(
    step: str, segmented: list[str], rows: list[dict[str, Any]], out: Console
) -> None:
    """Prints a line for each segment and part; there may be many."""
    known = [name for name in rows[0] if any(row[name] is not None for row in rows)] if rows else []
    numbers = [name for name in known if name not in (*segmented, "part")][:MEASURES_ABREAST]
    shown = table("segment", "", *(f">{name}" for name in numbers), title=step)
    for row in rows:
        segment = Segment(tuple((name, row[name]) for name in segmented))
        measures = (_measure(row[name]) for name in numbers)
        shown.add_row(str(segment), str(row.get("part", "")), *measures)
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


def _measure(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and abs(value) > 1 else f"{value:.4g}"
    return str(value)
