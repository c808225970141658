"""Operators that convert a feature into numbers that a learner can use."""

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
from miningflow.sql.conditions import is_known
from miningflow.sql.fragments.numbers import divided, logarithm
from miningflow.sql.fragments.times import PARTS, part_of_time, weekday
from miningflow.sql.literals import column, double, text


@operator
class DateToNumeric(FeatureConstruction):
    """Extracts a part of a time as a number, such as the year or the weekday.

    Seconds are truncated to whole numbers. Weekdays count from Monday = 1 to Sunday = 7. NULL stays
    NULL. A learner treats these numbers as quantities, so hour 23 is far from hour 0. Where that is
    wrong, make categories of the part with UserDefinedDiscretization.
    """

    alias: ClassVar[str] = "DatePart"
    finds: ClassVar[tuple[str, ...]] = ("extract", "year", "month", "weekday", "hour", "timestamp")
    example: ClassVar[str] = """
    with_year:
      operator: DateToNumeric
      input: Customer
      target: since
      part: year
      output: since_year
    """

    target: Feature = feature("the time to take a part of", types=["time"])
    part: str = choice("the part to extract", choices=[*PARTS, "weekday"])
    output: str | None = new_feature("the number; by default it replaces `target`", default=None)

    def constructed_type(self) -> FeatureType:
        """Returns numeric."""
        return "numeric"

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns EXTRACT, or counts the days since a Monday."""
        target = column(self.target.name)
        return weekday(target) if self.part == "weekday" else part_of_time(self.part, target)


@operator
class LogScaling(FeatureConstruction):
    """Replaces a numeric feature by its logarithm.

    Use it for features with many small and a few very large values, such as prices. A value that is
    not positive becomes NULL on every engine. For the natural logarithm set `base:
    2.718281828459045`.
    """

    alias: ClassVar[str] = "Log"
    finds: ClassVar[tuple[str, ...]] = ("logarithm", "skewed", "transform")
    example: ClassVar[str] = """
    log_income:
      operator: LogScaling
      input: Customer
      target: income
      base: 10
    """
    keeps_order: ClassVar[bool] = True

    target: Feature = feature("the feature to scale", types=["numeric"])
    base: float = number("the base of the logarithm", default=10.0, minimum=1.001)
    output: str | None = new_feature("the logarithm; by default it replaces `target`", default=None)

    def constructed_type(self) -> FeatureType:
        """Returns numeric."""
        return "numeric"

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns LN(x) / LN(base): LOG means base 10 on one engine and e on another."""
        return divided(logarithm(column(self.target.name)), double(math.log(self.base)))


@operator
class OrdinalEncoding(FeatureConstruction):
    """Replaces ordered categories by numbers: 1 for the first, 2 for the second, and so on.

    Use it for answers and grades such as `never`, `sometimes`, `often`: a learner then knows that
    one is between two others, and treats the distances between neighbors as equal. NULL stays NULL.
    A value that is not listed becomes `unseen`, or NULL without it; `unseen` may be any number,
    such as 0.
    """

    alias: ClassVar[str] = "Ordinal"
    finds: ClassVar[tuple[str, ...]] = ("encode categories", "rank", "category to number")
    example: ClassVar[str] = """
    region_order:
      operator: OrdinalEncoding
      input: Customer
      target: region
      categories: [south, east, north]
      unseen: 0
      output: region_number
    """

    target: Feature = feature("the feature to number", types=["nominal", "binary"])
    categories: tuple[str, ...] = literals("its categories in their order, the lowest first")
    unseen: float | None = number("the number of all other values", default=None)
    output: str | None = new_feature("the number; by default it replaces `target`", default=None)

    def constructed_type(self) -> FeatureType:
        """Returns numeric."""
        return "numeric"

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a CASE with a branch for each category."""
        target = column(self.target.name)
        cases = [
            exp.If(this=target.eq(text(category)), true=double(place))
            for place, category in enumerate(self.categories, start=1)
        ]
        if self.unseen is not None:
            cases.append(exp.If(this=is_known(target), true=double(self.unseen)))
        return exp.Case(ifs=cases)


@operator
class Binarify(FeatureConstruction):
    """Adds an indicator for each of the given values: 1 where a feature has the value, otherwise 0.

    An indicator is named after the feature and the value, such as `region_north`; `prefix` replaces
    the name of the feature. A row with a value that is not listed has 0 in all indicators. Where
    the feature is NULL, all indicators are NULL. The feature itself stays.
    """

    alias: ClassVar[str] = "OneHot"
    finds: ClassVar[tuple[str, ...]] = (
        "dummy variables",
        "indicator",
        "encode categories",
        "binarize",
    )
    example: ClassVar[str] = """
    with_regions:
      operator: Binarify
      input: Customer
      target: region
      values: [north, south]
    """

    target: Feature = feature("the feature to make indicators of", types=["nominal", "binary"])
    values: tuple[str, ...] = literals("the values to make an indicator for")
    prefix: str | None = literal(
        "how the names of the indicators begin; by default with the name of `target`",
        default=None,
    )

    def indicators(self) -> dict[str, str]:
        """Returns the name of the indicator of each value."""
        prefix = self.target.name if self.prefix is None else self.prefix
        return {value: f"{prefix}_{value}" for value in self.values}

    def outline(self, notes: Notes) -> Concept:
        """Adds a numeric feature for each value."""
        taken = {name.casefold(): name for name in self.input.features}
        for value, name in self.indicators().items():
            if name.casefold() in taken:
                other = taken[name.casefold()]
                notes.error(
                    "values",
                    f"the indicator of {value!r} would be named {name!r}, "
                    f"but feature {other!r} already exists",
                    "give the indicators a different `prefix`",
                )
            elif not name.isprintable() or len(name) > 120:
                notes.error(
                    "values",
                    f"the indicator of {value[:40]!r} would have a name that databases reject",
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
        equal = target.eq(text(value))
        different = target.neq(text(value))
        return exp.Case(
            ifs=[exp.If(this=equal, true=double(1)), exp.If(this=different, true=double(0))]
        )
