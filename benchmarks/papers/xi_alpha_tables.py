"""The tables and plots of the page on the ξα-estimate."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.papers.page import Page, Plot, mean_and_deviation
from benchmarks.papers.xi_alpha_gains import gain_of, greedy_of, in_order, runs_named, signed
from benchmarks.papers.xi_alpha_runs import (
    ALL,
    BROADER,
    GENERATED,
    GREEDY,
    KERNELS,
    USEFUL,
    KernelName,
    Run,
    larger_class,
)
from benchmarks.selection.data import Table
from miningflow.describe.plots import Line

# The paper has features and accuracy for these only.
PAPER = {
    ALL: ("23", "81"),
    "forward": ("1", "as at random"),
    "forward, equal": ("11", "“not much” better"),
    "backward": ("19", "82.6"),
}


def accuracy_table(
    page: Page, found: Sequence[Table], runs: list[Run], kernel: KernelName, names: Sequence[str]
) -> None:
    """Adds accuracies by search and data set, beside the paper's where it has some."""

    def row(name: str) -> list[str]:
        cells = []
        for table in found:
            chosen = runs_named(runs, name, kernel, table.name)
            accuracy = mean_and_deviation([100 * run.accuracy for run in chosen])
            cells.append(f"{accuracy} ({np.mean([run.kept for run in chosen]):.1f})")
        return cells

    if not any(name in PAPER for name in names):
        page.table(["search", *(table.name for table in found)], [[n, *row(n)] for n in names])
        return
    rows = [[name, *PAPER.get(name, ("–", "–")), *row(name)] for name in names]
    constant = [f"{100 * larger_class(table):.1f} (0)" for table in found]
    page.table(
        ["search", "paper: features", "paper: accuracy", *(f"ours: {t.name}" for t in found)],
        [*rows, ["(larger class)", "–", "–", *constant]],
    )


def effort_table(page: Page, runs: list[Run], kernel: KernelName) -> None:
    """Adds what each search costs and comes to, over all data sets."""
    rows = []
    for name in (ALL, *in_order("forward"), *in_order("backward")):
        chosen = runs_named(runs, name, kernel)
        against = greedy_of(name)
        gain = signed(gain_of(runs, name, against, kernel)) if name in BROADER else "–"
        rows.append(
            [
                name,
                _mean(chosen, lambda run: run.kept),
                f"{np.mean([run.subsets for run in chosen]):.0f}",
                _mean(chosen, lambda run: 100 * run.estimate),
                _mean(chosen, lambda run: 100 * (1 - run.accuracy)),
                gain,
            ]
        )
    page.table(["search", "features", "subsets tried", "estimate", "test error", "gain"], rows)


def effort_plot(runs: list[Run], kernel: KernelName) -> Plot:
    """Plots estimate and test error over the number of subsets tried."""
    lines = []
    for direction in ("forward", "backward"):
        groups = [runs_named(runs, name, kernel) for name in in_order(direction)]
        groups.sort(key=lambda group: np.mean([run.subsets for run in group]))
        subsets = [float(np.mean([run.subsets for run in group])) for group in groups]
        estimate = [float(np.mean([100 * run.estimate for run in group])) for group in groups]
        error = [float(np.mean([100 * (1 - run.accuracy) for run in group])) for group in groups]
        lines.append(Line(f"{direction}: estimate", subsets, estimate))
        lines.append(Line(f"{direction}: test error", subsets, error))
    everything = float(np.mean([100 * (1 - run.accuracy) for run in runs_named(runs, ALL, kernel)]))
    spread = [x for line in lines for x in line.x]
    ends = [min(spread), max(spread)]
    lines.append(Line("all features: test error", ends, [everything] * 2, dashed=True))
    title = f"Effort of the search and error, {kernel} kernel"
    return Plot(f"effort_{kernel}", lines, title, "subsets tried", "mean error in %", log_x=True)


def found_table(page: Page, runs: list[Run]) -> None:
    """Adds how many useful and other columns of the generated set are kept."""
    rows = []
    for name in (*in_order("forward"), *in_order("backward")):
        row = [name]
        for kernel in KERNELS:
            chosen = runs_named(runs, name, kernel, GENERATED)
            row.append(mean_and_deviation([run.useful for run in chosen]))
            row.append(mean_and_deviation([run.kept - run.useful for run in chosen]))
        rows.append(row)
    header = [f"{kernel}: {kind}" for kernel in KERNELS for kind in (f"of the {USEFUL}", "others")]
    page.table(["search", *header], rows)


def rho_table(page: Page, runs: list[Run], bounded: list[Run]) -> None:
    """Adds the greedy searches with either estimate."""
    rows = []
    for name in GREEDY:
        row = [name]
        for kernel in KERNELS:
            for each in (runs, bounded):
                chosen = runs_named(each, name, kernel)
                kept = np.mean([run.kept for run in chosen])
                row.append(f"{100 * np.mean([run.accuracy for run in chosen]):.1f} ({kept:.1f})")
        rows.append(row)
    header = [f"{kernel}, ρ = {rho}" for kernel in KERNELS for rho in (1, 2)]
    page.table(["search", *header], rows)
    gaps = {name: gain_of(bounded, name, name, others=runs) for name in GREEDY}
    name, worst = max(gaps.items(), key=lambda item: abs(item[1][0]))
    page.say(
        f"With ρ = 2 the accuracy differs most for the search *{name}*: {signed(worst)} points, "
        "mean over data sets and kernels and its standard error. The broader searches above were "
        "run with ρ = 1 only."
    )


def gain_table(page: Page, found: Sequence[Table], runs: list[Run]) -> None:
    """Adds the gain over all features by data set."""
    page.table(
        ["search", *(table.name for table in found), "mean"],
        [
            [
                name,
                *(signed(gain_of(runs, name, ALL, table=table.name)) for table in found),
                signed(gain_of(runs, name, ALL)),
            ]
            for name in (*in_order("forward"), *in_order("backward"))
        ],
    )


def _mean(runs: list[Run], of: Callable[[Run], float]) -> str:
    return f"{np.mean([of(run) for run in runs]):.1f}"
