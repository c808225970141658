"""Machines learned inside the database from all rows: which way, and where that ends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np

from miningflow.declare import TrainingRows
from miningflow.learn.encoding import Encoding
from miningflow.learn.kernels import Polynomial, Radial
from miningflow.learn.machines import LinearModels
from miningflow.learn.working_problem import Problem
from miningflow.learn.working_set import Limits, TooManySupportVectors
from miningflow.train.svm.kernel_training import train_kernel
from miningflow.train.svm.learned_encoding import Complete, learn_encoding_in_database, moments
from miningflow.train.svm.linear_training import MOST_STREAMED, train_linear
from miningflow.train.svm.machine_spec import MachineSpec, Model, NotInDatabase
from miningflow.train.svm.training_columns import Classes, Costs, Numbers, Target

# The relative duality gap up to which a machine from the database is taken.
WIDEST_GAP = 1e-3
# Rows that are drawn for a first problem of a kernel machine, and added to a later one.
DRAWN, ADDED = 5_000, 2_000
# Learning in the database pays if at most one row in this many is a support vector.
WORTHWHILE = 10
# The most rows of such a problem; libsvm takes half a minute for them.
MOST_WORKING = 20_000


@dataclass(frozen=True)
class TrainedMachine:
    """A machine, its encoding, and in words how it was learned."""

    encoding: Encoding
    model: Model
    how: str


@dataclass(frozen=True)
class TwoClasses:
    """Two classes of the complete rows: how many rows each has, and its weight, if it has any."""

    positive: str
    counts: Mapping[str, int]
    weights: Mapping[str, float]

    @property
    def negative(self) -> str:
        """The class that is not the positive one."""
        return next(name for name in self.counts if name != self.positive)


def classes_in_database(
    rows: TrainingRows, spec: MachineSpec, complete: Complete, classes: TwoClasses
) -> TrainedMachine:
    """Learns a machine for two classes."""
    weight = {name: classes.weights.get(name, 1.0) for name in classes.counts}
    heavy = sum(weight[name] * count for name, count in classes.counts.items())
    costly = _costly(rows, spec, complete, heavy / sum(classes.counts.values()))
    costs = None
    if classes.weights or spec.weighting.feature is not None:
        costs = Costs(
            weight[classes.positive] / costly,
            weight[classes.negative] / costly,
            *spec.weighting.features,
        )
    target = Classes(spec.target.name, classes.positive, costs)
    return _learned(rows, replace(spec, C=spec.C * costly), complete, target)


def number_in_database(rows: TrainingRows, spec: MachineSpec, complete: Complete) -> TrainedMachine:
    """Learns a machine for a number."""
    known = moments(rows, complete, [spec.target.name])[spec.target.name]
    if not known.constant:
        costly = _costly(rows, spec, complete, 1.0)
        costs = None
        if spec.weighting.feature is not None:
            costs = Costs(1 / costly, 1 / costly, *spec.weighting.features)
        target = Numbers(spec.target.name, known.mean, known.scale, spec.epsilon, costs)
        return _learned(rows, replace(spec, C=spec.C * costly), complete, target)
    encoding = learn_encoding_in_database(rows, complete, spec.predictors).encoding
    same = LinearModels(np.zeros((1, encoding.width)), np.array([known.mean]))
    return TrainedMachine(encoding, same, f"{spec.target.name!r} is the same everywhere")


def _costly(rows: TrainingRows, spec: MachineSpec, complete: Complete, by_class: float) -> float:
    """Returns about what errors cost on average, to measure C in: a power of two, which is exact.

    Training starts from guesses that are good for costs about 1.
    """
    mean = by_class
    if spec.weighting.feature is not None:
        mean *= moments(rows, complete, spec.weighting.features)[spec.weighting.feature.name].mean
    return 2.0 ** round(math.log2(mean))


def _learned(
    rows: TrainingRows, spec: MachineSpec, complete: Complete, target: Target
) -> TrainedMachine:
    if spec.kernel == "sigmoid" or (spec.kernel == "polynomial" and spec.constant < 0):
        kind = "a sigmoid kernel" if spec.kernel == "sigmoid" else "a constant below 0"
        raise NotInDatabase(
            f"a machine with {kind} cannot learn inside the database: its kernel is not positive "
            "definite, so it cannot be determined when training is complete",
            "choose a different kernel or constant",
        )
    found = learn_encoding_in_database(rows, complete, spec.predictors)
    if found.encoding.width > MOST_STREAMED:
        raise NotInDatabase(
            f"the predictors are {found.encoding.width} encoded columns; learning in the database "
            f"takes at most {MOST_STREAMED}",
            "give fewer predictors or categories",
        )
    # The columns have a variance of 1, but for those that are the same everywhere.
    gamma = spec.gamma or 1 / max(1, found.varied)
    match spec.kernel:
        case "linear":
            return _linear(rows, spec, complete, target, found.encoding)
        case "radial":
            return _kernel(rows, spec, complete, target, found.encoding, Radial(gamma))
        case "polynomial":
            kernel = Polynomial(spec.degree, gamma, spec.constant)
            return _kernel(rows, spec, complete, target, found.encoding, kernel)
        case _:
            assert_never(spec.kernel)


def _linear(
    rows: TrainingRows, spec: MachineSpec, complete: Complete, target: Target, encoding: Encoding
) -> TrainedMachine:
    trained = train_linear(rows, encoding, target, complete.count, spec.loss, spec.C)
    if trained.gap > WIDEST_GAP:
        raise NotInDatabase(
            f"too many rows lie on the margin to learn in the database ({trained.how})",
            "set `loss: squared_hinge`"
            if isinstance(target, Classes)
            else "set a larger `epsilon`, or a smaller `C`",
        )
    return TrainedMachine(encoding, trained.model, trained.how)


def _kernel(
    rows: TrainingRows,
    spec: MachineSpec,
    complete: Complete,
    target: Target,
    encoding: Encoding,
    kernel: Radial | Polynomial,
) -> TrainedMachine:
    epsilon = spec.epsilon if isinstance(target, Numbers) else None
    auto = spec.use_db_svm == "auto"
    expected = min(spec.sample_size, complete.count // WORTHWHILE) if auto else MOST_WORKING
    try:
        trained = train_kernel(
            rows,
            encoding,
            target,
            complete.count,
            Problem(kernel, spec.C, spec.tolerance, epsilon),
            Limits(DRAWN, ADDED, MOST_WORKING, expected if auto else np.inf),
            spec.seed,
        )
    except TooManySupportVectors as refusal:
        limit = f"is worthwhile up to {expected:,}" if auto else f"takes at most {MOST_WORKING:,}"
        raise NotInDatabase(
            f"a machine of {complete.count:,} rows would have {refusal.count:,} support vectors or "
            f"more; learning in the database {limit}",
            _fewer(target),
        ) from None
    if trained.gap > WIDEST_GAP:
        raise NotInDatabase(
            f"learning in the database did not converge ({trained.how})", _fewer(target)
        )
    return TrainedMachine(encoding, trained.model, trained.how)


def _fewer(target: Target) -> str:
    """Returns advice that leads to fewer support vectors."""
    if isinstance(target, Classes):
        return (
            "set a larger `C`, add features that separate the classes, or use `kernel: linear` "
            "with `loss: squared_hinge`"
        )
    return "set a larger `epsilon`, or `kernel: linear`"
