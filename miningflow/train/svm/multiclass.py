"""Machines for more than two classes, learned in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import numpy as np

from miningflow.declare import Feature, LearningError, TrainingRows
from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.kernels import Kernel
from miningflow.learn.linear_training import train_hinge, train_squared_hinge
from miningflow.learn.machines import Greatest, LinearModels, Machine, Pairs, Prediction, Sign
from miningflow.learn.margins import RowsInMemory
from miningflow.learn.svm import Linear, Model, fit_pairs, fit_two_classes, kernel_of
from miningflow.train.predictors import fetch_predictors
from miningflow.train.svm.saved_machine import SavedMachine
from miningflow.train.svm.training import MachineSpec

# Each pair of classes is one decision: 30 classes have 435.
MOST_CLASSES = 30


def learn_multiclass(
    rows: TrainingRows,
    spec: MachineSpec,
    declared: Sequence[str] | None,
    filling: dict[str, str | float],
) -> SavedMachine:
    """Learns a machine for all classes of the target, in memory."""
    more = spec.weighting.features
    data = fetch_predictors(
        rows, spec.predictors, spec.target, spec.sample_size, spec.seed, more=more
    )
    labels = data.columns[spec.target.name].astype(str)
    classes, codes = np.unique(labels, return_inverse=True)
    _check_classes(spec.target, classes.tolist(), declared)
    rows.progress(0.0, f"training on {len(labels):,} rows")
    kernel = kernel_of(spec.kernel, spec.gamma, spec.degree, spec.constant, data.matrix)
    counts = dict(zip(classes.tolist(), np.bincount(codes).tolist(), strict=True))
    weights = spec.weighting.of_classes(spec.target, counts, rows.segment)
    costs = spec.weighting.of_rows(data.columns, labels, weights)
    machine = fit_machine(data.matrix, codes, classes.tolist(), kernel, spec, spec.C, costs)
    how = "in memory: only machines with `positive` learn in the database"
    return SavedMachine(data.encoding, machine, len(labels), how, filling, class_weights=weights)


def fit_machine(
    X: Matrix,
    codes: Indices,
    classes: Sequence[str],
    kernel: Linear | Kernel,
    spec: MachineSpec,
    C: float,
    costs: Matrix | None = None,
    as_in_database: bool = False,
) -> Machine:
    """Fits two classes by one decision, more by one for each class or, with a kernel, each pair.

    A row has the same cost in each of them. A linear machine may be solved as in the database: with
    a large C that is thirty times faster.
    """
    if len(classes) == 2:
        if as_in_database and isinstance(kernel, Linear) and spec.loss == "hinge":
            signed = RowsInMemory(X, np.where(codes == 1, 1.0, -1.0), costs=costs)
            model: Model = train_hinge(signed, C).model
        else:
            model = _two_classes(X, codes == 1, kernel, spec, C, costs)
        return Machine(model, Sign(classes[0], classes[1], zero_is_above=False))
    if not isinstance(kernel, Linear):
        model = fit_pairs(X, codes, kernel, C, spec.tolerance, costs)
        return Machine(model, Pairs(tuple(classes), one_vs_rest=True, break_ties=False))
    models = [_two_classes(X, codes == c, kernel, spec, C, costs) for c in range(len(classes))]
    weights = [m.weights for m in models if isinstance(m, LinearModels)]
    intercepts = np.concatenate([m.intercepts for m in models])
    return Machine(LinearModels(np.vstack(weights), intercepts), Greatest(tuple(classes)))


def classes_of(machine: Machine) -> tuple[str, ...]:
    """Returns the classes in the order of the decision values."""
    match machine.result:
        case Sign(below, above):
            return (below, above)
        case Greatest(classes) | Pairs(classes):
            return classes
        case Prediction():
            return ()
        case _:
            assert_never(machine.result)


def _two_classes(
    X: Matrix,
    positive: Mask,
    kernel: Linear | Kernel,
    spec: MachineSpec,
    C: float,
    costs: Matrix | None,
) -> Model:
    match spec.loss:
        case "squared_hinge":
            signed = RowsInMemory(X, np.where(positive, 1.0, -1.0), costs=costs)
            return train_squared_hinge(signed, C).model
        case "hinge":
            return fit_two_classes(X, positive, kernel, C, spec.tolerance, costs)
        case _:
            assert_never(spec.loss)


def _check_classes(target: Feature, found: list[str], declared: Sequence[str] | None) -> None:
    shown = ", ".join(repr(c) for c in found[:8]) + (", …" if len(found) > 8 else "")
    if len(found) < 2:
        raise LearningError(
            f"all training rows have {target.name!r} = {found[0]!r}; two classes are needed",
            "are all rows of the other classes held out, filtered out or incomplete?",
        )
    if len(found) > MOST_CLASSES:
        raise LearningError(
            f"{target.name!r} has {len(found)} classes; a machine takes at most {MOST_CLASSES}",
            "merge its values first, for example with Mapping; or is it not a class label?",
        )
    missing = [c for c in declared or () if c not in found]
    if missing:
        raise LearningError(
            f"the class {missing[0]!r} of {target.name!r} never occurs",
            f"its values in the training rows are {shown}",
        )
    more = [c for c in found if declared and c not in declared]
    if more:
        raise LearningError(
            f"`classes` does not name {more[0]!r}, a value of {target.name!r}",
            f"name all of them: {shown}",
        )
