"""Operators that cut a numeric feature into intervals of equal width."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Feature,
    FeatureConstruction,
    FeatureType,
    LearningError,
    TrainingRows,
    choice,
    feature,
    integer,
    new_feature,
    number,
    operator,
)
from miningflow.declare.estimates import Amount, ConceptEstimate, FeatureEstimate
from miningflow.sql.categories import interval_case
from miningflow.train.ranges import Range, learn_range

# A category is a branch of a CASE.
MOST_INTERVALS = 1_000


@operator
class EquidistantDiscretizationGivenNoOfIntervals(FeatureConstruction):
    """Cuts the range of a numeric feature into a given number of intervals of equal width.

    The range is that of the training rows. The first and the last interval are unbounded, so every
    new value falls into one. The categories are named after their ends. If the training rows have
    only one value, there is one category. NULL stays NULL.
    """

    alias: ClassVar[str] = "BinUniform"
    finds: ClassVar[tuple[str, ...]] = ("bin", "bucket", "histogram", "discretize", "cut")
    example: ClassVar[str] = """
    age_groups:
      operator: EquidistantDiscretizationGivenNoOfIntervals
      input: Customer
      target: age
      intervals: 5
      output: age_group
    """
    learns: ClassVar[type[Any] | None] = Range

    target: Feature = feature("the feature to cut", types=["numeric"])
    intervals: int = integer("how many intervals to make", minimum=2, maximum=MOST_INTERVALS)
    closed: str = choice(
        "the end that belongs to an interval: the lower (`left`) or the upper (`right`)",
        choices=["left", "right"],
        default="left",
    )
    output: str | None = new_feature("the category; by default it replaces `target`", default=None)

    def constructed_type(self) -> FeatureType:
        """Returns nominal."""
        return "nominal"

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Estimates as many NULLs as the target has, and a value for each interval."""
        known = rows.feature(self.target.name)
        return FeatureEstimate(known.missing, Amount(self.intervals, 0, self.intervals))

    def learn(self, rows: TrainingRows) -> Range:
        """Learns the smallest and the largest value."""
        return learn_range(rows, self.target.name)

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a CASE over the cut points."""
        width = (artifact.high - artifact.low) / self.intervals
        cuts = [artifact.low + i * width for i in range(1, self.intervals)] if width > 0 else []
        # A range of a few doubles has fewer different cuts.
        return interval_case(self.target.name, list(dict.fromkeys(cuts)), self.closed)


@operator
class EquidistantDiscretizationGivenWidth(FeatureConstruction):
    """Cuts a numeric feature into intervals of a given width.

    The cut points are `start` and the points at multiples of `width` from it, within the range of
    the training rows. The first and the last interval are unbounded, so every new value falls into
    one. The categories are named after their ends. At most 1,000 intervals are made. NULL stays
    NULL.
    """

    alias: ClassVar[str] = "BinWidth"
    finds: ClassVar[tuple[str, ...]] = ("bin", "bucket", "histogram", "discretize", "round")
    example: ClassVar[str] = """
    decades:
      operator: EquidistantDiscretizationGivenWidth
      input: Customer
      target: age
      width: 10
      start: 5
      output: age_group
    """
    learns: ClassVar[type[Any] | None] = Range

    target: Feature = feature("the feature to cut", types=["numeric"])
    width: float = number("the width of each interval", minimum=1e-12)
    start: float = number("one of the points to cut at", default=0.0)
    closed: str = choice(
        "the end that belongs to an interval: the lower (`left`) or the upper (`right`)",
        choices=["left", "right"],
        default="left",
    )
    output: str | None = new_feature("the category; by default it replaces `target`", default=None)

    def constructed_type(self) -> FeatureType:
        """Returns nominal."""
        return "nominal"

    def learn(self, rows: TrainingRows) -> Range:
        """Learns the smallest and the largest value."""
        learned = learn_range(rows, self.target.name)
        places = [(end - self.start) / self.width for end in (learned.low, learned.high)]
        if not places[1] - places[0] < MOST_INTERVALS - 1 or max(map(abs, places)) > 2**50:
            raise LearningError(
                f"{self.target.name!r} ranges from {learned.low:g} to {learned.high:g}: that needs "
                f"more than {MOST_INTERVALS:,} intervals of width {self.width:g}",
                "choose a larger `width`, or a `start` near the values",
            )
        return learned

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a CASE over the cut points between the smallest and the largest value."""
        first, last = (
            math.floor((end - self.start) / self.width) for end in (artifact.low, artifact.high)
        )
        points = [self.start + i * self.width for i in range(first - 1, last + 2)]
        if self.closed == "left":
            cuts = [cut for cut in points if artifact.low < cut <= artifact.high]
        else:
            cuts = [cut for cut in points if artifact.low <= cut < artifact.high]
        return interval_case(self.target.name, cuts, self.closed)
