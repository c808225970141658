"""Feature selection by a genetic search, guided by an estimate of a machine's error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.scikit_learn import Interval, check_random_state
from miningflow.learn.selection.estimates import Estimate
from miningflow.learn.selection.gram import ColumnGroups
from miningflow.learn.selection.parameter_words import ToleranceAndFolds
from miningflow.learn.selection.search.genetic import Breeding, evolve
from miningflow.learn.selection.search.subsets import Trace, Trial
from miningflow.learn.selection.subset_selector import EstimateName, SubsetSelector


class GeneticSelector(SubsetSelector):
    """Selects columns for a binary target by a genetic search over subsets.

    Kernel, estimate, groups and screening are those of `XiAlphaSelector`. A `population` of subsets
    lives for some `generations`. The two best live on; the others are children of parents that won
    a tournament of three, crossed group by group with the probability `crossover`, and with each
    group changed with the probability `mutation`, by default 1 / number of groups. Of equal errors
    the one with fewer groups is the better. A subset that was met before is not trained again.

    The first trial of `trace_` has all groups, and the level of a trial is its generation. Columns
    that are useful only together can be found, which a search step by step may miss. The estimate
    of the best of many subsets is too low.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SubsetSelector._parameter_constraints,
        "population": [Interval(Integral, 2, None, closed="left")],
        "generations": [Interval(Integral, 1, None, closed="left")],
        "mutation": [Interval(Real, 0, 1, closed="both"), None],
        "crossover": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel: Literal["linear", "radial", "rbf"] = "linear",
        *,
        C: float = 1.0,
        gamma: float | Literal["scale"] | None = None,
        tol: float = 1e-3,
        estimate: EstimateName = "xi_alpha",
        rho: float = 2.0,
        cv: int = 5,
        groups: Sequence[int] | NDArray[np.integer[Any]] | None = None,
        screen: int | None = None,
        population: int = 30,
        generations: int = 20,
        mutation: float | None = None,
        crossover: float = 0.9,
        random_state: int | np.random.RandomState | None = None,
        callback: Callable[[Trial], object] | None = None,
        **other_words: Unpack[ToleranceAndFolds],
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.tol = tol
        self.estimate = estimate
        self.rho = rho
        self.cv = cv
        self.groups = groups
        self.screen = screen
        self.population = population
        self.generations = generations
        self.mutation = mutation
        self.crossover = crossover
        self.random_state = random_state
        self.callback = callback

    def _search(self, columns: ColumnGroups, estimate: Estimate, trace: Trace) -> Trial:
        mutation = 1 / len(columns.parts) if self.mutation is None else self.mutation
        breeding = Breeding(self.population, self.generations, mutation, self.crossover)
        return evolve(columns, estimate, breeding, check_random_state(self.random_state), trace)
