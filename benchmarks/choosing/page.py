"""The tables of docs/choosing_a_selector.md, made from what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.choosing.measure import NOTHING, Run
from benchmarks.choosing.results import Facts, Results
from benchmarks.choosing.selectors import selectors

PAGE = Path(__file__).resolve().parents[2] / "docs" / "choosing_a_selector.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
ALL = "all features"


def write_page(results: Results, page: Path = PAGE) -> None:
    """Puts the tables between the marks of the page and leaves the rest as it is."""
    text = page.read_text() if page.exists() else f"# Choosing a selector\n\n{BEGIN}\n{END}\n"
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    page.write_text(f"{before}{BEGIN}\n{measured(results)}{END}{after}")


def measured(results: Results) -> str:
    """Renders all tables as Markdown."""
    parts = [
        _settings(results),
        results.note,
        "### The data",
        _data(results.problems),
        "### Points won or lost against all features",
        "Linear machine; the mean over seeds of the differences on the same rows. Bold: more than "
        "three standard errors from 0.",
        _matrix(results, _linear_gain),
        "The same for the radial machine, except on texts.",
        _matrix(results, _radial_gain),
        "### Seconds for a selection",
        "CPU seconds, median over seeds, without reading and scaling. Python, on rows in "
        "memory: an operator also fetches rows, or counts in the database.",
        _matrix(results, _seconds),
        "### How many to keep",
        "The score of the linear machine in percent, by the number of features kept.",
        *(_by_count(results, problem) for problem in results.problems),
        "### Each data set",
        "Scores in percent, mean ± standard deviation over seeds. Numbers: what the radial machine "
        "stores, support vectors by features, and thus what its SQL contains.",
        *(_detail(results, problem) for problem in results.problems),
    ]
    return "\n" + "\n\n".join(part for part in parts if part) + "\n\n"


def _settings(results: Results) -> str:
    return (
        f"Measured on {results.day} with Python {results.python} and scikit-learn "
        f"{results.scikit_learn}: {results.seeds} seeds, each a different split; a selection "
        f"that took more than {results.limit:g} CPU seconds was stopped."
    )


def _data(problems: Sequence[Facts]) -> str:
    rows = [
        [
            each.name,
            f"{each.training:,}",
            f"{each.test:,}",
            f"{each.features:,}",
            str(each.classes),
            f"{100 * each.commonest:.0f} %",
            each.metric,
            str(each.keep),
        ]
        for each in problems
    ]
    heads = ("data", "training", "test", "features", "classes", "commonest", "score", "keep")
    return _table(heads, rows, left=1)


def _matrix(results: Results, cell: Callable[[Results, str, str], str | None]) -> str:
    """Renders selectors by data sets, without rows and columns that would be empty."""
    names = [each.name for each in selectors()]
    problems = [each.name for each in results.problems]
    cells = {(name, p): cell(results, p, name) for name in names for p in problems}
    shown = [p for p in problems if any(cells[name, p] for name in names)]
    rows = [
        [name, *(cells[name, p] or "–" for p in shown)]
        for name in names
        if any(cells[name, p] for p in shown)
    ]
    return _table(("selector", *shown), rows, left=1)


def _linear_gain(results: Results, problem: str, name: str) -> str | None:
    return _gain(results, problem, name, "linear")


def _radial_gain(results: Results, problem: str, name: str) -> str | None:
    return _gain(results, problem, name, "radial")


def _gain(results: Results, problem: str, name: str, machine: str) -> str | None:
    everything = _scores(results.runs, problem, ALL, machine)
    if np.isnan(everything).any():
        return None
    if name == ALL:
        return f"{100 * everything.mean():.1f}"
    mine = _scores(results.runs, problem, name, machine)
    if len(mine) < results.seeds:
        return _missing(results, problem, name)
    gains = 100 * (mine - everything)
    error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.inf
    shown = f"{gains.mean():+.1f}".replace("-0.0", "+0.0")
    return f"**{shown}**" if abs(gains.mean()) > max(3 * error, 0.05) else shown


def _seconds(results: Results, problem: str, name: str) -> str | None:
    mine = _of(results.runs, problem, name)
    if name == ALL:
        return None
    if len(mine) < results.seeds:
        return _missing(results, problem, name)
    return _time(float(np.median([run.seconds for run in mine])))


def _missing(results: Results, problem: str, name: str) -> str | None:
    """Says why a selection is missing, if it was tried."""
    reasons = [
        run.missing
        for run in results.runs
        if (run.problem, run.selector) == (problem, name) and run.missing
    ]
    over = [each for each in reasons if each.startswith("over")]
    if over:
        return f"—, {over[0]}"
    nothing = reasons.count(NOTHING)
    return f"—, nothing in {nothing} of {results.seeds}" if nothing else None


def _by_count(results: Results, problem: Facts) -> str:
    runs = [run for run in results.counts if run.problem == problem.name and run.selector != ALL]
    counts = sorted({run.kept for run in runs})
    if not counts:
        return ""
    rows = []
    for name in dict.fromkeys(run.selector for run in runs):
        means = [
            np.mean([run.linear for run in runs if (run.selector, run.kept) == (name, count)])
            for count in counts
        ]
        rows.append([name, *(f"{100 * mean:.1f}" for mean in means)])
    everything = 100 * _scores(results.runs, problem.name, ALL).mean()
    head = f"{problem.name}: {everything:.1f} with all {problem.features:,}"
    return _table((head, *(str(count) for count in counts)), rows, left=1)


def _detail(results: Results, problem: Facts) -> str:
    rows = []
    for selector in selectors():
        mine = _of(results.runs, problem.name, selector.name)
        if len(mine) == results.seeds:
            rows.append([selector.name, selector.operator, *_cells(mine)])
        elif missing := _missing(results, problem.name, selector.name):
            rows.append([selector.name, selector.operator, "", missing, "", "", ""])
    heads = ("selector", "operator", "kept", problem.metric, "radial", "numbers", "seconds")
    text = problem.kind == "text"
    chosen = [0, 1, 2, 3, 6] if text else list(range(7))
    shown = [[row[i] for i in chosen] for row in rows]
    return f"**{problem.name}**\n\n{_table([heads[i] for i in chosen], shown, left=2)}"


def _cells(runs: Sequence[Run]) -> list[str]:
    return [
        f"{np.mean([run.kept for run in runs]):,.0f}",
        _spread([run.linear for run in runs]),
        _spread([run.radial for run in runs]),
        f"{np.mean([run.numbers for run in runs]):,.0f}",
        "" if runs[0].selector == ALL else _time(float(np.median([run.seconds for run in runs]))),
    ]


def _of(runs: Sequence[Run], problem: str, name: str) -> list[Run]:
    return [r for r in runs if (r.problem, r.selector) == (problem, name) and r.missing is None]


def _scores(
    runs: Sequence[Run], problem: str, name: str, machine: str = "linear"
) -> NDArray[np.float64]:
    return np.array([getattr(run, machine) for run in _of(runs, problem, name)])


def _spread(scores: Sequence[float]) -> str:
    deviation = np.std(scores, ddof=1) if len(scores) > 1 else 0.0
    return f"{100 * np.mean(scores):.1f} ± {100 * deviation:.1f}"


def _time(seconds: float) -> str:
    if seconds < 0.001:
        return "< 0.001"
    digits = 3 if seconds < 0.1 else 2 if seconds < 1 else 1
    return f"{seconds:.{digits}f}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> str:
    """Renders a table whose first columns are text and whose others are numbers."""
    rule = ["---" if i < left else "---:" for i in range(len(heads))]
    return "\n".join("| " + " | ".join(row) + " |" for row in [heads, rule, *rows])
