"""How the number of kept features matters, for selectors that are quick enough to try several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from benchmarks.choosing.measure import Run, measure
from benchmarks.choosing.problems import Problem
from benchmarks.choosing.selectors import selectors

QUICK = (
    "all features",
    "random features",
    "alignment, keep",
    "alignment balanced",
    "score fisher",
    "score information gain",
    "normal",
    "margin bound",
)
PROBLEMS = ("Sonar", "spam", "digits", "colon", "leukemia", "Reuters grain", "News PC or Mac")
GENES, WORDS = (10, 20, 50, 200), (20, 50, 200, 1000)


def counts_of(problem: Problem) -> tuple[int, ...]:
    """Returns the numbers to try: shares of a table, fixed numbers of genes and words."""
    if problem.kind == "table":
        width = problem.X.shape[1]
        return tuple(sorted({max(2, width // part) for part in (16, 8, 4, 2)}))
    return GENES if problem.kind == "genes" else WORDS


def measure_counts(problem: Problem, seeds: Iterable[int], limit: float) -> list[Run]:
    """Runs the quick selectors for each number of features, on some of the problems."""
    if problem.name not in PROBLEMS:
        return []
    compared = [each for each in selectors() if each.name in QUICK]
    return [
        run
        for count in counts_of(problem)
        for run in measure(replace(problem, keep=count), compared, seeds, limit)
        if run.missing is None
    ]
