"""Kernel machines learned from rows that may lie in a database, by small problems in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from miningflow.learn.arrays import Matrix
from miningflow.learn.kernels import KernelModel, merged
from miningflow.learn.working_problem import Examples, Problem

# The relative duality gap at which rows that still violate the margin a little are let be, and the
# one above which even violations below the tolerance count: there may be very many of them.
CERTIFIED, WIDE = 1e-4, 1e-3
_MOST_ROUNDS = 200


class TooManySupportVectors(Exception):
    """More rows hold the machine than a problem in memory may have."""

    def __init__(self, count: int) -> None:
        super().__init__(f"{count:,} support vectors")
        self.count = count


@dataclass(frozen=True, eq=False)
class Violators:
    """Rows that violate the margin of a machine, or are next to it, and by how much."""

    examples: Examples
    violations: Matrix


class PricedRows(Protocol):
    """All rows, seen through the violation of the margin by a machine.

    It is 1 - y·f(x) for a class y, and |t - f(x)| - ε for a number t.
    """

    @property
    def rows(self) -> int:
        """The number of rows."""
        ...

    def drawn(self, most: int) -> Examples:
        """Draws rows, the same ones every time."""
        ...

    def violators(self, model: KernelModel, tolerance: float, most: int) -> Violators:
        """Returns at most `most` rows, first those beyond the margin by more than a tolerance.

        These are drawn. The worst would come from a few places, and in a circle of two classes it
        took 37 instead of 5 rounds to reach all. Then come the others, the greatest violations
        first; they may be below 0.
        """
        ...


@dataclass(frozen=True)
class Limits:
    """How many rows are drawn at first, added later, and in a problem at most.

    `expected` is how many support vectors there may be if their share in the rows drawn is that in
    all rows.
    """

    drawn: int
    added: int
    working: int
    expected: float = np.inf


@dataclass(frozen=True, eq=False)
class Held:
    """A machine for all rows, how exact it is, and how many problems were solved for it."""

    model: KernelModel
    gap: float
    rounds: int


Keep = Callable[[Examples], None]


def train_working_set(
    rows: PricedRows,
    problem: Problem,
    limits: Limits,
    start: Examples | None = None,
    keep: Keep = lambda examples: None,
) -> Held:
    """Learns from all rows by decomposition (E. Osuna, R. Freund and F. Girosi, 1997).

    A problem of a few rows is solved; some rows that violate the margin of its machine, or are next
    to it, are added to those that hold it. The end is when no row violates the margin by
    more than the tolerance, or when the duality gap over all rows is small. `keep` receives the
    rows of the next problem.
    """
    working = start or rows.drawn(limits.drawn)
    for number in range(1, _MOST_ROUNDS + 1):
        solved = problem.solve(working)
        held = solved.support
        if start is None and number == 1:
            _refuse_many(held.count * rows.rows // working.count, limits.expected)
        found = rows.violators(solved.model, problem.tolerance, limits.added + held.count)
        new = held.missing(found.examples)[: limits.added]
        violations, gap = found.violations[new], np.inf
        if len(new) < limits.added or violations[-1] <= 0:
            # All violators are among these, so they are all that costs.
            violated = np.maximum(found.violations, 0)
            if found.examples.costs is not None:
                violated = violated * found.examples.costs
            gap = solved.gap(float(violated.sum()))
        bound = problem.tolerance if gap <= WIDE else 0.0
        wrong = int(np.count_nonzero(violations > bound))
        if gap <= CERTIFIED or wrong == 0:
            break
        _refuse_many(held.count + wrong, limits.working)
        working = held.plus(found.examples.some(new))
        keep(working)
    return Held(merged(solved.model), gap, number)


def _refuse_many(count: int, most: float) -> None:
    if count > most:
        raise TooManySupportVectors(count)
