"""Encoding learned inside the database: complete rows, classes, means, scales and categories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from sqlglot import exp

from miningflow.declare import Feature, TrainingRows
from miningflow.declare.finite_values import refuse_extreme_range
from miningflow.declare.rows import learned_number, not_finite
from miningflow.learn.encoding import (
    Encoding,
    NominalPredictor,
    NumericPredictor,
    Predictor,
    nominal_predictor,
)
from miningflow.sql.conditions import is_known, when
from miningflow.sql.literals import column, double
from miningflow.train.classes import two_classes
from miningflow.train.predictors import refuse_many_categories

MOST_CLASSES = 1000
# Greater numbers are infinite or NaN, which compares as greater than everything.
GREATEST = 1.7976931348623157e308


@dataclass(frozen=True)
class Complete:
    """How many training rows have no NULL."""

    count: int
    known: exp.Expression | None
    """Holds for them; None if it holds for all rows."""


def count_complete(rows: TrainingRows, features: Sequence[Feature], target: Feature) -> Complete:
    """Counts the rows without a NULL in the predictors or the target."""
    names = [f.name for f in (*features, target)]
    counts = {f"known {i}": exp.Count(this=column(name)) for i, name in enumerate(names)}
    every = rows.aggregate({"all": exp.Count(this=exp.Star()), **counts})
    if len(set(every.values())) == 1:
        return Complete(int(every["all"]), None)
    present = [is_known(column(name)) for name in names]
    known = cast(exp.Expression, exp.and_(*present, copy=False))
    found = rows.aggregate({"complete": _among(exp.Count(this=exp.Star()), known)})
    return Complete(int(found["complete"]), known)


def other_class(rows: TrainingRows, complete: Complete, target: Feature, positive: str) -> str:
    """Returns the negative class of the complete rows."""
    return next(name for name in count_two(rows, complete, target, positive) if name != positive)


def count_two(
    rows: TrainingRows, complete: Complete, target: Feature, positive: str
) -> dict[str, int]:
    """Counts the complete rows of each of two classes; refuses any other number of classes."""
    counts = _counts(rows, complete, target.name, MOST_CLASSES)
    if len(counts) != 2 or positive not in counts:
        two_classes(np.repeat(list(counts), list(counts.values())), target, positive)
    return counts


@dataclass(frozen=True)
class LearnedEncoding:
    """An encoding that was learned in the database."""

    encoding: Encoding
    constant: tuple[str, ...]
    """The predictors that are the same everywhere; their columns are 0."""

    @property
    def varied(self) -> int:
        """How many encoded columns are not the same everywhere."""
        return sum(p.width for p in self.encoding.predictors if p.name not in self.constant)


def learn_encoding_in_database(
    rows: TrainingRows, complete: Complete, features: Sequence[Feature]
) -> LearnedEncoding:
    """Learns means, scales and categories of the complete rows by aggregates."""
    numeric = [f.name for f in features if f.type == "numeric"]
    numbers = moments(rows, complete, numeric)
    predictors: list[Predictor] = []
    constant: list[str] = []
    for feature in features:
        if feature.type == "numeric":
            found = numbers[feature.name]
            predictors.append(NumericPredictor(feature.name, found.mean, found.scale))
            constant += [feature.name] if found.constant else []
        else:
            nominal = _categories(rows, complete, feature.name)
            predictors.append(nominal)
            constant += [feature.name] if len(nominal.categories) == 1 else []
    return LearnedEncoding(Encoding(tuple(predictors)), tuple(constant))


@dataclass(frozen=True)
class Moments:
    """The mean and the standard deviation of a column; 1 if it is the same everywhere."""

    mean: float
    scale: float
    constant: bool


def moments(rows: TrainingRows, complete: Complete, names: Sequence[str]) -> dict[str, Moments]:
    """Returns mean and standard deviation, as numpy does: first the mean, then what differs."""
    if not names:
        return {}
    first: dict[str, exp.Expression] = {}
    for i, name in enumerate(names):
        first[f"least {i}"] = exp.Min(this=column(name))
        first[f"most {i}"] = exp.Max(this=column(name))
        first[f"mean {i}"] = exp.Avg(this=column(name))
    found = rows.aggregate({k: _among(tree, complete.known) for k, tree in first.items()})
    for i, name in enumerate(names):
        # NaN is the greatest of all numbers
        if not np.isfinite([found[f"least {i}"], found[f"most {i}"]]).all():
            raise not_finite(name, _count_infinite(rows, complete, name))
        refuse_extreme_range(name, float(found[f"least {i}"]), float(found[f"most {i}"]))
    constant = [found[f"least {i}"] == found[f"most {i}"] for i in range(len(names))]
    means = [float(found[f"least {i}" if same else f"mean {i}"]) for i, same in enumerate(constant)]
    second: dict[str, exp.Expression] = {}
    for i, (name, mean) in enumerate(zip(names, means, strict=True)):
        off = exp.Paren(this=column(name) - double(mean))
        second[f"square {i}"] = exp.Avg(this=off * off)
    squares = rows.aggregate({k: _among(tree, complete.known) for k, tree in second.items()})
    return {
        name: Moments(
            means[i],
            1.0 if constant[i] else learned_number(squares[f"square {i}"], name) ** 0.5,
            constant[i],
        )
        for i, name in enumerate(names)
    }


def _count_infinite(rows: TrainingRows, complete: Complete, name: str) -> int:
    finite = column(name).between(double(-GREATEST), double(GREATEST))
    bad = when(exp.Not(this=finite), double(1))
    counted = rows.aggregate({"bad": _among(exp.Count(this=bad), complete.known)})
    return int(counted["bad"])


def _categories(rows: TrainingRows, complete: Complete, name: str) -> NominalPredictor:
    distinct = exp.Count(this=exp.Distinct(expressions=[column(name)]))
    found = rows.aggregate({"all": distinct, "known": _among(distinct, complete.known)})
    refuse_many_categories(name, int(found["known"]))
    counts = _counts(rows, complete, name, int(found["all"]) + 1)
    shares = {category: n / complete.count for category, n in sorted(counts.items())}
    return nominal_predictor(name, shares)


def _counts(rows: TrainingRows, complete: Complete, name: str, most: int) -> dict[str, int]:
    number = _among(exp.Count(this=exp.Star()), complete.known)
    found = rows.groups([name], {"number of rows": number}, most)
    return {str(row[name]): int(n) for row in found if (n := row["number of rows"])}


def _among(aggregate: exp.Expression, known: exp.Expression | None) -> exp.Expression:
    """Restricts an aggregate to some rows."""
    if known is None:
        return aggregate.copy()
    return exp.Filter(this=aggregate.copy(), expression=exp.Where(this=known.copy()))
