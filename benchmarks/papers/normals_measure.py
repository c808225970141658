"""Figures 2, 3 and 4 of the paper on normals, measured."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from benchmarks.papers.normals_reuters import FOLDS, Outcome, Reuters, answers, scores, with_memory
from miningflow.learn.arrays import Mask, Matrix
from miningflow.learn.selection.ranking import kept, ranked

NORMALS = ("normal-1", "normal-1/2", "normal-1/4", "normal-1/8", "normal-1/16")
METHODS = ("OR", "IG", *NORMALS)
# The full documents have 48 stems on average (88 in the paper, which goes up to 80).
SPARSITIES = (2.0, 2.5, 5.0, 10.0, 20.0, 40.0)
COUNTS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


@dataclass(frozen=True, eq=False, slots=True)
class Normals:
    """Outcomes by method and number of features, by method and sparsity, by memory; and of all."""

    by_count: dict[tuple[str, int], Outcome]
    by_sparsity: dict[tuple[str, float], Outcome]
    by_memory: dict[tuple[int, int], Outcome]
    everything: Outcome
    draws: int
    problem: Reuters


def measure(problem: Reuters, draws: int, halvings: int, every: int = 1) -> Normals:
    """Runs all methods; `every` leaves out numbers of features and sparsities."""
    by_count: dict[tuple[str, int], Outcome] = {}
    by_sparsity: dict[tuple[str, float], Outcome] = {}
    for method in METHODS:
        # Only a part of the documents has to be drawn.
        repeats = draws if "/" in method else 1
        rankings = [scores(problem, method, draw) for draw in range(repeats)]
        for count in COUNTS[::every]:
            by_count[method, count] = _outcome(problem, rankings, keep=count)
        for sparsity in SPARSITIES[::every]:
            by_sparsity[method, sparsity] = _outcome(problem, rankings, sparsity=sparsity)
        print(".", end="", file=sys.stderr, flush=True)
    everything = _outcome(
        problem, [np.zeros((len(problem.y), problem.X.shape[1]))], keep=problem.X.shape[1]
    )
    by_memory = {}
    for halved in range(halvings + 1):
        for thinner in range(halved + 1):
            by_memory[halved, thinner] = with_memory(problem, halved, thinner, draws)
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return Normals(by_count, by_sparsity, by_memory, everything, draws, problem)


def _outcome(
    problem: Reuters,
    rankings: list[Matrix],
    keep: int | None = None,
    sparsity: float | None = None,
) -> Outcome:
    counts = np.zeros((len(rankings), len(problem.y), FOLDS, 3))
    sizes = np.zeros((len(rankings), len(problem.y)))
    for draw, ranking in enumerate(rankings):
        for category, of_features in enumerate(ranking):
            columns: Mask = kept(ranked(of_features, problem.filled, keep, sparsity=sparsity))
            counts[draw, category] = answers(problem, category, columns)
            sizes[draw, category] = columns.sum()
    return Outcome(counts, sizes)
