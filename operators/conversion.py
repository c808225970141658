"""Operators that turn a feature into numbers a learner can use."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    FeatureConstruction,
    FeatureType,
    Notes,
    choice,
    feature,
    literal,
    literals,
    new_feature,
    number,
    operator,
)
from miningflow.sql.block import Block, Source, over
from miningflow.sql.fragments.numbers import divided, logarithm
from miningflow.sql.fragments.times import PARTS, part_of_time, weekday
from miningflow.sql.literals import column, double, text


@operator
class DateToNumeric(FeatureConstruction):
    """Takes a part of a time as a number.

    A second is whole, its fraction is cut off. The weekday counts from Monday = 1 to Sunday = 7.
    NULL stays NULL. Learners take these numbers as sizes: hour 23 is far from hour 0 to them. Where
    that is wrong, make categories of the part with UserDefinedDiscretization.
    """

    example: ClassVar[str] = """
    with_year:
      operator: DateToNumeric
      input: Customer
      target: since
      part: year
      output: since_year
    """

    target: Feature = feature("the time", types=["time"])
    part: str = choice("the part to take", choices=[*PARTS, "weekday"])
    output: str | None = new_feature("the number, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Becomes a number."""
        return "numeric"

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives EXTRACT, or the days since a Monday."""
        target = column(self.target.name)
        return weekday(target) if self.part == "weekday" else part_of_time(self.part, target)


@operator
class LogScaling(FeatureConstruction):
    """Takes the logarithm of a numeric feature.

    Use it where a feature has many small values and a few huge ones, such as prices. What is not
    positive has no logarithm and becomes NULL, on every engine. For the natural logarithm give
    `base: 2.718281828459045`.
    """

    example: ClassVar[str] = """
    log_income:
      operator: LogScaling
      input: Customer
      target: income
      base: 10
    """

    target: Feature = feature("the feature to scale", types=["numeric"])
    base: float = number("the base of the logarithm", default=10.0, minimum=1.001)
    output: str | None = new_feature("the logarithm, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Stays a number."""
        return "numeric"

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives LN(x) / LN(base): LOG means base 10 on one engine and e on another."""
        return divided(logarithm(column(self.target.name)), double(math.log(self.base)))


@operator
class Binarify(FeatureConstruction):
    """Makes an indicator for each of the given values: 1 where a feature has it, otherwise 0.

    The indicators are called after the feature and the value, such as `region_north`; `prefix`
    takes the place of the feature's name. A value that is not listed has 0 in all of them. Where
    the feature is NULL, so are all indicators: nothing is known of them. The feature itself stays.
    """

    example: ClassVar[str] = """
    with_regions:
      operator: Binarify
      input: Customer
      target: region
      values: [north, south]
    """

    target: Feature = feature("the feature", types=["nominal", "binary"])
    values: tuple[str, ...] = literals("the values that get an indicator")
    prefix: str | None = literal(
        "what the names of the indicators begin with; without it, the name of `target`",
        default=None,
    )

    def indicators(self) -> dict[str, str]:
        """Names the indicator of each value."""
        prefix = self.target.name if self.prefix is None else self.prefix
        return {value: f"{prefix}_{value}" for value in self.values}

    def outline(self, notes: Notes) -> Concept:
        """Adds a number for each value."""
        taken = {name.casefold(): name for name in self.input.features}
        for value, name in self.indicators().items():
            if name.casefold() in taken:
                other = taken[name.casefold()]
                notes.mistake(
                    "values",
                    f"the indicator of {value!r} would be called {name!r}, "
                    f"and there is {other!r} already",
                    "give the indicators another `prefix`",
                )
            elif not name.isprintable() or len(name) > 120:
                notes.mistake(
                    "values",
                    f"the indicator of {value[:40]!r} would have a name that databases cannot use",
                    "shorten the value with Mapping first",
                )
            taken[name.casefold()] = name
        made = (Feature(name, "numeric") for name in self.indicators().values())
        return self.input.with_features(*made)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Adds a CASE for each value."""
        return over(inputs[self.input.name]).extend(
            {name: self._indicator(value) for value, name in self.indicators().items()}
        )

    def _indicator(self, value: str) -> exp.Expression:
        target = column(self.target.name)
        has_it = exp.EQ(this=target, expression=text(value))
        another = exp.NEQ(this=target.copy(), expression=text(value))
        return exp.Case(
            ifs=[exp.If(this=has_it, true=double(1)), exp.If(this=another, true=double(0))]
        )
