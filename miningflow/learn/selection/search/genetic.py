"""A search by a population of subsets that are judged, paired, crossed and changed by chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from miningflow.learn.arrays import Mask
from miningflow.learn.selection.estimates import Estimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.search.subsets import Trace, Trial

# The best few live on unchanged, and the best of a few drawn by chance becomes a parent.
_ELITE = 2
_TOURNAMENT = 3


@dataclass(frozen=True, slots=True)
class Breeding:
    """How many subsets live at a time, for how many generations, and how children are made.

    A pair is crossed with the probability `crossover`, and then each group has the same chance to
    come from the one or the other. Each is changed with the probability `mutation`.
    """

    population: int
    generations: int
    mutation: float
    crossover: float


class Herd:
    """Judges subsets, each once, and keeps the order of the best: less error, then fewer groups."""

    def __init__(self, columns: ColumnGroups, estimate: Estimate, trace: Trace) -> None:
        self._columns = columns
        self._groups = np.array(list(columns.parts))
        self._estimate = estimate
        self._trace = trace
        self._trials: dict[bytes, Trial] = {}

    def judged(self, population: Sequence[Mask], generation: int) -> list[Mask]:
        """Returns the population, the best first, and accepts the best if it is a new one."""
        for genes in population:
            if genes.tobytes() not in self._trials:
                subset = tuple(int(group) for group in self._groups[genes])
                error = self._estimate(self._columns.subset(subset))
                trial = Trial(generation, subset, None, error, accepted=False)
                self._trials[genes.tobytes()] = trial
                self._trace.record(trial)
        best_first = sorted(population, key=self._rank)
        best = self.trial(best_first[0])
        if not best.accepted:
            self._trials[best_first[0].tobytes()] = self._trace.accept(best)
        return best_first

    def trial(self, genes: Mask) -> Trial:
        """Returns what came out for a subset."""
        return self._trials[genes.tobytes()]

    def _rank(self, genes: Mask) -> tuple[float, int, tuple[int, ...]]:
        trial = self.trial(genes)
        return trial.error, len(trial.subset), trial.subset


def evolve(
    columns: ColumnGroups,
    estimate: Estimate,
    breeding: Breeding,
    random: np.random.RandomState,
    trace: Trace,
) -> Trial:
    """Returns the best subset of all generations.

    All groups together are the first of the population, so the end is never worse than they are.
    Since the best live on, the last trial that was accepted is the choice.
    """
    width = len(columns.parts)
    herd = Herd(columns, estimate, trace)
    others = [_viable(random.rand(width) < 0.5, random) for _ in range(breeding.population - 1)]
    best_first = herd.judged([np.ones(width, dtype=bool), *others], 0)
    for generation in range(1, breeding.generations + 1):
        elite = best_first[: min(_ELITE, breeding.population - 1)]
        children = [
            _child(best_first, breeding, random) for _ in range(breeding.population - len(elite))
        ]
        best_first = herd.judged([*elite, *children], generation)
    return herd.trial(best_first[0])


def _child(best_first: Sequence[Mask], breeding: Breeding, random: np.random.RandomState) -> Mask:
    child = _parent(best_first, random)
    if random.rand() < breeding.crossover:
        child = np.where(random.rand(len(child)) < 0.5, child, _parent(best_first, random))
    return _viable(child ^ (random.rand(len(child)) < breeding.mutation), random)


def _parent(best_first: Sequence[Mask], random: np.random.RandomState) -> Mask:
    """Draws a few by chance and returns the best of them, which is the first in order."""
    return best_first[int(random.randint(len(best_first), size=_TOURNAMENT).min())]


def _viable(genes: Mask, random: np.random.RandomState) -> Mask:
    """Returns a subset without any group one of them."""
    if not genes.any():
        genes[random.randint(len(genes))] = True
    return genes
