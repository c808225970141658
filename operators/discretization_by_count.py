"""Operators that cut a numeric feature into categories of equal numbers of rows."""

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

from .discretization import MOST_INTERVALS, cut_expression
from .quantiles import Parts, count_known, equal_parts, merged


@dataclass(frozen=True)
class Cuts:
    """The points at which a feature is cut."""

    cuts: tuple[float, ...]


@operator
class EquifrequentDiscretization(FeatureConstruction):
    """What operators that make categories of equal numbers of rows share.

    A cut point is a value that was seen, and belongs to the interval below it.
    """

    learns: ClassVar[type[Any] | None] = Cuts

    target: Feature = feature("the feature to cut", types=["numeric"])
    output: str | None = new_feature("the category, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Becomes nominal."""
        return "nominal"

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a CASE over the cut points."""
        return cut_expression(self.target.name, artifact.cuts, "right")


@operator
class EquifrequentDiscretizationGivenNoOfIntervals(EquifrequentDiscretization):
    """Cuts a numeric feature into so many intervals that have equally many rows.

    A cut point is a value that was seen, and belongs to the interval below it. Equal values stay
    together: where a value is frequent, its interval has more rows, and there may be fewer
    intervals. The first and the last interval are open to the outside, so that new values always
    fall into one. The categories are named after their ends. NULL stays NULL.
    """

    example: ClassVar[str] = """
    income_groups:
      operator: EquifrequentDiscretizationGivenNoOfIntervals
      input: Customer
      target: income
      intervals: 4
      output: income_group
    """

    intervals: int = integer("how many intervals", minimum=2, maximum=MOST_INTERVALS)

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Has NULL where the target has, and at most as many values as intervals."""
        known = rows.feature(self.target.name)
        return FeatureEstimate(known.missing, Amount(self.intervals, 0, self.intervals))

    def learn(self, rows: TrainingRows) -> Cuts:
        """Learns quantiles."""
        return _cuts(equal_parts(rows, self.target.name, self.intervals))


@operator
class EquifrequentDiscretizationGivenCardinality(EquifrequentDiscretization):
    """Cuts a numeric feature into as many intervals as can have so many rows each.

    An interval has at least `cardinality` of the rows learned from, and not many more unless a
    value is frequent: equal values stay together. If there are fewer rows than that, there is one
    category, `all`. A cut point is a value that was seen, and belongs to the interval below it. The
    first and the last interval are open to the outside, so that new values always fall into one.
    The categories are named after their ends; there are at most 1,000. NULL stays NULL.
    """

    example: ClassVar[str] = """
    income_groups:
      operator: EquifrequentDiscretizationGivenCardinality
      input: Customer
      target: income
      cardinality: 12
      output: income_group
    """

    cardinality: int = integer("how many rows an interval has at least", minimum=1)

    def learn(self, rows: TrainingRows) -> Cuts:
        """Learns quantiles, and puts together what is too small."""
        name = self.target.name
        known = count_known(rows, name)
        intervals = max(1, known // self.cardinality)
        if intervals > MOST_INTERVALS:
            raise LearningError(
                f"{known:,} rows in intervals of {self.cardinality:,} are {intervals:,} intervals; "
                f"at most {MOST_INTERVALS:,} can be made of {name!r}",
                f"give a `cardinality` of at least {-(-known // MOST_INTERVALS):,}",
            )
        return _cuts(merged(equal_parts(rows, name, intervals), self.cardinality))


def _cuts(parts: Parts) -> Cuts:
    return Cuts(parts.ends[:-1])
