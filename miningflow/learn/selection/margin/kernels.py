"""Kernels of columns with weights, and what a bound's slope in the kernel says of the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from miningflow.learn.arrays import Matrix


class WeightedKernel(Protocol):
    """A kernel of columns that are multiplied by σ, as a function of the weights s = σ²."""

    def matrix(self, X: Matrix, weights: Matrix) -> Matrix:
        """Returns the kernel matrix of the rows."""

    def slopes(self, X: Matrix, weights: Matrix, slope: Matrix) -> Matrix:
        """Returns Σᵢⱼ slopeᵢⱼ ∂Kᵢⱼ/∂s for each weight; the slope is symmetric."""


@dataclass(frozen=True, slots=True)
class WeightedPolynomial:
    """(1 + Σ s·x·z) to the degree; of degree 1 it is x·z, as a constant changes no bound."""

    degree: int

    def matrix(self, X: Matrix, weights: Matrix) -> Matrix:
        """Returns the kernel matrix of the rows."""
        products: Matrix = (X * weights) @ X.T
        return products if self.degree == 1 else (1.0 + products) ** self.degree

    def slopes(self, X: Matrix, weights: Matrix, slope: Matrix) -> Matrix:
        """Returns x'(slope ∘ d·(1 + Σ s·x·z)^(d - 1))x for each column x."""
        if self.degree > 1:
            inner = 1.0 + (X * weights) @ X.T
            slope = slope * (self.degree * inner ** (self.degree - 1))
        return _quadratic_forms(slope, X)


@dataclass(frozen=True, slots=True)
class WeightedRadial:
    """exp(-gamma · Σ s·(x - z)²); without a gamma it is 1 / (number of columns)."""

    gamma: float | None = None

    def matrix(self, X: Matrix, weights: Matrix) -> Matrix:
        """Returns the kernel matrix of the rows."""
        products = (X * weights) @ X.T
        squares = np.diag(products)
        distances = squares[:, None] + squares[None, :] - 2.0 * products
        np.fill_diagonal(distances, 0.0)
        values: Matrix = np.exp(-self._gamma(X) * np.maximum(distances, 0.0))
        return values

    def slopes(self, X: Matrix, weights: Matrix, slope: Matrix) -> Matrix:
        """Returns -gamma · Σᵢⱼ (slope ∘ K)ᵢⱼ (xᵢ - xⱼ)² for each column x."""
        slope = slope * self.matrix(X, weights)
        spread = 2.0 * (slope.sum(axis=1) @ np.square(X) - _quadratic_forms(slope, X))
        slopes: Matrix = -self._gamma(X) * spread
        return slopes

    def _gamma(self, X: Matrix) -> float:
        return 1.0 / X.shape[1] if self.gamma is None else self.gamma


def _quadratic_forms(matrix: Matrix, X: Matrix) -> Matrix:
    forms: Matrix = np.einsum("ij,ij->j", X, matrix @ X)
    return forms
