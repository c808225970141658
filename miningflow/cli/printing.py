"""What commands print: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from miningflow.compile import Names
from miningflow.declare.segmentation import Segment
from miningflow.errors import listed
from miningflow.pipeline import Project
from miningflow.plan import Plan
from miningflow.repository import MadeObject
from miningflow.resolve import BoundCase
from miningflow.run import Report, Scores
from miningflow.run.explaining import Explanation

ROWS_SHOWN = 20
FEATURES_SHOWN = 30
MEASURES_ABREAST = 8
EVALUATIONS_ABREAST = 4


def as_json(value: Any) -> None:
    """Prints JSON, which knows no NaN and no infinity: they become null."""
    typer.echo(json.dumps(_finite(value), ensure_ascii=False, default=str))


def _finite(value: Any) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case list() | tuple():
            return [_finite(item) for item in value]
        case _:
            return value


def table(*columns: str, title: str = "") -> Table:
    """Starts a table."""
    made = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", title_style="bold")
    for name in columns:
        made.add_column(
            name.lstrip(">"), justify="right" if name.startswith(">") else "left", overflow="fold"
        )
    return made


def console() -> Console:
    """Gives a console; where there is no terminal, lines are as long as they need to be."""
    plain = Console(highlight=False, markup=False)
    if not plain.is_terminal:
        plain.width = 160
    return plain


def checked(project: Project, json_wanted: bool) -> None:
    """Prints that a case is well, and what may go wrong."""
    bound = project.bound
    if json_wanted:
        as_json({"case": bound.name, "mistakes": [w.as_json() for w in bound.warnings]})
        return
    for warning in bound.warnings:
        typer.echo(str(warning), err=True)
    steps = sum(not s.hidden for s in bound.steps.values())
    connected = "" if project.connection else "; it is not connected to a store yet"
    typer.echo(
        f"{bound.name}: {len(bound.sources)} concepts, {steps} steps, no mistakes{connected}"
    )


def planned(plan: Plan, json_wanted: bool) -> None:
    """Prints what would run, and why."""
    if json_wanted:
        as_json({"case": plan.case, "stages": [s.as_json() for s in plan.stages]})
        return
    shown = table("", "stage", "operator", "as", "why")
    for stage in plan.stages:
        mark = {"run": "run", "reuse": "–", "skip": "skip"}[stage.action]
        learns = " (learns)" if stage.learns else ""
        shown.add_row(mark, stage.name, stage.operator + learns, stage.builds, stage.reason)
    console().print(shown)
    typer.echo(f"{len(plan.running)} of {len(plan.stages)} stages would run")


def ran(
    project: Project, report: Report, files: Mapping[str, Path], trace: bool, json_wanted: bool
) -> None:
    """Prints the summary of a run."""
    if json_wanted:
        as_json({**report.as_json(), "files": {k: str(v) for k, v in files.items()}})
        return
    out = console()
    shown = table("step", "operator", ">rows", ">seconds", "why it ran")
    for stage in report.stages:
        rows = (
            f"{stage.rows:,}"
            if stage.rows is not None
            else "fused"
            if stage.builds == "inline"
            else ""
        )
        seconds = f"{stage.seconds:.2f}" if stage.action == "run" else "–"
        why = stage.reason if stage.action != "reuse" else "(unchanged, not run)"
        shown.add_row(stage.name, stage.operator, rows, seconds, why)
    out.print(shown)
    _print_dropped(report, out)
    if trace:
        from miningflow.cli.showing import print_traces

        print_traces(project, out)
    _print_evaluations(project.bound, report, out)
    _print_parity(report, out)
    if report.data_tests:
        from miningflow.cli.testing import print_data_tests

        print_data_tests(report.data_tests)
    typer.echo(f"results: {report.store}, schema {Names(report.case).schema}")
    if "score" in files:
        typer.echo(f"scoring: {files['score']} (one SELECT, runs without Python)")
    typer.echo(f"SQL:     {files['compiled']}")
    for exported in report.exports:
        typer.echo(f"export:  {exported.path} ({exported.rows:,} rows of {exported.step})")
    ran_stages = sum(s.action == "run" for s in report.stages)
    typer.echo(f"{ran_stages} of {len(report.stages)} stages ran in {report.seconds:.1f} s")


def _print_dropped(report: Report, out: Console) -> None:
    by_step: dict[tuple[str, str], list[str]] = {}
    for entry in report.dropped:
        by_step.setdefault((entry.step, entry.reason), []).append(entry.feature)
    if not by_step:
        return
    shown = table("deselected in", "features", "why")
    for (step, reason), features in by_step.items():
        shown.add_row(step, listed(features, FEATURES_SHOWN), reason)
    out.print(shown)


def _print_evaluations(bound: BoundCase, report: Report, out: Console) -> None:
    """Prints a line for each measure, and a column for each evaluation and part."""
    rows: dict[str, dict[str, Any]] = {}
    for step, found in report.evaluations.items():
        segmented = [s.feature for s in bound.steps[step].output.segmentations]
        if segmented:
            _print_by_segment(step, segmented, found, out)
            continue
        rows |= {f"{step}: {row['part']}" if "part" in row else step: row for row in found}
    titles = list(rows)
    for start in range(0, len(titles), EVALUATIONS_ABREAST):
        part = {title: rows[title] for title in titles[start : start + EVALUATIONS_ABREAST]}
        names = dict.fromkeys(n for row in part.values() for n in row if n != "part")
        shown = table("evaluation", *(f">{title}" for title in part))
        for name in names:
            shown.add_row(name, *(_measure(row.get(name)) for row in part.values()))
        out.print(shown)


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
    out.print(shown)


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
    out.print(shown)


def _measure(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and abs(value) > 1 else f"{value:.4g}"
    return str(value)


def scored(scores: Scores, json_wanted: bool) -> None:
    """Prints scores, or where they were written."""
    if scores.written is not None:
        if json_wanted:
            as_json({"rows": scores.rows, "written": scores.written})
        else:
            typer.echo(f"{scores.rows:,} rows scored to {scores.written}")
        return
    assert scores.table is not None
    if json_wanted:
        as_json({"rows": scores.table.to_pylist()})
        return
    shown = table(*scores.table.column_names)
    for row in scores.table.slice(0, ROWS_SHOWN).to_pylist():
        shown.add_row(*("NULL" if v is None else str(v) for v in row.values()))
    console().print(shown)
    if scores.rows > ROWS_SHOWN:
        typer.echo(f"{ROWS_SHOWN} of {scores.rows:,} rows; write all with --output scores.parquet")


def explained(explanation: Explanation, json_wanted: bool) -> None:
    """Prints what is known of a step, a topic a line."""
    if json_wanted:
        as_json(explanation.as_json())
        return
    shown = table(explanation.step, explanation.operator)
    for topic, said in explanation.topics.items():
        shown.add_row(topic, said)
    if not explanation.topics:
        shown.add_row("", "it learns nothing")
    console().print(shown)


def cleaned(dropped: list[MadeObject], json_wanted: bool) -> None:
    """Prints what was dropped."""
    if json_wanted:
        as_json(
            {"dropped": [{"schema": o.schema, "name": o.name, "kind": o.kind} for o in dropped]}
        )
        return
    for entry in dropped:
        name = entry.schema if entry.kind == "schema" else f"{entry.schema}.{entry.name}"
        typer.echo(f"dropped {entry.kind} {name}")
    typer.echo(f"{len(dropped)} objects dropped" if dropped else "there was nothing to drop")
