"""Operators that replace missing values by constants, random draws and predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    FeatureConstruction,
    FeatureType,
    LearningError,
    Notes,
    TrainingRows,
    feature,
    integer,
    literal,
    new_feature,
    operator,
)
from miningflow.declare.estimates import ConceptEstimate, FeatureEstimate
from miningflow.sql.conditions import is_known
from miningflow.sql.literals import column, double, text, value_of
from miningflow.sql.sampling import draw_hash, drawn
from miningflow.train.quantiles import equal_parts, shares
from miningflow.train.value_counts import value_counts

# A draw is a CASE with a branch for each value.
MOST_VALUES = 1_000
QUANTILES = 100


@dataclass(frozen=True)
class Distribution:
    """The values in the training rows, and their shares, which add up to 1."""

    values: tuple[str | float, ...]
    shares: tuple[float, ...]

    def check_parts(self) -> None:
        """Refuses stored values without a share each."""
        if not 0 < len(self.values) == len(self.shares) or min(self.shares) < 0:
            raise ValueError("the shares do not fit the values")


@operator
class AssignDefaultValue(FeatureConstruction):
    """Replaces missing values by a constant.

    The constant must be a valid value of the feature. The feature keeps its type, so a later step
    may refuse a binary feature that gets a third value.
    """

    alias: ClassVar[str] = "FillConstant"
    finds: ClassVar[tuple[str, ...]] = (
        "impute",
        "missing values",
        "NaN",
        "null",
        "coalesce",
        "fillna",
    )
    example: ClassVar[str] = """
    filled:
      operator: AssignDefaultValue
      input: Customer
      target: region
      default: unknown
    """

    target: Feature = feature("the feature to fill", types=["numeric", "nominal", "binary", "time"])
    default: str = literal("the value that replaces NULL", fits="target")
    output: str | None = new_feature(
        "the filled feature; by default it replaces `target`", default=None
    )

    def constructed_type(self) -> FeatureType:
        """Keeps the type of the target."""
        return self.target.type

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Leaves no NULL."""
        return rows.feature(self.target.name).known()

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns COALESCE with the constant."""
        default = value_of(self.target.type, self.default)
        return exp.Coalesce(this=column(self.target.name), expressions=[default])


@operator
class AssignStochasticValue(FeatureConstruction):
    """Replaces missing values by values drawn at random from the distribution of the known values.

    This keeps the distribution of the feature, which a mean or a mode would narrow. The value drawn
    for a row depends only on the key of the row and the seed, so it is the same on every run and
    every engine. With the same seed, all features of a row get the same draw, so give each feature
    a different seed. The concept must have a key.

    For a nominal feature the shares of all values are learned, of at most 1,000 values. For a
    numeric feature 100 quantiles are learned, each of which is a value in the training rows.
    """

    draws: ClassVar[bool] = True
    alias: ClassVar[str] = "FillRandom"
    finds: ClassVar[tuple[str, ...]] = (
        "impute",
        "missing values",
        "NaN",
        "null",
        "random imputation",
    )
    example: ClassVar[str] = """
    filled:
      operator: AssignStochasticValue
      input: Customer
      target: region
      seed: 3
    """
    learns: ClassVar[type[Any] | None] = Distribution

    target: Feature = feature("the feature to fill", types=["numeric", "nominal", "binary"])
    seed: int = integer("the random seed; a different seed draws different values", default=0)
    output: str | None = new_feature(
        "the filled feature; by default it replaces `target`", default=None
    )

    def constructed_type(self) -> FeatureType:
        """Keeps the type of the target."""
        return self.target.type

    def outline(self, notes: Notes) -> Concept:
        """Adds or replaces the feature; draws need a key."""
        if self.input.key is None:
            notes.error(
                "input",
                f"{self.input.name!r} has no key, which drawing values needs",
                "give the concept a key, or number its rows with `number_rows` where it is read",
            )
        return super().outline(notes)

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Leaves no NULL, and adds no new value."""
        return rows.feature(self.target.name).known(new_value=False)

    def learn(self, rows: TrainingRows) -> Distribution:
        """Learns quantiles of numbers, and shares of all other values."""
        if self.target.type == "numeric":
            parts = equal_parts(rows, self.target.name, QUANTILES)
            return Distribution(parts.ends, tuple(shares(parts.rows)))
        counts = value_counts(rows, self.target.name)
        if len(counts) > MOST_VALUES:
            raise LearningError(
                f"{self.target.name!r} has {len(counts):,} different values; "
                f"values can be drawn from at most {MOST_VALUES:,}",
                "merge rare values first, with GroupingGivenMinCardinality or Mapping",
            )
        return Distribution(tuple(counts), tuple(shares(list(counts.values()))))

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a CASE that compares a hash of the key with the cumulative shares."""
        target = column(self.target.name)
        known = is_known(target)
        outcomes = [
            (text(value) if isinstance(value, str) else double(value), share)
            for value, share in zip(artifact.values, artifact.shares, strict=True)
        ]
        chance = draw_hash(self.input.key, self.input.types, "value", self.seed)
        branches, last = drawn(chance, outcomes)
        return exp.Case(ifs=[exp.If(this=known, true=target.copy()), *branches], default=last)


@operator
class AssignPredictedValueCategorial(FeatureConstruction):
    """Replaces missing values of a nominal feature by the value of another feature.

    Use it with a prediction: learn a model for the feature first, for example with
    SupportVectorMachineForClassification, which learns from the rows that have a value and predicts
    one for all. Where the prediction is NULL as well, the value stays NULL.
    """

    alias: ClassVar[str] = "FillFromFeature"
    finds: ClassVar[tuple[str, ...]] = ("impute", "missing values", "NaN", "null", "coalesce")
    example: ClassVar[str] = """
    filled:
      operator: AssignPredictedValueCategorial
      input: Customer
      target: region
      predicted: lapsed
    """

    target: Feature = feature("the feature to fill", types=["nominal", "binary"])
    predicted: Feature = feature("the feature to take values from", types=["nominal", "binary"])
    output: str | None = new_feature(
        "the filled feature; by default it replaces `target`", default=None
    )

    def constructed_type(self) -> FeatureType:
        """Keeps the type of the target."""
        return self.target.type

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns COALESCE with the prediction."""
        predicted = column(self.predicted.name)
        return exp.Coalesce(this=column(self.target.name), expressions=[predicted])
