"""Operators that cut a numeric feature into intervals with equally many rows."""

from __future__ import annotations

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
    integer,
    new_feature,
    operator,
)
from miningflow.declare.estimates import Amount, ConceptEstimate, FeatureEstimate
from miningflow.sql.categories import interval_case
from miningflow.train.quantiles import Parts, count_known, equal_parts, merged

from .discretization import MOST_INTERVALS


@dataclass(frozen=True)
class Cuts:
    """The points at which a feature is cut."""

    cuts: tuple[float, ...]


@operator
class EquifrequentDiscretization(FeatureConstruction):
    """Shared by operators that make intervals with equally many rows.

    A cut point is a value of the training rows, and belongs to the interval below it.
    """

    learns: ClassVar[type[Any] | None] = Cuts

    target: Feature = feature("the feature to cut", types=["numeric"])
    output: str | None = new_feature("the category; by default it replaces `target`", default=None)

    def constructed_type(self) -> FeatureType:
        """Returns nominal."""
        return "nominal"

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a CASE over the cut points."""
        return interval_case(self.target.name, artifact.cuts, "right")


@operator
class EquifrequentDiscretizationGivenNoOfIntervals(EquifrequentDiscretization):
    """Cuts a numeric feature into a given number of intervals with equally many rows.

    A cut point is a value of the training rows, and belongs to the interval below it. Rows with
    equal values stay together, so the interval of a frequent value has more rows, and there may be
    fewer intervals. The first and the last interval are unbounded, so every new value falls into
    one. The categories are named after their ends. NULL stays NULL.
    """

    alias: ClassVar[str] = "BinQuantile"
    finds: ClassVar[tuple[str, ...]] = ("bin", "bucket", "quantile", "qcut", "ntile", "discretize")
    example: ClassVar[str] = """
    income_groups:
      operator: EquifrequentDiscretizationGivenNoOfIntervals
      input: Customer
      target: income
      intervals: 4
      output: income_group
    """

    intervals: int = integer("how many intervals to make", minimum=2, maximum=MOST_INTERVALS)

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Estimates as many NULLs as the target has, and a value for each interval."""
        known = rows.feature(self.target.name)
        return FeatureEstimate(known.missing, Amount(self.intervals, 0, self.intervals))

    def learn(self, rows: TrainingRows) -> Cuts:
        """Learns quantiles."""
        return _cuts(equal_parts(rows, self.target.name, self.intervals))


@operator
class EquifrequentDiscretizationGivenCardinality(EquifrequentDiscretization):
    """Cuts a numeric feature into intervals that have at least a given number of rows each.

    As many intervals as possible are made, at most 1,000. An interval has at least `cardinality` of
    the training rows, and few more unless a value is frequent, because rows with equal values stay
    together. If there are fewer rows than that, there is one category, `all`. A cut point is a
    value of the training rows, and belongs to the interval below it. The first and the last
    interval are unbounded, so every new value falls into one. The categories are named after their
    ends. NULL stays NULL.
    """

    alias: ClassVar[str] = "BinMinRows"
    finds: ClassVar[tuple[str, ...]] = ("bin", "bucket", "equal frequency", "discretize")
    example: ClassVar[str] = """
    income_groups:
      operator: EquifrequentDiscretizationGivenCardinality
      input: Customer
      target: income
      cardinality: 12
      output: income_group
    """

    cardinality: int = integer("how many training rows each interval has, at least", minimum=1)

    def learn(self, rows: TrainingRows) -> Cuts:
        """Learns quantiles, and merges intervals that are too small."""
        name = self.target.name
        known = count_known(rows, name)
        intervals = max(1, known // self.cardinality)
        if intervals > MOST_INTERVALS:
            raise LearningError(
                f"{known:,} rows in intervals of {self.cardinality:,} make {intervals:,} intervals "
                f"of {name!r}; at most {MOST_INTERVALS:,} are possible",
                f"set `cardinality` to at least {-(-known // MOST_INTERVALS):,}",
            )
        return _cuts(merged(equal_parts(rows, name, intervals), self.cardinality))


def _cuts(parts: Parts) -> Cuts:
    return Cuts(parts.ends[:-1])
