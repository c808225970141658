"""Operators that replace missing values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Feature,
    FeatureConstruction,
    FeatureType,
    TrainingRows,
    feature,
    new_feature,
    operator,
)
from miningflow.declare.estimates import ConceptEstimate, FeatureEstimate
from miningflow.sql.literals import column, double, text
from miningflow.train.quantiles import median_of
from miningflow.train.typical_values import means, most_frequent


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
    """Replaces missing values of a numeric feature by the mean of its known values.

    The mean is learned from the training rows and then stays fixed.
    """

    alias: ClassVar[str] = "FillMean"
    finds: ClassVar[tuple[str, ...]] = (
        "impute",
        "missing values",
        "NaN",
        "null",
        "mean imputation",
    )
    example: ClassVar[str] = """
    filled:
      operator: AssignAverageValue
      input: Customer
      target: income
    """
    learns: ClassVar[type[Any] | None] = Average

    target: Feature = feature("the feature to fill", types=["numeric"])
    output: str | None = new_feature(
        "the filled feature; by default it replaces `target`", default=None
    )

    def constructed_type(self) -> FeatureType:
        """Returns numeric."""
        return "numeric"

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Leaves no NULL."""
        return rows.feature(self.target.name).known()

    def learn(self, rows: TrainingRows) -> Average:
        """Learns the mean."""
        return Average(means(rows, [self.target.name])[self.target.name])

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns COALESCE with the mean."""
        return exp.Coalesce(this=column(self.target.name), expressions=[double(artifact.mean)])


@operator
class AssignMedianValue(FeatureConstruction):
    """Replaces missing values of a numeric feature by the median of its known values.

    The median is learned from the training rows. If their number is even, it is the mean of the two
    values in the middle. Unlike the mean, the median is not moved by a few extreme values, so
    prefer it for skewed features.
    """

    alias: ClassVar[str] = "FillMedian"
    finds: ClassVar[tuple[str, ...]] = (
        "impute",
        "missing values",
        "NaN",
        "null",
        "median imputation",
    )
    example: ClassVar[str] = """
    filled:
      operator: AssignMedianValue
      input: Customer
      target: income
    """
    learns: ClassVar[type[Any] | None] = Median

    target: Feature = feature("the feature to fill", types=["numeric"])
    output: str | None = new_feature(
        "the filled feature; by default it replaces `target`", default=None
    )

    def constructed_type(self) -> FeatureType:
        """Returns numeric."""
        return "numeric"

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Leaves no NULL."""
        return rows.feature(self.target.name).known()

    def learn(self, rows: TrainingRows) -> Median:
        """Learns the median."""
        return Median(median_of(rows, self.target.name))

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns COALESCE with the median."""
        return exp.Coalesce(this=column(self.target.name), expressions=[double(artifact.median)])


@operator
class AssignModalValue(FeatureConstruction):
    """Replaces missing values of a nominal feature by its most frequent value.

    The value is learned from the training rows. If several values are equally frequent, the first
    in alphabetical order is used.
    """

    alias: ClassVar[str] = "FillMode"
    finds: ClassVar[tuple[str, ...]] = ("impute", "missing values", "NaN", "null", "most frequent")
    example: ClassVar[str] = """
    filled:
      operator: AssignModalValue
      input: Customer
      target: region
    """
    learns: ClassVar[type[Any] | None] = Mode

    target: Feature = feature("the feature to fill", types=["nominal", "binary"])
    output: str | None = new_feature(
        "the filled feature; by default it replaces `target`", default=None
    )

    def constructed_type(self) -> FeatureType:
        """Keeps the type of the target."""
        return self.target.type

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Leaves no NULL, and adds no new value."""
        return rows.feature(self.target.name).known(new_value=False)

    def learn(self, rows: TrainingRows) -> Mode:
        """Counts the values."""
        return Mode(*most_frequent(rows, self.target.name))

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns COALESCE with the mode."""
        return exp.Coalesce(this=column(self.target.name), expressions=[text(artifact.value)])
