"""Predictors: fetched, checked and encoded for a learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from miningflow.declare import Feature, LearningError, TrainingRows
from miningflow.declare.finite_values import refuse_extremes
from miningflow.declare.rows import Columns, finite
from miningflow.learn.arrays import Matrix
from miningflow.learn.encoding import Encoding, learn_encoding

PREDICTOR_TYPES = ("numeric", "nominal", "binary")
MOST_CATEGORIES = 200


@dataclass(frozen=True)
class Predictors:
    """Training rows as a matrix, with the encoding that made it."""

    columns: Columns
    encoding: Encoding
    matrix: Matrix


def fetch_predictors(
    rows: TrainingRows,
    features: Sequence[Feature],
    target: Feature | None,
    most: int,
    seed: int,
    standardize: bool = True,
    incomplete: bool = False,
    more: Sequence[str] = (),
) -> Predictors:
    """Fetches training rows and encodes the predictors, standardised unless that is not wanted.

    With `incomplete` only the target must be known: a predictor that is not becomes NaN. `more`
    names further features that come with the rows.
    """
    names = [f.name for f in features]
    wanted = [*names, *([] if target is None else [target.name]), *more]
    known = [target.name] if incomplete and target is not None else wanted
    columns = rows.fetch(wanted, complete=known, most=most, seed=seed)
    refuse_few_rows(len(columns[names[0]]))
    numeric = [f.name for f in features if f.type == "numeric"]
    if not incomplete:
        finite(columns, numeric)
    if target is not None and target.type == "numeric":
        finite(columns, [target.name])
        refuse_extremes(columns, [target.name])
    refuse_extremes(columns, numeric)
    nominal = {f.name for f in features if f.type != "numeric"}
    for name in nominal:
        refuse_many_categories(name, len({v for v in columns[name] if v is not None}))
    predictors: dict[str, npt.NDArray[Any]] = {name: columns[name] for name in names}
    encoding = learn_encoding(predictors, nominal, standardize)
    return Predictors(columns, encoding, encoding.encode(predictors))


@dataclass(frozen=True)
class Encoded:
    """Rows as a matrix, in an encoding that was learned before."""

    matrix: Matrix
    labels: npt.NDArray[Any]
    """The target; empty without one."""
    columns: Columns


def fetch_encoded(
    rows: TrainingRows,
    encoding: Encoding,
    target: Feature | None,
    most: int,
    seed: int,
    more: Sequence[str] = (),
) -> Encoded:
    """Fetches complete training rows, the same as `fetch_predictors`, and encodes them."""
    names = [predictor.name for predictor in encoding.predictors]
    wanted = [*names, *([] if target is None else [target.name]), *more]
    columns = rows.fetch(wanted, complete=True, most=most, seed=seed)
    labels = np.array([]) if target is None else columns[target.name]
    return Encoded(encoding.encode({name: columns[name] for name in names}), labels, columns)


def refuse_few_rows(count: int) -> None:
    """Refuses to learn from fewer than two complete rows."""
    if count < 2:
        raise LearningError(
            "fewer than two training rows have a value for the target and every predictor",
            "fill missing values first, for example with AssignAverageValue; "
            "a feature that is NULL everywhere must be left out",
        )


def refuse_many_categories(name: str, categories: int) -> None:
    """Refuses a nominal predictor with too many categories."""
    if categories > MOST_CATEGORIES:
        raise LearningError(
            f"feature {name!r} has {categories} categories; a predictor can have at "
            f"most {MOST_CATEGORIES}",
            "group its values first, or leave it out",
        )
