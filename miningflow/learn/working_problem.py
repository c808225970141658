"""The problem of a few rows that a kernel machine for all rows is made from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np

from miningflow.learn.arrays import Indices, Matrix
from miningflow.learn.kernels import KernelModel, Polynomial, Radial
from miningflow.learn.threads import single_blas_thread

_CACHE_MEGABYTES = 200
# A small problem is solved more exactly than all rows have to be: a hundred times took a fifth more
# time, and what libsvm leaves open is most of the duality gap.
_EXACTER = 0.01


@dataclass(frozen=True, eq=False)
class Examples:
    """Encoded rows with their targets, and what identifies each row; rows alike may share it."""

    X: Matrix
    numbers: Matrix
    identities: tuple[str, ...]
    costs: Matrix | None = None
    """What an error about each row costs, in units of C; None: 1."""

    def check_parts(self) -> None:
        """Refuses stored rows whose parts do not have the same length."""
        costs = self.numbers if self.costs is None else self.costs
        lengths = {len(self.X), len(self.numbers), len(self.identities), len(costs)}
        if self.X.ndim != 2 or len(lengths) > 1:
            raise ValueError("the rows do not fit their targets")

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.numbers)

    def some(self, chosen: Indices) -> Examples:
        """Returns the chosen rows."""
        identities = tuple(self.identities[i] for i in chosen)
        costs = None if self.costs is None else self.costs[chosen]
        return Examples(self.X[chosen], self.numbers[chosen], identities, costs)

    def missing(self, others: Examples) -> Indices:
        """Returns which other examples are missing; of equal rows, those beyond the number here."""
        here = Counter(self.identities)
        new: list[int] = []
        for i, identity in enumerate(others.identities):
            if here[identity]:
                here[identity] -= 1
            else:
                new.append(i)
        return np.array(new, dtype=np.intp)

    def plus(self, others: Examples) -> Examples:
        """Adds others, which have costs if these have."""
        costs = None
        if self.costs is not None and others.costs is not None:
            costs = np.concatenate([self.costs, others.costs])
        return Examples(
            np.vstack([self.X, others.X]),
            np.concatenate([self.numbers, others.numbers]),
            self.identities + others.identities,
            costs,
        )


@dataclass(frozen=True)
class Problem:
    """A machine to learn: of the classes 1 and -1, or of numbers if there is an epsilon."""

    kernel: Radial | Polynomial
    C: float
    tolerance: float
    epsilon: float | None = None

    def solve(self, examples: Examples) -> Solved:
        """Trains on a few rows by libsvm."""
        from miningflow.learn.scikit_learn import SVC, SVR

        if self.epsilon is None and not np.ptp(examples.numbers):
            return self._one_class(examples)
        options = {
            **_options(self.kernel),
            "C": self.C,
            "tol": _EXACTER * self.tolerance,
            "cache_size": _CACHE_MEGABYTES,
        }
        machine = SVC(**options) if self.epsilon is None else SVR(epsilon=self.epsilon, **options)
        with single_blas_thread():
            machine.fit(examples.X, examples.numbers, sample_weight=examples.costs)
        support = examples.some(np.asarray(machine.support_, dtype=np.intp))
        shares = np.asarray(machine.dual_coef_, dtype=np.float64)
        intercepts = np.asarray(machine.intercept_, dtype=np.float64)
        return Solved(self, support, KernelModel(support.X, shares, intercepts, self.kernel))

    def _one_class(self, examples: Examples) -> Solved:
        """Returns the machine with a constant decision, with all rows, before others are added."""
        nothing = np.zeros((1, examples.count))
        return Solved(
            self, examples, KernelModel(examples.X, nothing, examples.numbers[:1], self.kernel)
        )


@dataclass(frozen=True, eq=False)
class Solved:
    """A machine with the rows that hold it, in the order of its support vectors."""

    problem: Problem
    support: Examples
    model: KernelModel

    def gap(self, violated: float) -> float:
        """Returns the duality gap relative to the objective, for the summed violations of all rows.

        Each violation is times the cost of its row, if it has one.

        Rows that are in no problem have no share, so the value of the dual problem is one for all.
        """
        shares = self.model.coefficients[0]
        decisions = self.model.decisions(self.support.X)[:, 0]
        norm = 0.5 * float(shares @ (decisions - self.model.intercepts[0]))
        size = float(np.abs(shares).sum())
        if self.problem.epsilon is None:
            won = size
        else:
            won = float(shares @ self.support.numbers) - self.problem.epsilon * size
        primal = norm + self.problem.C * violated
        return max(0.0, primal - (won - norm)) / max(primal, 1e-300)


def _options(kernel: Radial | Polynomial) -> dict[str, Any]:
    match kernel:
        case Radial(gamma):
            return {"kernel": "rbf", "gamma": gamma}
        case Polynomial(degree, gamma, constant):
            return {"kernel": "poly", "degree": degree, "gamma": gamma, "coef0": constant}
        case _:
            assert_never(kernel)
