"""The report of a run as a page: warnings first, then stages, deselected features, evaluations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from miningflow.errors import listed
from miningflow.html import Content, Element, element, number, page, section, table
from miningflow.html.page import badge
from miningflow.run.data_tests import DataTestResult
from miningflow.run.evaluation_titles import (
    LEGEND,
    baseline_of,
    evaluation_title,
    has_baselines,
    is_measure,
    learned_fewer,
)
from miningflow.warn.warning_table import warning_table

if TYPE_CHECKING:
    from miningflow.run.report import Report, StageReport

FEATURES_SHOWN = 30
EVALUATIONS_SHOWN = 12
ACTIONS = {"run": "good", "reuse": "", "skip": ""}


def report_page(report: Report) -> str:
    """Returns the report as HTML."""
    ran = sum(stage.action == "run" for stage in report.stages)
    said = f"{ran} of {len(report.stages)} stages ran in {report.seconds:.1f} s"
    return page(
        report.case,
        said,
        warning_table(report.warnings),
        section("Stages", _stages(report.stages)),
        _dropped(report),
        *_evaluations(report),
        _parity(report.stages),
        _data_tests(report.data_tests),
        _notes(report.stages),
        _files(report),
    )


def _stages(stages: Sequence[StageReport]) -> Element:
    rows: list[Sequence[Content]] = [
        [
            stage.name,
            stage.operator,
            badge(stage.action, ACTIONS.get(stage.action, "")),
            "fused" if stage.builds == "inline" else number(stage.rows),
            f"{stage.seconds:.2f}" if stage.action == "run" else "–",
            stage.reason,
        ]
        for stage in stages
    ]
    heads = ["stage", "operator", "", "rows", "seconds", "why"]
    return table(heads, rows, numbers={"rows", "seconds"})


def _notes(stages: Sequence[StageReport]) -> Element | None:
    rows = [[stage.name, note] for stage in stages for note in stage.notes]
    return section("Notes", table(["stage", "note"], rows), folded=True) if rows else None


def _dropped(report: Report) -> Element | None:
    by_step: dict[tuple[str, str], list[str]] = {}
    for entry in report.dropped:
        by_step.setdefault((entry.step, entry.reason), []).append(entry.feature)
    if not by_step:
        return None
    rows = [
        [step, f"{len(features):,}", listed(features, FEATURES_SHOWN), reason]
        for (step, reason), features in by_step.items()
    ]
    heads = ["step", "count", "features", "why"]
    return section("Deselected", table(heads, rows, numbers={"count"}))


def _evaluations(report: Report) -> Iterable[Element]:
    """Shows a line for each measure and a column for each part; segments have a line each."""
    columns: dict[str, dict[str, Any]] = {}
    for step, found in report.evaluations.items():
        parts = [row.get("part") for row in found]
        if len(set(parts)) < len(parts):
            yield section(f"Evaluation {step}", _by_segment(found))
        else:
            columns |= {evaluation_title(step, row): row for row in found}
    titles = list(columns)[:EVALUATIONS_SHOWN]
    if not titles:
        return
    shown_parts = [columns[title] for title in titles]
    names = list(dict.fromkeys(n for row in shown_parts for n in row if is_measure(n)))
    rows = [
        [name.replace("_", " "), *(_beside_baseline(row, name) for row in shown_parts)]
        for name in names
    ]
    if any(learned_fewer(row) for row in shown_parts):
        learned = [number(row.get("learned_from")) for row in shown_parts]
        rows.insert(1, ["learned from", *learned])
    shown = [table(["", *titles], rows, numbers=set(titles))]
    if any(map(has_baselines, shown_parts)):
        shown.append(element("p", "mf-faint", LEGEND))
    for title, row in zip(titles, shown_parts, strict=True):
        if row.get("unknown"):
            left_out = f"{row['unknown']:,} of {row['rows']:,} rows"
            said = f"{title}: without {left_out}, which have no score or no truth"
            shown.append(element("p", "mf-faint", said))
    if len(columns) > len(titles):
        said = f"… {len(columns) - len(titles):,} more parts; see report.evaluations"
        shown.append(element("p", "mf-faint", said))
    yield section("Evaluation", *shown)


def _beside_baseline(row: dict[str, Any], name: str) -> str:
    baseline = baseline_of(row, name)
    written = _measure(row.get(name))
    return written if baseline is None else f"{written} ({_measure(baseline)})"


def _measure(value: Any) -> str:
    """Writes a measure with as many digits as those beside it."""
    return f"{value:.4f}" if isinstance(value, float) and 1e-3 <= value <= 1 else number(value)


def _by_segment(found: Sequence[dict[str, Any]]) -> Element:
    named = [n for n in found[0] if n == "part" or is_measure(n)]
    names = [name for name in named if any(row[name] is not None for row in found)]
    rows = [[_beside_baseline(row, name) for name in names] for row in found]
    numbers = {n for n in names if all(isinstance(r[n], int | float | None) for r in found)}
    return table([name.replace("_", " ") for name in names], rows, _spaced(numbers))


def _spaced(names: Iterable[str]) -> set[str]:
    return {name.replace("_", " ") for name in names}


def _parity(stages: Sequence[StageReport]) -> Element | None:
    rows = [[s.name, str(s.parity)] for s in stages if s.parity is not None]
    return section("SQL and model", table(["step", "how they agree"], rows)) if rows else None


def _data_tests(results: Sequence[DataTestResult]) -> Element | None:
    if not results:
        return None
    rows: list[Sequence[Content]] = [
        [_outcome(r), r.test.concept, r.test.said, f"{r.broken:,}" if r.broken else ""]
        for r in results
    ]
    heads = ["", "concept", "data test", "rows that break it"]
    return section("Data tests", table(heads, rows, numbers=heads[3:]))


def _outcome(result: DataTestResult) -> Element:
    if result.skipped or result.untested:
        return badge("not tested")
    if result.passed:
        return badge("passed", "good")
    severe = result.test.severity == "error"
    return badge("failed" if severe else "warning", "bad" if severe else "doubtful")


def _files(report: Report) -> Element | None:
    rows = [[what, path] for what, path in report.files.items()]
    rows += [["export", f"{e.path} ({e.rows:,} rows of {e.step})"] for e in report.exports]
    rows.insert(0, ["results", report.store])
    return section("Where it is", table(["what", "where"], rows), folded=True)
