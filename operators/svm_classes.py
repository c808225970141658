"""Machines that tell many classes apart, learned in memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from miningflow.declare import Feature, LearningError, TrainingRows
from miningflow.learn.kernels import Kernel
from miningflow.learn.linear_training import train_hinge, train_squared_hinge
from miningflow.learn.machines import Greatest, LinearModels, Machine, Pairs, Prediction, Sign
from miningflow.learn.margins import RowsInMemory
from miningflow.learn.svm import Linear, Model, fit_pairs, fit_two_classes, kernel_of

from .predictors import fetch_predictors
from .svm_saved import SavedMachine
from .svm_training import Wish

Matrix = npt.NDArray[np.float64]

# Each pair of classes is a decision of its own: 30 classes are 435.
MOST_CLASSES = 30


def learn_classes(
    rows: TrainingRows,
    wish: Wish,
    declared: Sequence[str] | None,
    filling: dict[str, str | float],
) -> SavedMachine:
    """Learns to tell all classes of the target apart, in memory."""
    data = fetch_predictors(rows, wish.predictors, wish.target, wish.sample_size, wish.seed)
    labels = data.columns[wish.target.name].astype(str)
    classes, codes = np.unique(labels, return_inverse=True)
    _check_classes(wish.target, classes.tolist(), declared)
    rows.progress(0.0, f"training on {len(labels):,} rows")
    kernel = kernel_of(wish.kernel, wish.gamma, wish.degree, wish.constant, data.matrix)
    machine = fit_machine(data.matrix, codes, classes.tolist(), kernel, wish, wish.C)
    how = "in memory: only machines with `positive` learn in the database"
    return SavedMachine(data.encoding, machine, len(labels), how, filling)


def fit_machine(
    X: Matrix,
    codes: npt.NDArray[np.intp],
    classes: Sequence[str],
    kernel: Linear | Kernel,
    wish: Wish,
    C: float,
    as_in_database: bool = False,
) -> Machine:
    """Fits two classes by one decision, more by one for each class or, with a kernel, each pair.

    A linear machine may be solved as in the database: with a large C that is thirty times faster.
    """
    if len(classes) == 2:
        if as_in_database and isinstance(kernel, Linear) and wish.loss == "hinge":
            model: Model = train_hinge(RowsInMemory(X, np.where(codes == 1, 1.0, -1.0)), C).model
        else:
            model = _two_classes(X, codes == 1, kernel, wish, C)
        return Machine(model, Sign(classes[0], classes[1], zero_is_above=False))
    if not isinstance(kernel, Linear):
        model = fit_pairs(X, codes, kernel, C, wish.tolerance)
        return Machine(model, Pairs(tuple(classes), one_vs_rest=True, break_ties=False))
    models = [_two_classes(X, codes == c, kernel, wish, C) for c in range(len(classes))]
    weights = [m.weights for m in models if isinstance(m, LinearModels)]
    intercepts = np.concatenate([m.intercepts for m in models])
    return Machine(LinearModels(np.vstack(weights), intercepts), Greatest(tuple(classes)))


def classes_of(machine: Machine) -> tuple[str, ...]:
    """Gives the classes in the order of the decision values."""
    match machine.result:
        case Sign(below, above):
            return (below, above)
        case Greatest(classes) | Pairs(classes):
            return classes
        case Prediction():
            return ()


def _two_classes(
    X: Matrix, positive: npt.NDArray[np.bool_], kernel: Linear | Kernel, wish: Wish, C: float
) -> Model:
    if wish.loss == "squared_hinge":
        signs = np.where(positive, 1.0, -1.0)
        return train_squared_hinge(RowsInMemory(X, signs), C).model
    return fit_two_classes(X, positive, kernel, C, wish.tolerance)


def _check_classes(target: Feature, found: list[str], declared: Sequence[str] | None) -> None:
    shown = ", ".join(repr(c) for c in found[:8]) + (", …" if len(found) > 8 else "")
    if len(found) < 2:
        raise LearningError(
            f"all rows to learn from have {target.name!r} = {found[0]!r}; two classes are needed",
            "are the other rows all held out, filtered away or incomplete?",
        )
    if len(found) > MOST_CLASSES:
        raise LearningError(
            f"{target.name!r} has {len(found)} classes; a machine takes {MOST_CLASSES}",
            "group its values first, with Mapping for example; or is it no class label?",
        )
    missing = [c for c in declared or () if c not in found]
    if missing:
        raise LearningError(
            f"the class {missing[0]!r} of {target.name!r} never occurs",
            f"in the rows to learn from its values are {shown}",
        )
    more = [c for c in found if declared and c not in declared]
    if more:
        raise LearningError(
            f"`classes` does not name {more[0]!r}, a value of {target.name!r}",
            f"name all of them: {shown}",
        )
