"""Fitted machines, read as numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from miningflow.errors import listed
from miningflow.fitted.refusals import check_fitted, is_scikit_learns, no_machine, refused
from miningflow.learn.kernels import (
    Kernel,
    KernelModel,
    Matrix,
    Polynomial,
    Radial,
    Sigmoid,
)
from miningflow.learn.machines import Greatest, LinearModels, Machine, Pairs, Prediction, Sign

KERNELS = ("linear", "poly", "rbf", "sigmoid")


def read_machine(fitted: Any, width: int) -> Machine:
    """Reads a fitted machine that gets so many columns."""
    reading = _READING.get(type(fitted).__name__)
    if reading is None or not is_scikit_learns(fitted):
        raise no_machine(fitted)
    if getattr(fitted, "kernel", "linear") not in KERNELS:
        shown = fitted.kernel if isinstance(fitted.kernel, str) else "of your own"
        raise refused(
            f"{type(fitted).__name__} with a kernel {shown} cannot be written as SQL",
            f"supported kernels: {listed(KERNELS)}",
        )
    check_fitted(fitted, width)
    return reading(fitted)


def _kernel_classifier(fitted: Any) -> Machine:
    classes = tuple(fitted.classes_)
    if len(classes) == 2:
        # scikit-learn has turned the sign; libsvm's zero goes to the second class
        return Machine(_model(fitted), Sign(classes[0], classes[1], zero_is_above=True))
    one_vs_rest = fitted.decision_function_shape == "ovr"
    result = Pairs(classes, one_vs_rest, bool(fitted.break_ties and one_vs_rest))
    return Machine(_model(fitted), result)


def _kernel_regression(fitted: Any) -> Machine:
    return Machine(_model(fitted), Prediction())


def _one_class(fitted: Any) -> Machine:
    return Machine(_model(fitted), Sign(-1, 1, zero_is_above=False))


def _linear_classifier(fitted: Any) -> Machine:
    classes = tuple(fitted.classes_)
    model = _linear(fitted)
    if len(model.intercepts) == 1:
        return Machine(model, Sign(classes[0], classes[1], zero_is_above=False))
    return Machine(model, Greatest(classes))


def _linear_regression(fitted: Any) -> Machine:
    return Machine(_linear(fitted), Prediction())


_READING: Final[Mapping[str, Callable[[Any], Machine]]] = {
    "SVC": _kernel_classifier,
    "NuSVC": _kernel_classifier,
    "SVR": _kernel_regression,
    "NuSVR": _kernel_regression,
    "OneClassSVM": _one_class,
    "LinearSVC": _linear_classifier,
    "SGDClassifier": _linear_classifier,
    "LinearSVR": _linear_regression,
}


def _linear(fitted: Any) -> LinearModels:
    weights = np.atleast_2d(_dense(fitted.coef_))
    intercepts = np.broadcast_to(np.ravel(fitted.intercept_), len(weights))
    return LinearModels(weights, np.asarray(intercepts, dtype=np.float64))


def _model(fitted: Any) -> LinearModels | KernelModel:
    if fitted.kernel == "linear":
        return _linear(fitted)
    kernel = _kernel(fitted)
    coefficients = np.atleast_2d(_dense(fitted.dual_coef_))
    parts: tuple[int, ...] = ()
    if len(getattr(fitted, "classes_", ())) > 2:
        parts = tuple(int(n) for n in fitted.n_support_)
        coefficients = _of_pairs(coefficients, parts)
    intercepts = np.asarray(fitted.intercept_, dtype=np.float64)
    return KernelModel(_dense(fitted.support_vectors_), coefficients, intercepts, kernel, parts)


def _kernel(fitted: Any) -> Kernel:
    gamma, constant = float(fitted._gamma), float(fitted.coef0)
    match fitted.kernel:
        case "rbf":
            return Radial(gamma)
        case "poly":
            return Polynomial(int(fitted.degree), gamma, constant)
        case _:
            return Sigmoid(gamma, constant)


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
