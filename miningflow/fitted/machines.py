"""Fitted machines, read as numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from miningflow.errors import listed
from miningflow.fitted.refusals import check_fitted, is_scikit_learns, no_machine, refused
from miningflow.fitted.supported import LINEAR_CLASSIFIERS, LINEAR_REGRESSORS
from miningflow.learn.fitted_models import fitted_model, fitted_weights
from miningflow.learn.machines import Greatest, Machine, Pairs, Prediction, Sign

KERNELS = ("linear", "poly", "rbf", "sigmoid")


def read_machine(fitted: Any, width: int) -> Machine:
    """Reads a fitted machine, whose input has `width` columns."""
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
        return Machine(fitted_model(fitted), Sign(classes[0], classes[1], zero_is_above=True))
    one_vs_rest = fitted.decision_function_shape == "ovr"
    result = Pairs(classes, one_vs_rest, bool(fitted.break_ties and one_vs_rest))
    return Machine(fitted_model(fitted), result)


def _kernel_regression(fitted: Any) -> Machine:
    return Machine(fitted_model(fitted), Prediction())


def _one_class(fitted: Any) -> Machine:
    return Machine(fitted_model(fitted), Sign(-1, 1, zero_is_above=False))


def _linear_classifier(fitted: Any) -> Machine:
    classes = tuple(fitted.classes_)
    model = fitted_weights(fitted)
    binarizer = getattr(fitted, "_label_binarizer", None)
    if binarizer is not None and "multilabel" in binarizer.y_type_:
        raise refused(
            f"{type(fitted).__name__} with several labels for a row cannot be written as SQL",
            "fit one model for each label",
        )
    if len(model.intercepts) == 1:
        return Machine(model, Sign(classes[0], classes[1], zero_is_above=False))
    return Machine(model, Greatest(classes))


def _linear_regression(fitted: Any) -> Machine:
    model = fitted_weights(fitted)
    if len(model.intercepts) > 1:
        raise refused(
            f"{type(fitted).__name__} with several targets cannot be written as SQL",
            "fit one model for each target",
        )
    return Machine(model, Prediction())


_READING: Final[Mapping[str, Callable[[Any], Machine]]] = {
    "SVC": _kernel_classifier,
    "NuSVC": _kernel_classifier,
    "SVR": _kernel_regression,
    "NuSVR": _kernel_regression,
    "OneClassSVM": _one_class,
    **dict.fromkeys(LINEAR_CLASSIFIERS, _linear_classifier),
    **dict.fromkeys(LINEAR_REGRESSORS, _linear_regression),
}
