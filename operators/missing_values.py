"""Operators that replace missing values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Feature,
    FeatureConstruction,
    FeatureType,
    LearningError,
    TrainingRows,
    feature,
    new_feature,
    operator,
)
from miningflow.declare.estimates import ConceptEstimate, FeatureEstimate
from miningflow.declare.rows import learned_number
from miningflow.sql.literals import column, double, text, unused

from .quantiles import median_of


@dataclass(frozen=True)
class Average:
    """The mean of the known values."""

    mean: float


@dataclass(frozen=True)
class Median:
    """The median of the known values."""

    median: float


@dataclass(frozen=True)
class Mode:
    """The most frequent value."""

    value: str
    share: float


@operator
class AssignAverageValue(FeatureConstruction):
    """Replaces NULL in a numeric feature by the average of the known values."""

    example: ClassVar[str] = """
    filled:
      operator: AssignAverageValue
      input: Customer
      target: income
    """
    learns: ClassVar[type[Any] | None] = Average

    target: Feature = feature("the feature with missing values", types=["numeric"])
    output: str | None = new_feature("the filled feature, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Stays a number."""
        return "numeric"

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Leaves no NULL."""
        return rows.feature(self.target.name).known()

    def learn(self, rows: TrainingRows) -> Average:
        """Learns the mean."""
        return Average(means_of(rows, [self.target.name])[self.target.name])

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives COALESCE with the mean."""
        return exp.Coalesce(this=column(self.target.name), expressions=[double(artifact.mean)])


@operator
class AssignMedianValue(FeatureConstruction):
    """Replaces NULL in a numeric feature by the median of the known values.

    The median is the value in the middle; of an even number of values, the mean of the two in the
    middle. A few huge values move the average, and not the median: prefer it for skewed features.
    """

    example: ClassVar[str] = """
    filled:
      operator: AssignMedianValue
      input: Customer
      target: income
    """
    learns: ClassVar[type[Any] | None] = Median

    target: Feature = feature("the feature with missing values", types=["numeric"])
    output: str | None = new_feature("the filled feature, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Stays a number."""
        return "numeric"

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Leaves no NULL."""
        return rows.feature(self.target.name).known()

    def learn(self, rows: TrainingRows) -> Median:
        """Learns the median."""
        return Median(median_of(rows, self.target.name))

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives COALESCE with the median."""
        return exp.Coalesce(this=column(self.target.name), expressions=[double(artifact.median)])


@operator
class AssignModalValue(FeatureConstruction):
    """Replaces NULL in a nominal feature by the most frequent value.

    Of values that are equally frequent, the first in alphabetical order is taken.
    """

    example: ClassVar[str] = """
    filled:
      operator: AssignModalValue
      input: Customer
      target: region
    """
    learns: ClassVar[type[Any] | None] = Mode

    target: Feature = feature("the feature with missing values", types=["nominal", "binary"])
    output: str | None = new_feature("the filled feature, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Stays what it was."""
        return self.target.type

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Leaves no NULL, and takes a value that is there."""
        return rows.feature(self.target.name).known(new_value=False)

    def learn(self, rows: TrainingRows) -> Mode:
        """Counts the values."""
        return mode_of(rows, self.target.name)

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives COALESCE with the mode."""
        return exp.Coalesce(this=column(self.target.name), expressions=[text(artifact.value)])


def stand_ins(rows: TrainingRows, features: Sequence[Feature]) -> dict[str, str | float]:
    """Gives the mean of each numeric feature and the most frequent value of each other one."""
    numeric = [f.name for f in features if f.type == "numeric"]
    values: dict[str, str | float] = {**means_of(rows, numeric)} if numeric else {}
    values |= {f.name: mode_of(rows, f.name).value for f in features if f.type != "numeric"}
    return values


def means_of(rows: TrainingRows, features: Sequence[str]) -> dict[str, float]:
    """Gives the means of the known values of numeric features."""
    found = rows.aggregate(
        {f"mean {i}": exp.Avg(this=column(name)) for i, name in enumerate(features)}
    )
    return {name: learned_number(found[f"mean {i}"], name) for i, name in enumerate(features)}


def mode_of(rows: TrainingRows, feature: str) -> Mode:
    """Gives the most frequent value of a nominal feature; of equals, the first in order."""
    n = unused("n", [feature])
    counted = rows.groups([feature], {n: exp.Count(this=exp.Star())}, most=1_000_000)
    known = {row[feature]: int(row[n]) for row in counted}
    known.pop(None, None)
    if not known:
        raise LearningError(
            f"feature {feature!r} has no known value in the rows to learn from",
            "is it NULL everywhere? leave it out, or fill it from elsewhere first",
        )
    value = min(known, key=lambda v: (-known[v], v))
    return Mode(value, known[value] / sum(known.values()))
