"""The decision functions of scikit-learn's fitted machines, read as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from miningflow.learn.arrays import Matrix
from miningflow.learn.kernels import Kernel, KernelModel, Polynomial, Radial, Sigmoid
from miningflow.learn.machines import LinearModels


def fitted_model(fitted: Any) -> LinearModels | KernelModel:
    """Reads a machine of libsvm; with more than two classes, a decision for each pair."""
    if fitted.kernel == "linear":
        return fitted_weights(fitted)
    coefficients = np.atleast_2d(_dense(fitted.dual_coef_))
    parts: tuple[int, ...] = ()
    if len(getattr(fitted, "classes_", ())) > 2:
        parts = tuple(int(n) for n in fitted.n_support_)
        coefficients = _of_pairs(coefficients, parts)
    intercepts = np.asarray(fitted.intercept_, dtype=np.float64)
    support = _dense(fitted.support_vectors_)
    return KernelModel(support, coefficients, intercepts, _kernel(fitted), parts)


def fitted_weights(fitted: Any) -> LinearModels:
    """Reads a linear machine."""
    weights = np.atleast_2d(_dense(fitted.coef_))
    intercepts = np.broadcast_to(np.ravel(fitted.intercept_), len(weights))
    return LinearModels(weights, np.asarray(intercepts, dtype=np.float64))


def _kernel(fitted: Any) -> Kernel:
    gamma, constant = float(fitted._gamma), float(fitted.coef0)
    match fitted.kernel:
        case "rbf":
            return Radial(gamma)
        case "poly":
            return Polynomial(int(fitted.degree), gamma, constant)
        case "sigmoid":
            return Sigmoid(gamma, constant)
    raise ValueError(f"no kernel {fitted.kernel!r}; there are linear, poly, rbf, sigmoid")


def _of_pairs(coefficients: Matrix, counts: tuple[int, ...]) -> Matrix:
    """Spreads libsvm's coefficients to one row per pair, with 0 for the other classes' vectors.

    In the pair (i, j) the support vectors of class i have theirs in row j − 1, those of j in row i.
    """
    starts = np.concatenate([[0], np.cumsum(counts)])
    rows: list[Matrix] = []
    for i in range(len(counts)):
        for j in range(i + 1, len(counts)):
            row = np.zeros(coefficients.shape[1])
            first, second = slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1])
            row[first] = coefficients[j - 1, first]
            row[second] = coefficients[i, second]
            rows.append(row)
    return np.vstack(rows)


def _dense(matrix: Any) -> Matrix:
    plain = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    return np.asarray(plain, dtype=np.float64)
