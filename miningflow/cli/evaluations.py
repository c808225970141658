"""How good the models of a run are: each measure, beside its baseline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from miningflow.cli.output import console, echo, table
from miningflow.cli.tables import print_table
from miningflow.declare.segmentation import Segment
from miningflow.resolve import BoundCase
from miningflow.run import Report
from miningflow.run.evaluated_models import group_feature
from miningflow.run.evaluation_titles import (
    LEGEND,
    baseline_of,
    evaluation_title,
    has_baselines,
    is_measure,
    learned_fewer,
)

MEASURES_ABREAST = 8
LEAST_ABREAST = 3
LONGEST_PART = len("  held out  ")
EVALUATIONS_ABREAST = 4
LONGEST_MEASURE = 20
LONGEST_CELL = len("0.8351 (0.7007) *")


def print_evaluations(bound: BoundCase, report: Report) -> None:
    """Prints a line for each measure, and a column for each evaluation and part."""
    rows: dict[str, dict[str, Any]] = {}
    for step, found in report.evaluations.items():
        segmented = [s.feature for s in bound.steps[step].output.segmentations]
        by = group_feature(bound.steps[step].operator)
        if segmented or by is not None:
            _print_by_segment(step, segmented, by, found)
            continue
        rows |= {evaluation_title(step, row): row for row in found}
    for titles in _abreast(list(rows)):
        part = {title: rows[title] for title in titles}
        counts = {n for row in part.values() for n, value in row.items() if isinstance(value, int)}
        names = dict.fromkeys(n for row in part.values() for n in row if is_measure(n))
        shown = table("evaluation", *(f">{title}" for title in part))
        for name in names:
            marks = ["" if name in counts else _mark(row) for row in part.values()]
            values = [_beside_baseline(row, name) for row in part.values()]
            shown.add_row(name, *(v + m for v, m in zip(values, marks, strict=True)))
            if name == "rows" and any(learned_fewer(row) for row in part.values()):
                learned = (_measure(row.get("learned_from")) for row in part.values())
                shown.add_row("learned from", *learned)
        print_table(shown)
        if any(map(has_baselines, part.values())):
            echo(f"  ({LEGEND})")
        _print_unknown(part)


def _abreast(titles: list[str]) -> list[list[str]]:
    """Divides evaluations into tables that fit the width, of a few columns each."""
    room = console().width - LONGEST_MEASURE
    found: list[list[str]] = []
    for title in titles:
        here = found[-1] if found else []
        taken = sum(max(len(other), LONGEST_CELL) + 3 for other in [*here, title])
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
    step: str, segmented: list[str], by: str | None, rows: list[dict[str, Any]]
) -> None:
    """Prints a line for each segment or group and part, with the measures that fit the width."""
    names = [_named(row, segmented, by) for row in rows]
    room = console().width - max((len(name) for name in names), default=0) - LONGEST_PART
    shown: dict[str, list[str]] = {}
    for measure in rows[0] if rows else []:
        if not is_measure(measure) or measure in (*segmented, by):
            continue
        cells = [_beside_baseline(row, measure) for row in rows]
        room -= max(map(len, [measure, *cells])) + 3
        if len(shown) >= LEAST_ABREAST and (room < 0 or len(shown) == MEASURES_ABREAST):
            break
        if any(row[measure] is not None for row in rows):
            shown[measure] = cells
    made = table("segment" if by is None else by, "", *(f">{name}" for name in shown), title=step)
    for i, row in enumerate(rows):
        made.add_row(names[i], str(row.get("part", "")), *(cells[i] for cells in shown.values()))
    print_table(made)
    if any(map(has_baselines, rows)):
        echo(f"  ({LEGEND})")


def _named(row: Mapping[str, Any], segmented: list[str], by: str | None) -> str:
    """Names the segment and the group that a row is about."""
    segment = str(Segment(tuple((name, row[name]) for name in segmented)))
    if by is None:
        return segment
    group = "NULL" if row[by] is None else str(row[by])
    return f"{segment}, {group}" if segment else group


def _beside_baseline(row: Mapping[str, Any], name: str) -> str:
    """Writes a measure, with its baseline in parentheses if both are known."""
    written = _measure(row.get(name))
    baseline = baseline_of(row, name)
    return written if baseline is None else f"{written} ({_measure(baseline)})"


def _measure(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and abs(value) > 1 else f"{value:.4g}"
    return str(value)
