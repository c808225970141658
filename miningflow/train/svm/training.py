"""Support vector machines, learned in memory or inside the database."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

import numpy as np

from miningflow.declare import LearningError, TrainingRows
from miningflow.learn.kernels import Kernel
from miningflow.learn.linear_training import train_squared_hinge
from miningflow.learn.machines import LinearModels
from miningflow.learn.margins import RowsInMemory
from miningflow.learn.svm import Linear, fit_number, fit_two_classes, kernel_of
from miningflow.train.classes import positive_rows, two_classes
from miningflow.train.predictors import Predictors, fetch_predictors, refuse_few_rows
from miningflow.train.svm.learned_encoding import Complete, count_complete, count_two
from miningflow.train.svm.machine_spec import Learned, MachineSpec, Model, NotInDatabase
from miningflow.train.svm.training_in_database import (
    TrainedMachine,
    TwoClasses,
    classes_in_database,
    number_in_database,
)

__all__ = ["Learned", "MachineSpec", "learn_number", "learn_two_classes"]


def learn_two_classes(rows: TrainingRows, spec: MachineSpec, positive: str) -> Learned:
    """Learns a machine whose decision is above 0 for the positive class."""

    def in_database(complete: Complete) -> Learned:
        counts = count_two(rows, complete, spec.target, positive)
        weights = spec.weighting.of_classes(spec.target, counts, rows.segment)
        classes = TwoClasses(positive, counts, weights)
        found = classes_in_database(rows, spec, complete, classes)
        return _learned_in_database(spec, complete, found, classes.negative, weights)

    def in_memory(data: Predictors) -> tuple[Model, str, dict[str, float]]:
        labels = data.columns[spec.target.name]
        negative = two_classes(labels, spec.target, positive)
        chosen = positive_rows(labels, spec.target, positive)
        count = int(np.count_nonzero(chosen))
        counts = {positive: count, negative: len(chosen) - count}
        weights = spec.weighting.of_classes(spec.target, counts, rows.segment)
        costs = spec.weighting.of_rows(data.columns, labels, weights)
        match spec.loss:
            case "squared_hinge":
                signed = RowsInMemory(data.matrix, np.where(chosen, 1.0, -1.0), costs=costs)
                return train_squared_hinge(signed, spec.C).model, negative, weights
            case "hinge":
                kernel = _kernel(spec, data)
                model = fit_two_classes(data.matrix, chosen, kernel, spec.C, spec.tolerance, costs)
                return model, negative, weights
            case _:
                assert_never(spec.loss)

    return _learn(rows, spec, in_database, in_memory)


def learn_number(rows: TrainingRows, spec: MachineSpec) -> Learned:
    """Learns a machine whose decision is the predicted number."""

    def in_database(complete: Complete) -> Learned:
        return _learned_in_database(spec, complete, number_in_database(rows, spec, complete))

    def in_memory(data: Predictors) -> tuple[Model, str, dict[str, float]]:
        numbers, costs = data.columns[spec.target.name], spec.weighting.given(data.columns)
        model = fit_number(
            data.matrix, numbers, _kernel(spec, data), spec.C, spec.epsilon, spec.tolerance, costs
        )
        return model, "", {}

    return _learn(rows, spec, in_database, in_memory)


def _learn(
    rows: TrainingRows,
    spec: MachineSpec,
    in_database: Callable[[Complete], Learned],
    in_memory: Callable[[Predictors], tuple[Model, str, dict[str, float]]],
) -> Learned:
    """Learns in the database or in memory, and reports where and why."""
    learned = _learn_in_database(rows, spec, in_database)
    if isinstance(learned, str):
        why = learned
        target = spec.target
        more = spec.weighting.features
        data = fetch_predictors(
            rows, spec.predictors, target, spec.sample_size, spec.seed, more=more
        )
        count = len(data.columns[target.name])
        rows.progress(0.0, f"training on {count:,} rows")
        model, negative, weights = in_memory(data)
        how = f"in memory (use_db_svm: {spec.use_db_svm}{why})"
        learned = Learned(data.encoding, model, count, how, negative, weights)
    rows.note(f"{_size(learned.model)} from {learned.rows:,} rows, {learned.how}")
    return learned


def _learn_in_database(
    rows: TrainingRows, spec: MachineSpec, in_database: Callable[[Complete], Learned]
) -> Learned | str:
    """Learns in the database, or returns why not: unwanted, not worthwhile, or impossible."""
    if spec.use_db_svm == "never":
        return ""
    complete = count_complete(rows, spec.predictors, spec.target)
    if spec.use_db_svm == "auto" and complete.count <= spec.sample_size:
        return f", at most {spec.sample_size:,} rows"
    refuse_few_rows(complete.count)
    try:
        return in_database(complete)
    except NotInDatabase as refusal:
        if spec.use_db_svm == "always":
            raise LearningError(
                refusal.reason, f"{refusal.remedy}, or learn in memory with `use_db_svm: never`"
            ) from None
        rows.note(f"{refusal.reason}; learned in memory instead")
        return f"; {refusal.reason}"


def _learned_in_database(
    spec: MachineSpec,
    complete: Complete,
    found: TrainedMachine,
    negative: str = "",
    weights: dict[str, float] | None = None,
) -> Learned:
    always = spec.use_db_svm == "always"
    why = "asked for" if always else f"more than {spec.sample_size:,}"
    how = f"in the database (use_db_svm: {spec.use_db_svm}, {why}): {found.how}"
    return Learned(found.encoding, found.model, complete.count, how, negative, weights or {})


def _kernel(spec: MachineSpec, data: Predictors) -> Linear | Kernel:
    return kernel_of(spec.kernel, spec.gamma, spec.degree, spec.constant, data.matrix)


def _size(model: Model) -> str:
    if isinstance(model, LinearModels):
        return f"{model.weights.shape[1]} weights"
    return f"{len(model.support):,} support vectors"
