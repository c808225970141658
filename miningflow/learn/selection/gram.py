"""The kernel matrix of a subset of columns, and of its neighbours by one update."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from miningflow.learn.arrays import Matrix
from miningflow.learn.selection.kernels import Kernel

# Removing columns leaves a rounding error of 1e-16 of the largest total. Below this share of it the
# remaining columns have lost digits that matter, and the total is summed again.
_CANCELLED = 1e-8


@dataclass(frozen=True, eq=False, slots=True)
class ColumnGroups:
    """Centred columns in groups that are kept or dropped together."""

    parts: dict[int, Matrix]
    variances: dict[int, float]
    kernel: Kernel
    rows: int

    @classmethod
    def of(cls, X: Matrix, groups: Iterable[int], kernel: Kernel) -> ColumnGroups:
        """Centres the columns of X and splits them by group, in ascending order of the groups."""
        centred = X - X.mean(axis=0)
        # The mean of equal numbers is off by a rounding error, which scaling would blow up.
        centred[:, X.min(axis=0) == X.max(axis=0)] = 0.0
        member = np.fromiter(groups, dtype=np.intp)
        parts = {int(group): centred[:, member == group] for group in np.unique(member)}
        variances = {group: float(part.var(axis=0).sum()) for group, part in parts.items()}
        return cls(parts, variances, kernel, len(X))

    def only(self, groups: Iterable[int]) -> ColumnGroups:
        """Returns these groups alone, in ascending order."""
        kept = sorted(groups)
        parts = {group: self.parts[group] for group in kept}
        variances = {group: self.variances[group] for group in kept}
        return ColumnGroups(parts, variances, self.kernel, self.rows)

    def subset(self, groups: Iterable[int]) -> SubsetGram:
        """Sums the total of some groups from nothing."""
        kept = tuple(sorted(groups))
        total = np.zeros((self.rows, self.rows))
        for group in kept:
            total += self.kernel.share(self.parts[group])
        return SubsetGram(self, kept, total, self.variance(kept))

    def variance(self, groups: Iterable[int]) -> float:
        """Returns the summed variance of the columns of some groups."""
        return sum(self.variances[group] for group in groups)


@dataclass(frozen=True, eq=False, slots=True)
class SubsetGram:
    """The kernel matrix of one subset of groups; `largest` is the most variance its total held."""

    columns: ColumnGroups
    subset: tuple[int, ...]
    total: Matrix
    largest: float

    @property
    def matrix(self) -> Matrix:
        """The kernel matrix."""
        return self.columns.kernel.matrix(self.total, self.columns.variance(self.subset))

    def toggled(self, group: int) -> SubsetGram:
        """Returns the neighbour with this group added if it is out, removed if it is in."""
        if group in self.subset:
            return self.without([group])
        share = self.columns.kernel.share(self.columns.parts[group])
        grown = tuple(sorted((*self.subset, group)))
        largest = max(self.largest, self.columns.variance(grown))
        return SubsetGram(self.columns, grown, np.add(self.total, share, out=share), largest)

    def without(self, groups: Sequence[int]) -> SubsetGram:
        """Returns the subset that is left without some of its groups."""
        shrunk = tuple(sorted(set(self.subset) - set(groups)))
        if self.columns.variance(shrunk) < _CANCELLED * self.largest:
            return self.columns.subset(shrunk)
        gone = [self.columns.parts[group] for group in groups]
        share = self.columns.kernel.share(np.concatenate(gone, axis=1))
        total = np.subtract(self.total, share, out=share)
        return SubsetGram(self.columns, shrunk, total, self.largest)
