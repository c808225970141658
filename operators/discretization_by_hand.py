"""Operators that sort numbers and times into intervals that the case lists."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    FeatureConstruction,
    FeatureType,
    Interval,
    Intervals,
    Notes,
    choice,
    cuts,
    feature,
    intervals,
    literal,
    literals,
    new_feature,
    operator,
)
from miningflow.sql.categories import interval_case
from miningflow.sql.conditions import is_known
from miningflow.sql.literals import column, text, value_of


@operator
class IntervalManualDiscretization(FeatureConstruction):
    """Shared by operators that sort values into given intervals."""

    target: Feature
    intervals: Intervals
    default: str | None = literal("the category of all other values; by default NULL", default=None)
    output: str | None = new_feature("the category; by default it replaces `target`", default=None)

    def constructed_type(self) -> FeatureType:
        """Returns nominal."""
        return "nominal"

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a CASE with a branch for each interval."""
        target = column(self.target.name)
        branches = [
            exp.If(this=self._within(interval), true=text(interval.label))
            for interval in self.intervals.items
        ]
        if self.default is not None:
            known = is_known(target)
            branches.append(exp.If(this=known, true=text(self.default)))
        return exp.Case(ifs=branches)

    def _within(self, interval: Interval) -> exp.Expression:
        target = column(self.target.name)
        ends: list[exp.Expression] = []
        if interval.low is not None:
            above = exp.GTE if interval.low_closed else exp.GT
            low = value_of(self.target.type, str(interval.low))
            ends.append(above(this=target.copy(), expression=low))
        if interval.high is not None:
            below = exp.LTE if interval.high_closed else exp.LT
            high = value_of(self.target.type, str(interval.high))
            ends.append(below(this=target.copy(), expression=high))
        known = is_known(target.copy())
        if not ends:
            return known
        return ends[0] if len(ends) == 1 else exp.And(this=ends[0], expression=ends[1])


@operator
class NumericIntervalManualDiscretization(IntervalManualDiscretization):
    """Sorts numbers into intervals that you define, each with a label.

    Intervals are written in mathematical notation: a square bracket includes the end, a round one
    excludes it, and an open end has no number. `'[18, 65)'` is from 18 to below 65, `'[65, )'` is
    65 and more. Put intervals in quotes. A label may have a list of intervals. Intervals must not
    overlap. A number outside all intervals becomes `default`, or NULL without `default`. NULL stays
    NULL.
    """

    alias: ClassVar[str] = "BinNumbers"
    finds: ClassVar[tuple[str, ...]] = ("bin", "bucket", "age groups", "CASE", "discretize")
    example: ClassVar[str] = """
    age_groups:
      operator: NumericIntervalManualDiscretization
      input: Customer
      target: age
      intervals: {young: '[18, 30)', middle: '[30, 65)', old: '[65, )'}
      default: child
      output: age_group
    """

    target: Feature = feature("the feature to cut", types=["numeric"])
    intervals: Intervals = intervals("a map of labels to intervals", types=["numeric"])


@operator
class TimeIntervalManualDiscretization(IntervalManualDiscretization):
    """Sorts times into intervals that you define, each with a label.

    Intervals are written in mathematical notation: a square bracket includes the end, a round one
    excludes it, and an open end has no time. A date stands for its first moment, so `'[2025-01-01,
    2025-02-01)'` is the whole of January; times are written `2025-01-31 13:45:00`. Put intervals in
    quotes. A label may have a list of intervals. Intervals must not overlap. A time outside all
    intervals becomes `default`, or NULL without `default`. NULL stays NULL.
    """

    alias: ClassVar[str] = "BinTimes"
    finds: ClassVar[tuple[str, ...]] = ("bin", "bucket", "periods", "dates", "CASE", "discretize")
    example: ClassVar[str] = """
    cohorts:
      operator: TimeIntervalManualDiscretization
      input: Customer
      target: since
      intervals: {first: '(, 2017-01-01)', second: '[2017-01-01, 2020-01-01)'}
      default: later
      output: cohort
    """

    target: Feature = feature("the time to cut", types=["time"])
    intervals: Intervals = intervals("a map of labels to intervals", types=["time"])


@operator
class UserDefinedDiscretization(FeatureConstruction):
    """Cuts a numeric feature at points that you define.

    The first and the last interval are unbounded, so every new value falls into one. n cut points
    make n + 1 categories; `labels` names them from low to high, and without `labels` they are named
    after their ends. NULL stays NULL.
    """

    alias: ClassVar[str] = "BinAt"
    finds: ClassVar[tuple[str, ...]] = ("bin", "bucket", "cut", "thresholds", "discretize")
    example: ClassVar[str] = """
    age_groups:
      operator: UserDefinedDiscretization
      input: Customer
      target: age
      cuts: [30, 65]
      labels: [young, middle, old]
      output: age_group
    """

    target: Feature = feature("the feature to cut", types=["numeric"])
    cuts: tuple[float, ...] = cuts("the points to cut at, from low to high")
    labels: tuple[str, ...] | None = literals(
        "the names of the categories, from low to high", default=None
    )
    closed: str = choice(
        "the end that belongs to an interval: the lower (`left`) or the upper (`right`)",
        choices=["left", "right"],
        default="left",
    )
    output: str | None = new_feature("the category; by default it replaces `target`", default=None)

    def constructed_type(self) -> FeatureType:
        """Returns nominal."""
        return "nominal"

    def outline(self, notes: Notes) -> Concept:
        """Adds the category; checks that there is a label for each interval."""
        needed = len(self.cuts) + 1
        if self.labels is not None and len(self.labels) != needed:
            notes.error(
                "labels",
                f"{len(self.cuts)} cuts make {needed} categories, got {len(self.labels)} labels",
                f"give {needed} labels, or none",
            )
        return super().outline(notes)

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a CASE over the cut points."""
        return interval_case(self.target.name, self.cuts, self.closed, self.labels)
