"""Operators that construct a feature from other features."""

from __future__ import annotations

import math
from dataclasses import replace
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
from miningflow.sql.conditions import is_known, is_null, when
from miningflow.sql.fragments import Fragment
from miningflow.sql.literals import column, double, text
from miningflow.train.ranges import Range, learn_range


@operator
class GenericFeatureConstruction(FeatureConstruction):
    """Constructs a feature from a SQL expression over the features of the same row.

    Division by zero and the logarithm of a number that is not positive return NULL on every engine.
    A condition makes a binary feature with the values 'true' and 'false'.
    """

    alias: ClassVar[str] = "Compute"
    finds: ClassVar[tuple[str, ...]] = (
        "formula",
        "expression",
        "calculate",
        "derive",
        "new column",
        "CASE",
    )
    example: ClassVar[str] = """
    with_ratio:
      operator: GenericFeatureConstruction
      input: Customer
      sql: income / (1 + household)
      output: income_per_head
    """

    sql: Fragment = expression("the expression to compute")
    output: str = new_feature("the feature to construct; an existing one is replaced")

    def constructed_type(self) -> FeatureType:
        """Returns the type of the expression."""
        if self.sql.type == "boolean":
            return "binary"
        return cast(FeatureType, self.sql.type)

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns the expression itself; a condition becomes text."""
        if self.sql.type != "boolean":
            return self.sql.tree
        no = exp.Not(this=exp.Paren(this=self.sql.tree.copy()))
        return exp.Case(
            ifs=[
                exp.If(this=self.sql.tree.copy(), true=text("true")),
                exp.If(this=no, true=text("false")),
            ]
        )


@operator
class LinearScaling(FeatureConstruction):
    """Scales a numeric feature linearly, so that the training values span a given range.

    A value outside the range of the training rows is scaled by the same rule, so it may lie outside
    the given range. If the training rows have only one value, every value becomes the lower end.
    NULL stays NULL.
    """

    alias: ClassVar[str] = "ScaleMinMax"
    finds: ClassVar[tuple[str, ...]] = ("normalize", "min-max", "standardize", "rescale", "range")
    example: ClassVar[str] = """
    scaled:
      operator: LinearScaling
      input: Customer
      target: income
      range: [0, 1]
    """
    learns: ClassVar[type[Any] | None] = Range
    keeps_order: ClassVar[bool] = True

    target: Feature = feature("the feature to scale", types=["numeric"])
    range: tuple[float, float] = interval("the range [low, high] to scale to", default=(0.0, 1.0))
    output: str | None = new_feature(
        "the scaled feature; by default it replaces `target`", default=None
    )

    def constructed_type(self) -> FeatureType:
        """Returns numeric."""
        return "numeric"

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Estimates as many NULLs and different values as the target has."""
        return replace(rows.feature(self.target.name), seen=None)

    def learn(self, rows: TrainingRows) -> Range:
        """Learns the smallest and the largest value."""
        learned = learn_range(rows, self.target.name)
        if not math.isfinite(self._factor(learned)):
            raise LearningError(
                f"the values of {self.target.name!r} are too close together to scale: "
                f"{learned.low!r} to {learned.high!r}",
                "multiply them first, for example with GenericFeatureConstruction",
            )
        return learned

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a·x + b, with a and b computed here."""
        low = self.range[0]
        target = column(self.target.name)
        if artifact.high == artifact.low:
            known = is_known(target)
            return when(known, double(low))
        shifted = exp.Paren(this=target - double(artifact.low))
        scaled = shifted * double(self._factor(artifact))
        return scaled if low == 0 else exp.Add(this=scaled, expression=double(low))

    def _factor(self, learned: Range) -> float:
        if learned.high == learned.low:
            return 0.0
        return (self.range[1] - self.range[0]) / (learned.high - learned.low)


@operator
class Mapping(FeatureConstruction):
    """Replaces values of a nominal feature by other values.

    A value that `map` does not name becomes `default`, or stays unchanged without `default`. NULL
    stays NULL. To map a value to NULL, leave the new value empty.
    """

    finds: ClassVar[tuple[str, ...]] = (
        "recode",
        "rename values",
        "lookup",
        "dictionary",
        "clean categories",
    )
    example: ClassVar[str] = """
    mapped:
      operator: Mapping
      input: Customer
      target: region
      map: {north: coast, south: inland}
      default: other
    """

    target: Feature = feature("the feature to map", types=["nominal", "binary"])
    map: dict[str, str | None] = literal_map("a map of values to new values")
    default: str | None = literal(
        "the new value of all values that `map` does not name", default=None
    )
    output: str | None = new_feature(
        "the mapped feature; by default it replaces `target`", default=None
    )

    def constructed_type(self) -> FeatureType:
        """Returns nominal."""
        return "nominal"

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a CASE with a branch for each value."""
        target = column(self.target.name)
        cases = [
            exp.If(
                this=target.eq(text(old)),
                true=exp.Null() if new is None else text(new),
            )
            for old, new in self.map.items()
        ]
        if self.default is None:
            return exp.Case(ifs=cases, default=target)
        missing = exp.If(this=is_null(target), true=exp.Null())
        return exp.Case(ifs=[*cases, missing], default=text(self.default))
