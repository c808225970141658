"""Operators that replace missing values by constants, by draws, and by what a model predicts."""

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
from miningflow.sql.literals import column, double, text, value_of
from miningflow.sql.sampling import draw_hash, drawn

from .quantiles import equal_parts, shares
from .value_counts import value_counts

# A draw is a CASE with a branch for each value.
MOST_VALUES = 1_000
QUANTILES = 100


@dataclass(frozen=True)
class Distribution:
    """Values that were seen, and how often: shares that add up to 1."""

    values: tuple[str | float, ...]
    shares: tuple[float, ...]


@operator
class AssignDefaultValue(FeatureConstruction):
    """Replaces NULL by a constant, which must be a value that the feature can have.

    A feature keeps its type: if a binary one gets a third value, a later step may refuse it.
    """

    example: ClassVar[str] = """
    filled:
      operator: AssignDefaultValue
      input: Customer
      target: region
      default: unknown
    """

    target: Feature = feature(
        "the feature with missing values", types=["numeric", "nominal", "binary", "time"]
    )
    default: str = literal("what takes the place of NULL", fits="target")
    output: str | None = new_feature("the filled feature, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Stays what it was."""
        return self.target.type

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Leaves no NULL."""
        return rows.feature(self.target.name).known()

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives COALESCE with the constant."""
        default = value_of(self.target.type, self.default)
        return exp.Coalesce(this=column(self.target.name), expressions=[default])


@operator
class AssignStochasticValue(FeatureConstruction):
    """Replaces NULL by values drawn at random, as often as each was seen among the known values.

    So the feature keeps its distribution, which a mean or a mode would narrow. What is drawn for a
    row depends on its key and the seed alone: it is the same on every run and every engine, and for
    each feature that is filled with this seed. So give each feature a seed of its own. The concept
    must have a key.

    Of a nominal feature the shares of all values are learned, at most 1,000. Of a numeric one 100
    quantiles are learned, each a value that was seen.
    """

    example: ClassVar[str] = """
    filled:
      operator: AssignStochasticValue
      input: Customer
      target: region
      seed: 3
    """
    learns: ClassVar[type[Any] | None] = Distribution

    target: Feature = feature(
        "the feature with missing values", types=["numeric", "nominal", "binary"]
    )
    seed: int = integer("another seed draws other values", default=0)
    output: str | None = new_feature("the filled feature, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Stays what it was."""
        return self.target.type

    def outline(self, notes: Notes) -> Concept:
        """Adds or replaces the feature; draws need a key."""
        if self.input.key is None:
            notes.mistake(
                "input",
                f"{self.input.name!r} has no key, by which values are drawn",
                "give the concept a key, or number its rows with `number_rows` where it is read",
            )
        return super().outline(notes)

    def constructed_estimate(self, rows: ConceptEstimate) -> FeatureEstimate:
        """Leaves no NULL, and draws values that are there."""
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
                f"at most {MOST_VALUES:,} can be drawn from",
                "put rare ones together first, with GroupingGivenMinCardinality or Mapping",
            )
        return Distribution(tuple(counts), tuple(shares(list(counts.values()))))

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a CASE that compares a hash of the key with cumulated shares."""
        target = column(self.target.name)
        known = exp.Not(this=exp.Is(this=target, expression=exp.Null()))
        outcomes = [
            (text(value) if isinstance(value, str) else double(value), share)
            for value, share in zip(artifact.values, artifact.shares, strict=True)
        ]
        chance = draw_hash(self.input.key, (), "value", self.seed)
        branches, last = drawn(chance, outcomes)
        return exp.Case(ifs=[exp.If(this=known, true=target.copy()), *branches], default=last)


@operator
class AssignPredictedValueCategorial(FeatureConstruction):
    """Replaces NULL in a nominal feature by the value of another feature, such as a prediction.

    Learn a model for the feature first, for example with SupportVectorMachineForClassification: it
    learns from the rows that have a value, and predicts one for all. Where the prediction is NULL
    too, the value stays NULL.
    """

    example: ClassVar[str] = """
    filled:
      operator: AssignPredictedValueCategorial
      input: Customer
      target: region
      predicted: lapsed
    """

    target: Feature = feature("the feature with missing values", types=["nominal", "binary"])
    predicted: Feature = feature("the feature to take values from", types=["nominal", "binary"])
    output: str | None = new_feature("the filled feature, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Stays what it was."""
        return self.target.type

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives COALESCE with the prediction."""
        predicted = column(self.predicted.name)
        return exp.Coalesce(this=column(self.target.name), expressions=[predicted])
