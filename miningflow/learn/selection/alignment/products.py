"""Inner products of some columns with all columns, from X'X or from the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from miningflow.learn.arrays import Indices, Matrix


class Products(Protocol):
    """What the alignment of a linear kernel needs to know about the data."""

    @property
    def diagonal(self) -> Matrix:
        """The squared length of each column."""

    def columns(self, features: Indices) -> Matrix:
        """Returns the inner products of all columns (rows) with these (columns)."""


@dataclass(frozen=True, eq=False, slots=True)
class GramProducts:
    """Products read from X'X."""

    gram: Matrix

    @property
    def diagonal(self) -> Matrix:
        """The squared length of each column."""
        return self.gram.diagonal()

    def columns(self, features: Indices) -> Matrix:
        """Returns columns of X'X."""
        return self.gram[:, features]


@dataclass(frozen=True, eq=False, slots=True)
class DenseProducts:
    """Products computed from X."""

    X: Matrix

    @property
    def diagonal(self) -> Matrix:
        """The squared length of each column."""
        lengths: Matrix = np.einsum("ij,ij->j", self.X, self.X)
        return lengths

    def columns(self, features: Indices) -> Matrix:
        """Returns X'X of these columns."""
        return self.X.T @ self.X[:, features]


class SparseProducts:
    """Products computed from a sparse X, touching only rows in which the columns are not 0."""

    def __init__(self, X: Any) -> None:
        self._transposed = X.tocsr().T
        self._by_column = X.tocsc()

    @property
    def diagonal(self) -> Matrix:
        """The squared length of each column."""
        lengths: Matrix = np.asarray(self._by_column.multiply(self._by_column).sum(axis=0)).ravel()
        return lengths

    def columns(self, features: Indices) -> Matrix:
        """Returns X'X of these columns."""
        products: Matrix = (self._transposed @ self._by_column[:, features]).toarray()
        return products
