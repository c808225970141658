"""Machines learned inside the database from all rows: which way, and where that ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from miningflow.declare import TrainingRows
from miningflow.learn.encoding import Encoding
from miningflow.learn.kernels import Polynomial, Radial
from miningflow.learn.machines import LinearModels
from miningflow.learn.working_problem import Problem
from miningflow.learn.working_set import Limits, TooManySupportVectors

from .svm_columns import Classes, Numbers, Target
from .svm_encoding import Complete, EncodedThere, encoding_in_database, moments
from .svm_kernel import train_kernel
from .svm_linear import MOST_STREAMED, train_linear
from .svm_wish import Model, NotInDatabase, Wish

# The relative duality gap up to which a machine from the database is taken.
WIDEST_GAP = 1e-3
# Rows that are drawn for a first problem of a kernel machine, and added to a later one.
DRAWN, ADDED = 5_000, 2_000
# Of so many rows one may be a support vector for learning in the database to pay.
WORTHWHILE = 10
# Rows that such a problem may have; libsvm takes half a minute for so many.
MOST_WORKING = 20_000


@dataclass(frozen=True)
class FoundThere:
    """A machine, its encoding, and in words how it was learned."""

    encoding: Encoding
    model: Model
    how: str


def classes_in_database(
    rows: TrainingRows, wish: Wish, complete: Complete, positive: str
) -> FoundThere:
    """Learns a machine for two classes."""
    return _learned(rows, wish, complete, Classes(wish.target.name, positive))


def number_in_database(rows: TrainingRows, wish: Wish, complete: Complete) -> FoundThere:
    """Learns a machine for a number."""
    known = moments(rows, complete, [wish.target.name])[wish.target.name]
    target = Numbers(wish.target.name, known.mean, known.scale, wish.epsilon)
    if not known.constant:
        return _learned(rows, wish, complete, target)
    encoding = encoding_in_database(rows, complete, wish.predictors).encoding
    same = LinearModels(np.zeros((1, encoding.width)), np.array([known.mean]))
    return FoundThere(encoding, same, f"{wish.target.name!r} is the same everywhere")


def _learned(rows: TrainingRows, wish: Wish, complete: Complete, target: Target) -> FoundThere:
    if wish.kernel == "sigmoid" or (wish.kernel == "polynomial" and wish.constant < 0):
        kind = "a sigmoid kernel" if wish.kernel == "sigmoid" else "a constant below 0"
        raise NotInDatabase(
            f"a machine with {kind} cannot learn inside the database: its kernel is not positive "
            "definite, and nothing would tell when all rows are learned",
            "give another kernel or constant",
        )
    found = encoding_in_database(rows, complete, wish.predictors)
    if found.encoding.width > MOST_STREAMED:
        raise NotInDatabase(
            f"the predictors are {found.encoding.width} encoded columns; learning in the database "
            f"takes {MOST_STREAMED}",
            "give fewer predictors or categories",
        )
    if wish.kernel == "linear":
        return _linear(rows, wish, complete, target, found.encoding)
    return _kernel(rows, wish, complete, target, found)


def _linear(
    rows: TrainingRows, wish: Wish, complete: Complete, target: Target, encoding: Encoding
) -> FoundThere:
    trained = train_linear(rows, encoding, target, complete.count, wish.loss, wish.C)
    if trained.gap > WIDEST_GAP:
        raise NotInDatabase(
            f"too many rows lie on the margin to learn in the database ({trained.how})",
            "give `loss: squared_hinge`"
            if isinstance(target, Classes)
            else "give a greater `epsilon`, or a smaller `C`",
        )
    return FoundThere(encoding, trained.model, trained.how)


def _kernel(
    rows: TrainingRows, wish: Wish, complete: Complete, target: Target, found: EncodedThere
) -> FoundThere:
    # The columns have a variance of 1, but for those that are the same everywhere.
    gamma = wish.gamma or 1 / max(1, found.varied)
    kernel = (
        Radial(gamma) if wish.kernel == "radial" else Polynomial(wish.degree, gamma, wish.constant)
    )
    epsilon = wish.epsilon if isinstance(target, Numbers) else None
    auto = wish.use_db_svm == "auto"
    expected = min(wish.sample_size, complete.count // WORTHWHILE) if auto else MOST_WORKING
    try:
        trained = train_kernel(
            rows,
            found.encoding,
            target,
            complete.count,
            Problem(kernel, wish.C, wish.tolerance, epsilon),
            Limits(DRAWN, ADDED, MOST_WORKING, expected if auto else np.inf),
            wish.seed,
        )
    except TooManySupportVectors as refusal:
        limit = f"pays up to {expected:,}" if auto else f"takes {MOST_WORKING:,}"
        raise NotInDatabase(
            f"a machine of {complete.count:,} rows would have {refusal.count:,} support vectors or "
            f"more; learning in the database {limit}",
            _fewer(target),
        ) from None
    if trained.gap > WIDEST_GAP:
        raise NotInDatabase(
            f"learning in the database did not come to an end ({trained.how})", _fewer(target)
        )
    return FoundThere(found.encoding, trained.model, trained.how)


def _fewer(target: Target) -> str:
    """Says what makes support vectors fewer."""
    if isinstance(target, Classes):
        return (
            "give a greater `C` or features that tell the classes apart, or `kernel: linear` with "
            "`loss: squared_hinge`"
        )
    return "give a greater `epsilon`, or `kernel: linear`"
