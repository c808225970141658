"""Operators that construct a feature from others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

from sqlglot import exp

from miningflow.declare import (
    Feature,
    FeatureConstruction,
    FeatureType,
    LearningError,
    TrainingRows,
    expression,
    feature,
    interval,
    literal,
    literal_map,
    new_feature,
    operator,
)
from miningflow.declare.estimates import ConceptEstimate, FeatureEstimate
from miningflow.declare.rows import learned_number
from miningflow.sql.fragments import Fragment
from miningflow.sql.literals import column, double, text


@operator
class GenericFeatureConstruction(FeatureConstruction):
    """Constructs a feature from a SQL expression over the features of the row.

    Division by zero and logarithms of what is not positive give NULL, on every engine. A condition
    gives a binary feature with the values 'true' and 'false'.
    """

    example: ClassVar[str] = """
    with_ratio:
      operator: GenericFeatureConstruction
      input: Customer
      sql: income / (1 + household)
      output: income_per_head
    """

    sql: Fragment = expression("the expression")
    output: str = new_feature("the feature to make; an existing one is replaced")

    def constructed_type(self) -> FeatureType:
        """Takes the type of the expression."""
        if self.sql.type == "boolean":
            return "binary"
        return cast(FeatureType, self.sql.type)

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives the expression itself; a condition becomes text."""
        if self.sql.type != "boolean":
            return self.sql.tree
        no = exp.Not(this=exp.Paren(this=self.sql.tree.copy()))
        return exp.Case(
            ifs=[
                exp.If(this=self.sql.tree.copy(), true=text("true")),
                exp.If(this=no, true=text("false")),
            ]
        )


@dataclass(frozen=True)
class Range:
    """The least and the greatest value that was seen."""

    low: float
    high: float


def learn_range(rows: TrainingRows, target: str) -> Range:
    """Learns the range of a numeric feature."""
    found = rows.aggregate(
        {"low": exp.Min(this=column(target)), "high": exp.Max(this=column(target))}
    )
    low, high = (learned_number(found[end], target) for end in ("low", "high"))
    if not math.isfinite(high - low):
        raise LearningError(
            f"the range of {target!r} is too wide for a double: {low:g} to {high:g}",
            "bring its values closer together first, for example with GenericFeatureConstruction",
        )
    return Range(low, high)


@operator
class LinearScaling(FeatureConstruction):
    """Scales a numeric feature linearly so that the values learned from span a given range.

    A value outside of what was seen is scaled by the same rule and may lie outside the range. If
    only one value was seen, every value becomes the lower end.
    """

    example: ClassVar[str] = """
    scaled:
      operator: LinearScaling
      input: Customer
      target: income
      range: [0, 1]
    """
    learns: ClassVar[type[Any] | None] = Range

    target: Feature = feature("the feature to scale", types=["numeric"])
    range: tuple[float, float] = interval("the range [low, high] to scale to", default=(0.0, 1.0))
    output: str | None = new_feature("the scaled feature, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Stays a number."""
        return "numeric"

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Has NULL where the target has, and as many different values."""
        return replace(rows.feature(self.target.name), seen=None)

    def learn(self, rows: TrainingRows) -> Range:
        """Learns the least and the greatest value."""
        learned = learn_range(rows, self.target.name)
        if not math.isfinite(self._factor(learned)):
            raise LearningError(
                f"the values of {self.target.name!r} are too close together to be scaled: "
                f"{learned.low!r} to {learned.high!r}",
                "multiply them first, for example with GenericFeatureConstruction",
            )
        return learned

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a·x + b, with both numbers computed here."""
        low = self.range[0]
        target = column(self.target.name)
        if artifact.high == artifact.low:
            known = exp.Not(this=exp.Is(this=target, expression=exp.Null()))
            return exp.Case(ifs=[exp.If(this=known, true=double(low))])
        shifted = exp.Paren(this=exp.Sub(this=target, expression=double(artifact.low)))
        scaled = exp.Mul(this=shifted, expression=double(self._factor(artifact)))
        return scaled if low == 0 else exp.Add(this=scaled, expression=double(low))

    def _factor(self, learned: Range) -> float:
        if learned.high == learned.low:
            return 0.0
        return (self.range[1] - self.range[0]) / (learned.high - learned.low)


@operator
class Mapping(FeatureConstruction):
    """Maps values to values.

    A value that the map does not name becomes `default`, or stays as it is if none is given. NULL
    stays NULL. To map a value to NULL, leave its place in the map empty.
    """

    example: ClassVar[str] = """
    mapped:
      operator: Mapping
      input: Customer
      target: region
      map: {north: coast, south: inland}
      default: other
    """

    target: Feature = feature("the feature to map", types=["nominal", "binary"])
    map: dict[str, str | None] = literal_map("value → new value")
    default: str | None = literal("what all other values become", default=None)
    output: str | None = new_feature("the mapped feature, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Becomes nominal."""
        return "nominal"

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a CASE with an entry for each value."""
        target = column(self.target.name)
        cases = [
            exp.If(
                this=exp.EQ(this=target.copy(), expression=text(old)),
                true=exp.Null() if new is None else text(new),
            )
            for old, new in self.map.items()
        ]
        if self.default is None:
            return exp.Case(ifs=cases, default=target)
        missing = exp.If(this=exp.Is(this=target, expression=exp.Null()), true=exp.Null())
        return exp.Case(ifs=[*cases, missing], default=text(self.default))
