"""Hulls from the products of rows, which are a sum over groups: for more columns than rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import diags_array, issparse

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
class GramClouds:
    """The inner products of the rows on each group of columns."""

    codes: Indices
    products: Sequence[Matrix]

    @classmethod
    def of(cls, X: Any, codes: Indices, members: Sequence[Indices]) -> GramClouds:
        """Multiplies the rows; sparse ones are not centred, which would fill them."""
        if issparse(X):
            sparse = _unit_sparse_columns(X)
            parts = (sparse[:, columns] for columns in members)
            return cls(codes, [(part @ part.T).toarray() for part in parts])
        scaled = unit_columns(X)
        return cls(codes, [scaled[:, columns] @ scaled[:, columns].T for columns in members])

    def on(self, groups: Sequence[int]) -> Projected:
        """Returns the rows with the columns of these groups only."""
        total: Matrix = np.sum([self.products[group] for group in groups], axis=0)
        return _ProjectedGram(self.codes, total)


@dataclass(frozen=True, eq=False, slots=True)
class _ProjectedGram:
    codes: Indices
    products: Matrix

    def hull(self, classes: Mask) -> Hull:
        inside = classes[self.codes]
        # Inner products of the rows less the mean of the classes.
        means = self.products[:, inside].mean(axis=1)
        shift = means - means[inside].mean() / 2
        among = self.products[np.ix_(inside, inside)] - np.add.outer(shift[inside], shift[inside])
        across = self.products[np.ix_(inside, ~inside)]
        across = across - np.add.outer(shift[inside], shift[~inside])
        squares = np.diag(self.products)
        rank, order, lower = pivoted(among, NO_PIVOT * float(squares.max()))
        apart = squares[~inside] - 2 * shift[~inside]
        if rank:
            projected = solve_triangular(lower[:rank], across[order[:rank]], lower=True)
            apart = apart - np.square(projected).sum(axis=0)
        return Hull(rank, int(np.count_nonzero(apart <= NO_DISTANCE * float(squares.max()))))


def _unit_sparse_columns(X: Any) -> Any:
    exponents = np.frexp(abs(X).max(axis=0).toarray().ravel())[1]
    return (X @ diags_array(np.ldexp(1.0, -exponents))).tocsc()
