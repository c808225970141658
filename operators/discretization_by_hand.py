"""Operators that turn numbers and times into categories that a person gives."""

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
from miningflow.sql.literals import column, text, value_of

from .discretization import cut_expression


@operator
class IntervalManualDiscretization(FeatureConstruction):
    """What operators that sort values into given intervals share."""

    target: Feature
    intervals: Intervals
    default: str | None = literal("what all other values become; without it, NULL", default=None)
    output: str | None = new_feature("the category, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Becomes nominal."""
        return "nominal"

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a CASE with a branch for each interval."""
        target = column(self.target.name)
        branches = [
            exp.If(this=self._within(interval), true=text(interval.label))
            for interval in self.intervals.items
        ]
        if self.default is not None:
            known = exp.Not(this=exp.Is(this=target, expression=exp.Null()))
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
        known = exp.Not(this=exp.Is(this=target.copy(), expression=exp.Null()))
        if not ends:
            return known
        return ends[0] if len(ends) == 1 else exp.And(this=ends[0], expression=ends[1])


@operator
class NumericIntervalManualDiscretization(IntervalManualDiscretization):
    """Sorts numbers into intervals that you give, each with a label.

    An interval is written as in mathematics: a square bracket where the end belongs to it, a round
    one where it does not, and no number where it has no end. `'[18, 65)'` is from 18 to below 65,
    `'[65, )'` is 65 and more. Put intervals into quotes. A label may have a list of intervals.
    Intervals must not overlap. A number in none of them becomes `default`, or NULL if none is
    given. NULL stays NULL.
    """

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
    intervals: Intervals = intervals("label → interval", types=["numeric"])


@operator
class TimeIntervalManualDiscretization(IntervalManualDiscretization):
    """Sorts times into intervals that you give, each with a label.

    An interval is written as in mathematics: a square bracket where the end belongs to it, a round
    one where it does not, and no time where it has no end. A date is its first moment, so
    `'[2025-01-01, 2025-02-01)'` is the whole of January; times are written `2025-01-31 13:45:00`.
    Put intervals into quotes. A label may have a list of intervals. Intervals must not overlap. A
    time in none of them becomes `default`, or NULL if none is given. NULL stays NULL.
    """

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
    intervals: Intervals = intervals("label → interval", types=["time"])


@operator
class UserDefinedDiscretization(FeatureConstruction):
    """Cuts a numeric feature at points that you give.

    The first and the last interval are open to the outside, so that every number falls into one.
    n cut points make n + 1 categories; `labels` names them from low to high, and without it they
    are named after their ends. NULL stays NULL.
    """

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
    labels: tuple[str, ...] | None = literals("the names of the categories", default=None)
    closed: str = choice(
        "the end that belongs to an interval", choices=["left", "right"], default="left"
    )
    output: str | None = new_feature("the category, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Becomes nominal."""
        return "nominal"

    def outline(self, notes: Notes) -> Concept:
        """Adds the category; there is a label for each."""
        needed = len(self.cuts) + 1
        if self.labels is not None and len(self.labels) != needed:
            notes.mistake(
                "labels",
                f"{len(self.cuts)} cuts make {needed} categories, and there are "
                f"{len(self.labels)} labels",
                f"give {needed} labels, or none",
            )
        return super().outline(notes)

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a CASE over the cut points."""
        return cut_expression(self.target.name, self.cuts, self.closed, self.labels)
