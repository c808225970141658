"""Hulls from the scatter of classes, which is a sum over classes: for more rows than columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.selection.geometry.hulls import (
    NO_DISTANCE,
    NO_PIVOT,
    Hull,
    Projected,
    pivoted,
    unit_columns,
)


@dataclass(frozen=True, eq=False, slots=True)
class ScatterClouds:
    """Rows with the sums and the inner products of the columns of each class."""

    X: Matrix
    codes: Indices
    members: Sequence[Indices]
    counts: Indices
    sums: Matrix
    products: Matrix

    @classmethod
    def of(cls, X: Matrix, codes: Indices, members: Sequence[Indices]) -> ScatterClouds:
        """Sums over each class."""
        scaled = unit_columns(X)
        parts = [scaled[codes == code] for code in range(int(codes.max()) + 1)]
        return cls(
            scaled,
            codes,
            members,
            np.bincount(codes),
            np.array([part.sum(axis=0) for part in parts]),
            np.array([part.T @ part for part in parts]),
        )

    def on(self, groups: Sequence[int]) -> Projected:
        """Returns the rows with the columns of these groups only."""
        columns = np.concatenate([self.members[group] for group in groups])
        within = self.products[:, columns[:, None], columns]
        return _ProjectedScatter(
            self.X[:, columns], self.codes, self.counts, self.sums[:, columns], within
        )


@dataclass(frozen=True, eq=False, slots=True)
class _ProjectedScatter:
    X: Matrix
    codes: Indices
    counts: Indices
    sums: Matrix
    products: Matrix

    def hull(self, classes: Mask) -> Hull:
        count = self.counts[classes].sum()
        mean = self.sums[classes].sum(axis=0) / count
        scatter = self.products[classes].sum(axis=0) - count * np.outer(mean, mean)
        others = self.X[~classes[self.codes]] - mean
        largest = float(np.einsum("cjj->j", self.products).max())
        rank, order, lower = pivoted(scatter, NO_PIVOT * largest)
        if rank == len(mean):
            return Hull(rank, len(others))
        # In the hull the columns without a pivot are linear in those with one.
        linear = solve_triangular(lower[:rank].T, lower[rank:].T) if rank else lower[rank:].T
        apart = others[:, order[rank:]] - others[:, order[:rank]] @ linear
        far = np.abs(apart).max(axis=1) > np.sqrt(NO_DISTANCE)
        return Hull(rank, int(np.count_nonzero(~far)))
