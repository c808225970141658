"""Support vector machines learned in memory or inside the database: one door to both."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from miningflow.declare import LearningError, TrainingRows
from miningflow.learn.kernels import Kernel
from miningflow.learn.linear_training import train_squared_hinge
from miningflow.learn.machines import LinearModels
from miningflow.learn.margins import RowsInMemory
from miningflow.learn.svm import Linear, fit_number, fit_two_classes, kernel_of

from .classes import positive_rows, two_classes
from .predictors import Predictors, fetch_predictors, refuse_few_rows
from .svm_database import FoundThere, classes_in_database, number_in_database
from .svm_encoding import Complete, count_complete, other_class
from .svm_wish import Learned, Model, NotInDatabase, Wish

__all__ = ["Learned", "Wish", "learn_number", "learn_two_classes"]


def learn_two_classes(rows: TrainingRows, wish: Wish, positive: str) -> Learned:
    """Learns a machine whose decision is above 0 for the positive class."""

    def in_database(complete: Complete) -> Learned:
        negative = other_class(rows, complete, wish.target, positive)
        found = classes_in_database(rows, wish, complete, positive)
        return _learned_there(wish, complete, found, negative)

    def in_memory(data: Predictors) -> tuple[Model, str]:
        labels = data.columns[wish.target.name]
        negative = two_classes(labels, wish.target, positive)
        chosen = positive_rows(labels, wish.target, positive)
        if wish.loss == "squared_hinge":
            signs = np.where(chosen, 1.0, -1.0)
            return train_squared_hinge(RowsInMemory(data.matrix, signs), wish.C).model, negative
        kernel = _kernel(wish, data)
        return fit_two_classes(data.matrix, chosen, kernel, wish.C, wish.tolerance), negative

    return _learn(rows, wish, in_database, in_memory)


def learn_number(rows: TrainingRows, wish: Wish) -> Learned:
    """Learns a machine whose decision is the predicted number."""

    def in_database(complete: Complete) -> Learned:
        return _learned_there(wish, complete, number_in_database(rows, wish, complete))

    def in_memory(data: Predictors) -> tuple[Model, str]:
        numbers, kernel = data.columns[wish.target.name], _kernel(wish, data)
        return fit_number(data.matrix, numbers, kernel, wish.C, wish.epsilon, wish.tolerance), ""

    return _learn(rows, wish, in_database, in_memory)


def _learn(
    rows: TrainingRows,
    wish: Wish,
    in_database: Callable[[Complete], Learned],
    in_memory: Callable[[Predictors], tuple[Model, str]],
) -> Learned:
    """Learns where it is wished; tells of a machine, and of a wish that could not be met."""
    learned = _where_wished(rows, wish, in_database)
    if isinstance(learned, str):
        why = learned
        target = wish.target
        data = fetch_predictors(rows, wish.predictors, target, wish.sample_size, wish.seed)
        count = len(data.columns[target.name])
        rows.progress(0.0, f"training on {count:,} rows")
        model, negative = in_memory(data)
        how = f"in memory (use_db_svm: {wish.use_db_svm}{why})"
        learned = Learned(data.encoding, model, count, how, negative)
    rows.note(f"{_size(learned.model)} from {learned.rows:,} rows, {learned.how}")
    return learned


def _where_wished(
    rows: TrainingRows, wish: Wish, in_database: Callable[[Complete], Learned]
) -> Learned | str:
    """Learns in the database, or says why not if that is not wished or cannot be."""
    if wish.use_db_svm == "never":
        return ""
    complete = count_complete(rows, wish.predictors, wish.target)
    if wish.use_db_svm == "auto" and complete.count <= wish.sample_size:
        return f", at most {wish.sample_size:,} rows"
    refuse_few_rows(complete.count)
    try:
        return in_database(complete)
    except NotInDatabase as refusal:
        if wish.use_db_svm == "always":
            raise LearningError(
                refusal.reason, f"{refusal.remedy}, or learn in memory with `use_db_svm: never`"
            ) from None
        rows.note(f"{refusal.reason}; learned in memory instead")
        return f"; {refusal.reason}"


def _learned_there(
    wish: Wish, complete: Complete, found: FoundThere, negative: str = ""
) -> Learned:
    asked = wish.use_db_svm == "always"
    why = "asked for" if asked else f"more than {wish.sample_size:,}"
    how = f"in the database (use_db_svm: {wish.use_db_svm}, {why}): {found.how}"
    return Learned(found.encoding, found.model, complete.count, how, negative)


def _kernel(wish: Wish, data: Predictors) -> Linear | Kernel:
    return kernel_of(wish.kernel, wish.gamma, wish.degree, wish.constant, data.matrix)


def _size(model: Model) -> str:
    if isinstance(model, LinearModels):
        return f"{model.weights.shape[1]} weights"
    return f"{len(model.support):,} support vectors"
