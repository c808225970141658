"""Operators that turn numbers into categories."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
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
from miningflow.sql.literals import column, double, text

from .construction import Range, learn_range

# A category is a branch of a CASE.
MOST_INTERVALS = 1_000


@operator
class EquidistantDiscretizationGivenNoOfIntervals(FeatureConstruction):
    """Cuts the range of a numeric feature into intervals of equal width.

    The first and the last interval are open to the outside, so that new values always fall into
    one. The categories are named after their ends. If only one value was seen, there is one
    category.
    """

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
    intervals: int = integer("how many intervals", minimum=2, maximum=MOST_INTERVALS)
    closed: str = choice(
        "the end that belongs to an interval", choices=["left", "right"], default="left"
    )
    output: str | None = new_feature("the category, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Becomes nominal."""
        return "nominal"

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Has NULL where the target has, and at most as many values as intervals."""
        known = rows.feature(self.target.name)
        return FeatureEstimate(known.missing, Amount(self.intervals, 0, self.intervals))

    def learn(self, rows: TrainingRows) -> Range:
        """Learns the least and the greatest value."""
        return learn_range(rows, self.target.name)

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a CASE over the cut points."""
        width = (artifact.high - artifact.low) / self.intervals
        cuts = [artifact.low + i * width for i in range(1, self.intervals)] if width > 0 else []
        # A range of a few doubles has fewer cuts than were asked for.
        return cut_expression(self.target.name, list(dict.fromkeys(cuts)), self.closed)


@operator
class EquidistantDiscretizationGivenWidth(FeatureConstruction):
    """Cuts a numeric feature into intervals of a given width.

    The cut points are `start` and all points that are a multiple of `width` away from it, as far as
    values were seen. The first and the last interval are open to the outside, so that new values
    always fall into one. The categories are named after their ends. At most 1,000 intervals are
    made. NULL stays NULL.
    """

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
    width: float = number("the width of an interval", minimum=1e-12)
    start: float = number("a point to cut at", default=0.0)
    closed: str = choice(
        "the end that belongs to an interval", choices=["left", "right"], default="left"
    )
    output: str | None = new_feature("the category, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Becomes nominal."""
        return "nominal"

    def learn(self, rows: TrainingRows) -> Range:
        """Learns the least and the greatest value."""
        learned = learn_range(rows, self.target.name)
        places = [(end - self.start) / self.width for end in (learned.low, learned.high)]
        if not places[1] - places[0] < MOST_INTERVALS - 1 or max(map(abs, places)) > 2**50:
            raise LearningError(
                f"{self.target.name!r} goes from {learned.low:g} to {learned.high:g}: intervals of "
                f"width {self.width:g} would be more than {MOST_INTERVALS:,}",
                "give a larger `width`, or a `start` that is near the values",
            )
        return learned

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a CASE over the cut points between the least and the greatest value."""
        first, last = (
            math.floor((end - self.start) / self.width) for end in (artifact.low, artifact.high)
        )
        points = [self.start + i * self.width for i in range(first - 1, last + 2)]
        if self.closed == "left":
            cuts = [cut for cut in points if artifact.low < cut <= artifact.high]
        else:
            cuts = [cut for cut in points if artifact.low <= cut < artifact.high]
        return cut_expression(self.target.name, cuts, self.closed)


def cut_expression(
    target: str, cuts: Sequence[float], closed: str, names: Sequence[str] | None = None
) -> exp.Expression:
    """Gives the category of a number between cut points; NULL stays NULL."""
    labels = interval_labels(cuts, closed) if names is None else names
    compare = exp.LT if closed == "left" else exp.LTE
    cases = [
        exp.If(this=compare(this=column(target), expression=double(cut)), true=text(label))
        for cut, label in zip(cuts, labels[:-1], strict=True)
    ]
    known = exp.Not(this=exp.Is(this=column(target), expression=exp.Null()))
    return exp.Case(ifs=[*cases, exp.If(this=known, true=text(labels[-1]))])


def interval_labels(cuts: Sequence[float], closed: str) -> list[str]:
    """Names the intervals between cut points."""
    if not cuts:
        return ["all"]
    ends = [f"{cut:.6g}" for cut in cuts]
    if len(set(ends)) < len(ends):
        ends = [repr(cut) for cut in cuts]
    inner = [f"{low} to {high}" for low, high in itertools.pairwise(ends)]
    if closed == "left":
        return [f"below {ends[0]}", *inner, f"{ends[-1]} or more"]
    return [f"up to {ends[0]}", *inner, f"above {ends[-1]}"]
