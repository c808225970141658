"""Support vector machines as plain numbers: weights, or support vectors with coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.threads import single_blas_thread

Matrix = NDArray[np.float64]
Kernel = Literal["linear", "radial"]

# Rows of a distance matrix held at once: 2 million distances are 16 MB.
_DISTANCES_AT_ONCE = 2_000_000
_CACHE_MEGABYTES = 200


@dataclass(frozen=True, eq=False, slots=True)
class LinearModel:
    """Decides by w·x + b."""

    weights: Matrix
    intercept: float

    def decision(self, X: Matrix) -> Matrix:
        """Returns one value per row: above 0 is the positive class, or the predicted number."""
        values: Matrix = X @ self.weights + self.intercept
        return values


@dataclass(frozen=True, eq=False, slots=True)
class RadialModel:
    """Decides by Σ coefficient · exp(-gamma · ‖x - support‖²) + b."""

    support: Matrix
    coefficients: Matrix
    gamma: float
    intercept: float

    def decision(self, X: Matrix) -> Matrix:
        """Returns one value per row: above 0 is the positive class, or the predicted number."""
        from scipy.spatial.distance import cdist

        values = np.full(len(X), self.intercept)
        step = max(1, _DISTANCES_AT_ONCE // max(1, len(self.support)))
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            # Not by ‖x‖² + ‖s‖² - 2x·s, which loses the digits of small distances.
            distances = cdist(X[rows], self.support, "sqeuclidean")
            values[rows] += np.exp(-self.gamma * distances) @ self.coefficients
        return values


Model = LinearModel | RadialModel


def fit_classifier(
    X: Matrix,
    positive: NDArray[np.bool_],
    kernel: Kernel,
    C: float,
    gamma: float | None,
    tolerance: float,
) -> Model:
    """Fits a classifier whose decision is above 0 for the positive class."""
    # scikit-learn takes a second to import, and a stored model is applied without it.
    from miningflow.learn.scikit_learn import SVC

    labels = np.asarray(positive, dtype=bool)
    if labels.all() or not labels.any():
        found = "positive" if labels.any() else "negative"
        raise ValueError(f"two classes are needed; all {len(labels)} examples are {found}")
    width = _gamma(X, kernel, gamma)
    machine = SVC(
        kernel=_KERNEL_NAMES[kernel], C=C, gamma=width, tol=tolerance, cache_size=_CACHE_MEGABYTES
    )
    with single_blas_thread():
        # Classes are sorted, so True comes second, and the second is the one above 0.
        machine.fit(X, labels)
        return _model(machine, kernel, width)


def fit_regressor(
    X: Matrix,
    y: Matrix,
    kernel: Kernel,
    C: float,
    gamma: float | None,
    epsilon: float,
    tolerance: float,
) -> Model:
    """Fits a regression; `y` is taken as it is, so `C` and `epsilon` are in its units."""
    from miningflow.learn.scikit_learn import SVR

    width = _gamma(X, kernel, gamma)
    machine = SVR(
        kernel=_KERNEL_NAMES[kernel],
        C=C,
        gamma=width,
        epsilon=epsilon,
        tol=tolerance,
        cache_size=_CACHE_MEGABYTES,
    )
    with single_blas_thread():
        machine.fit(X, y)
        return _model(machine, kernel, width)


_KERNEL_NAMES = {"linear": "linear", "radial": "rbf"}


def _gamma(X: Matrix, kernel: Kernel, gamma: float | None) -> float:
    if kernel not in _KERNEL_NAMES:
        raise ValueError(f"no kernel {kernel!r}; there are {', '.join(_KERNEL_NAMES)}")
    if gamma is not None:
        return gamma
    variance = float(X.var())
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def _model(machine: Any, kernel: Kernel, gamma: float) -> Model:
    support = np.asarray(machine.support_vectors_, dtype=np.float64)
    coefficients = np.asarray(machine.dual_coef_, dtype=np.float64).ravel()
    intercept = float(machine.intercept_[0])
    if kernel == "linear":
        return LinearModel(coefficients @ support, intercept)
    return RadialModel(*_merged(support, coefficients), gamma, intercept)


def _merged(support: Matrix, coefficients: Matrix) -> tuple[Matrix, Matrix]:
    """Returns each distinct support vector once, without those whose coefficients cancel."""
    if len(support) == 0:
        return support, coefficients
    distinct, member = np.unique(support, axis=0, return_inverse=True)
    member = member.ravel()
    sums: Matrix = np.bincount(member, weights=coefficients).astype(np.float64)
    # C + C + C - C - C - C is 1e-16 rather than 0 for some C.
    sizes = np.bincount(member, weights=np.abs(coefficients))
    counts = np.bincount(member)
    kept = np.abs(sums) > np.finfo(np.float64).eps * (counts - 1) * sizes
    return distinct[kept], sums[kept]
