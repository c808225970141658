"""Support vector machines learned in memory, as plain numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from miningflow.learn.arrays import Mask, Matrix
from miningflow.learn.fitted_models import fitted_model
from miningflow.learn.kernels import (
    Kernel,
    KernelModel,
    Polynomial,
    Radial,
    Sigmoid,
    merged,
)
from miningflow.learn.machines import LinearModels
from miningflow.learn.threads import single_blas_thread

Model = LinearModels | KernelModel

_CACHE_MEGABYTES = 200
# Rows on which a model is compared with scikit-learn's machine, and how far it may be off.
_COMPARED = 1_000
_TOLERATED, _ROUNDING = 1e-9, 1e-12


@dataclass(frozen=True, slots=True)
class Linear:
    """x·s, the kernel that needs no support vectors."""


def kernel_of(
    name: str, gamma: float | None, degree: int, constant: float, X: Matrix
) -> Linear | Kernel:
    """Returns a kernel by its name; without a gamma it is 1 / (columns · variance) of the rows."""
    if gamma is None:
        variance = float(X.var())
        gamma = 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    match name:
        case "linear":
            return Linear()
        case "polynomial":
            return Polynomial(degree, gamma, constant)
        case "radial":
            return Radial(gamma)
        case "sigmoid":
            return Sigmoid(gamma, constant)
    raise ValueError(f"no kernel {name!r}; there are linear, polynomial, radial, sigmoid")


def fit_two_classes(
    X: Matrix,
    positive: Mask,
    kernel: Linear | Kernel,
    C: float,
    tolerance: float,
    costs: Matrix | None = None,
) -> Model:
    """Fits a classifier whose decision is above 0 for the positive class.

    The costs of errors about rows, here and below, are in units of C.
    """
    labels = np.asarray(positive, dtype=bool)
    if labels.all() or not labels.any():
        found = "positive" if labels.any() else "negative"
        raise ValueError(f"two classes are needed; all {len(labels)} examples are {found}")
    # Classes are sorted, so True comes second, and the second is the one above 0.
    return fit_pairs(X, labels, kernel, C, tolerance, costs)


def fit_pairs(
    X: Matrix,
    labels: NDArray[Any],
    kernel: Linear | Kernel,
    C: float,
    tolerance: float,
    costs: Matrix | None = None,
) -> Model:
    """Fits a decision for each pair of classes in sorted order, as libsvm does."""
    # scikit-learn takes a second to import, and a stored model is applied without it.
    from miningflow.learn.scikit_learn import SVC

    options = _options(kernel) | {"decision_function_shape": "ovo"}
    machine = SVC(C=C, tol=tolerance, cache_size=_CACHE_MEGABYTES, **options)
    with single_blas_thread():
        return _fitted(machine.fit(X, labels, sample_weight=costs), X)


def fit_number(
    X: Matrix,
    y: Matrix,
    kernel: Linear | Kernel,
    C: float,
    epsilon: float,
    tolerance: float,
    costs: Matrix | None = None,
) -> Model:
    """Fits a regression; `y` is taken as it is, so `C` and `epsilon` are in its units."""
    from miningflow.learn.scikit_learn import SVR

    options = _options(kernel)
    machine = SVR(C=C, epsilon=epsilon, tol=tolerance, cache_size=_CACHE_MEGABYTES, **options)
    with single_blas_thread():
        return _fitted(machine.fit(X, y, sample_weight=costs), X)


def fit_one_class(X: Matrix, kernel: Linear | Kernel, nu: float, tolerance: float) -> Model:
    """Fits what is usual: its decision is below 0 for about a share `nu` of the rows."""
    from miningflow.learn.scikit_learn import OneClassSVM

    options = _options(kernel)
    machine = OneClassSVM(nu=nu, tol=tolerance, cache_size=_CACHE_MEGABYTES, **options)
    with single_blas_thread():
        return _fitted(machine.fit(X), X)


def _options(kernel: Linear | Kernel) -> dict[str, Any]:
    match kernel:
        case Linear():
            return {"kernel": "linear"}
        case Radial(gamma):
            return {"kernel": "rbf", "gamma": gamma}
        case Polynomial(degree, gamma, constant):
            return {"kernel": "poly", "degree": degree, "gamma": gamma, "coef0": constant}
        case Sigmoid(gamma, constant):
            return {"kernel": "sigmoid", "gamma": gamma, "coef0": constant}
        case _:
            assert_never(kernel)


def _fitted(machine: Any, X: Matrix) -> Model:
    """Reads a machine as numbers, and makes sure that they decide as scikit-learn does."""
    model = fitted_model(machine)
    if isinstance(model, KernelModel):
        model = merged(model)
    some = X[:_COMPARED]
    decide = getattr(machine, "decision_function", machine.predict)
    wanted = decide(some).reshape(len(some), -1)
    # Terms that cancel leave a rounding error of their size.
    terms = np.abs(machine.dual_coef_).sum()
    bound = _TOLERATED * np.abs(wanted).max(initial=0.0) + _ROUNDING * (1 + terms)
    difference = np.abs(model.decisions(some) - wanted).max(initial=0.0)
    if not difference <= bound:
        raise AssertionError(f"a model differs from scikit-learn's by {difference:.1e}")
    return model
