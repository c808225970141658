"""Kernel machines as numbers: support vectors shared by one or more decision functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from miningflow.learn.arrays import Matrix

KernelName = Literal["linear", "polynomial", "radial", "sigmoid"]

# scikit-learn's names of kernels, and their names here.
SCIKIT_LEARN_NAMES = {"poly": "polynomial", "rbf": "radial"}

# 2 million kernel values are 16 MB.
_VALUES_AT_ONCE = 2_000_000


@dataclass(frozen=True, slots=True)
class Radial:
    """exp(−γ‖x−s‖²)."""

    gamma: float

    def matrix(self, X: Matrix, support: Matrix) -> Matrix:
        """Returns the kernel of each row with each support vector."""
        from scipy.spatial.distance import cdist

        # Not by ‖x‖² + ‖s‖² - 2x·s, which loses the digits of small distances.
        values: Matrix = np.exp(-self.gamma * cdist(X, support, "sqeuclidean"))
        return values


@dataclass(frozen=True, slots=True)
class Polynomial:
    """(γ x·s + c)^d."""

    degree: int
    gamma: float
    constant: float

    def matrix(self, X: Matrix, support: Matrix) -> Matrix:
        """Returns the kernel of each row with each support vector."""
        values: Matrix = (self.gamma * (X @ support.T) + self.constant) ** self.degree
        return values


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """tanh(γ x·s + c)."""

    gamma: float
    constant: float

    def matrix(self, X: Matrix, support: Matrix) -> Matrix:
        """Returns the kernel of each row with each support vector."""
        values: Matrix = np.tanh(self.gamma * (X @ support.T) + self.constant)
        return values


Kernel = Radial | Polynomial | Sigmoid


@dataclass(frozen=True, eq=False, slots=True)
class KernelModel:
    """Decides by Σ coefficient · K(x, support) + b, for each row of coefficients.

    `parts` counts support vectors that follow each other and serve the same decisions, such as
    those of a class; coefficients that are 0 throughout a part are left out. Nothing means one
    part.
    """

    support: Matrix
    coefficients: Matrix
    intercepts: Matrix
    kernel: Kernel
    parts: tuple[int, ...] = ()

    def check_parts(self) -> None:
        """Refuses a stored model whose arrays do not fit together."""
        if self.support.ndim != 2 or self.intercepts.ndim != 1:
            raise ValueError("support vectors are a matrix, and intercepts a vector")
        if self.coefficients.shape != (len(self.intercepts), len(self.support)):
            raise ValueError("coefficients do not fit support vectors and intercepts")
        if self.parts and (min(self.parts) < 0 or sum(self.parts) != len(self.support)):
            raise ValueError("parts do not add up to the support vectors")

    @property
    def width(self) -> int:
        """The number of columns that it decides by."""
        return int(self.support.shape[1])

    def decisions(self, X: Matrix) -> Matrix:
        """Returns a column of decision values for each row of coefficients."""
        values = np.tile(self.intercepts, (len(X), 1))
        step = max(1, _VALUES_AT_ONCE // max(1, len(self.support)))
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            values[rows] += self.kernel.matrix(X[rows], self.support) @ self.coefficients.T
        return values


def merged(model: KernelModel) -> KernelModel:
    """Returns each distinct support vector of a part once, without those that count for nothing."""
    supports: list[Matrix] = []
    shares: list[Matrix] = []
    start = 0
    for count in model.parts or (len(model.support),):
        part = slice(start, start + count)
        support, share = _merged(model.support[part], model.coefficients[:, part])
        supports.append(support)
        shares.append(share)
        start += count
    parts = tuple(len(support) for support in supports) if model.parts else ()
    return KernelModel(
        np.vstack(supports), np.hstack(shares), model.intercepts, model.kernel, parts
    )


def _merged(support: Matrix, coefficients: Matrix) -> tuple[Matrix, Matrix]:
    if len(support) == 0:
        return support, coefficients
    distinct, first, member = np.unique(support, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # as they came: the sum is then that of the machine itself
    place = np.argsort(order)[member.ravel()]
    sums = np.zeros((len(coefficients), len(distinct)))
    sizes = np.zeros_like(sums)
    for output, values in enumerate(coefficients):
        sums[output] = np.bincount(place, weights=values, minlength=len(distinct))
        sizes[output] = np.bincount(place, weights=np.abs(values), minlength=len(distinct))
    counts = np.bincount(place, minlength=len(distinct))
    # C + C + C - C - C - C is 1e-16 rather than 0 for some C.
    nothing = np.abs(sums) <= np.finfo(np.float64).eps * (counts - 1) * sizes
    kept = ~nothing.all(axis=0)
    return support[first[order]][kept], sums[:, kept]
