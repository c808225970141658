"""Differences between searches on the same rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.xi_alpha_runs import BROADER, GREEDY, KernelName, Run


def in_order(direction: str) -> list[str]:
    """Returns the searches of a direction, the simple ones first."""
    return [name for name in (*GREEDY, *BROADER) if name.startswith(direction)]


def greedy_of(name: str) -> str:
    """Returns the greedy search that a broader one starts from."""
    direction = name.partition(",")[0]
    return f"{direction}, equal" if name.endswith("equal") else direction


def runs_named(
    runs: list[Run], name: str, kernel: KernelName | None = None, table: str | None = None
) -> list[Run]:
    """Returns the runs of a search, of one kernel and data set if these are given."""
    return [
        run
        for run in runs
        if run.name == name and kernel in (None, run.kernel) and table in (None, run.table)
    ]


def gain_of(
    runs: list[Run],
    name: str,
    against: str,
    kernel: KernelName | None = None,
    table: str | None = None,
    others: list[Run] | None = None,
) -> tuple[float, float]:
    """Returns the mean gain of accuracy in points on the same rows, and its standard error."""
    here = _accuracy(runs_named(runs, name, kernel, table))
    there = _accuracy(runs_named(runs if others is None else others, against, kernel, table))
    gain = here - there
    return float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(len(gain)))


def _accuracy(runs: list[Run]) -> NDArray[np.float64]:
    return np.array([100 * run.accuracy for run in runs])


def lowered(runs: list[Run]) -> float:
    """Returns by how many points the broader searches lower the estimate, on average."""
    lowered = [
        100 * (greedy.estimate - broad.estimate)
        for name in BROADER
        for greedy, broad in zip(
            runs_named(runs, greedy_of(name)), runs_named(runs, name), strict=True
        )
    ]
    return float(np.mean(lowered))


def is_clear(gain: tuple[float, float]) -> bool:
    """Says if a gain is above two standard errors."""
    return gain[0] > 2 * gain[1]


def is_loss(gain: tuple[float, float]) -> bool:
    """Says if a loss is above two standard errors."""
    return gain[0] < -2 * gain[1]


def signed(gain: tuple[float, float]) -> str:
    """Prints a gain with its standard error."""
    return f"{gain[0]:+.1f} ± {gain[1]:.1f}"
