"""Missing values told by decision trees and by decision rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import Concept, Feature, Notes, choice, feature, new_feature, operator
from miningflow.sql.block import Block, Source, over
from miningflow.sql.literals import column

from .decision_words import explained
from .decisions import DecisionModel


@operator
class DecisionFilling(DecisionModel):
    """What operators share that fill missing values by a tree or by rules."""

    target: Feature = feature(
        "the feature with missing values", types=["nominal", "binary", "numeric"]
    )
    output: str | None = new_feature("the filled feature, if `target` shall stay", default=None)

    def outline(self, notes: Notes) -> Concept:
        """Fills the target, or adds the filled feature."""
        self.check(notes, [] if self.output is None else [self.output])
        return self.input.with_features(Feature(self.output or self.target.name, self.target.type))

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Gives the value that is known, and otherwise the prediction."""
        prediction = self.cases(artifact, self.told(artifact))
        filled = exp.Coalesce(this=column(self.target.name), expressions=[prediction])
        name = self.output or self.target.name
        return over(inputs[self.input.name]).extend({name: filled})

    def explanation(self, artifact: Any) -> dict[str, str]:
        """Tells each way to an answer, or each rule."""
        if artifact is None:
            return {"learning": f"in memory, from at most {self.sample_size:,} rows"}
        return explained(artifact) | {"NULL": self.nulls}


@operator
class MissingValueWithDecisionTree(DecisionFilling):
    """Replaces NULL by what a decision tree predicts, which may be a class or a number.

    The tree learns from the rows in which the target is known, as that of
    PredictionWithDecisionTree does. A row that has NULL in a predictor that the tree asks about
    keeps its NULL, unless `nulls: impute` or `nulls: follow` is given.
    """

    example: ClassVar[str] = """
    filled:
      operator: MissingValueWithDecisionTree
      input: Customer
      target: region
      predictors: [age, household]
      pruning: 0.01
    """

    nulls: str = choice(
        "what becomes of a row with NULL in a predictor that is asked about: `propagate`: it keeps "
        "its NULL; `impute`: the mean or the most frequent category of the rows learned from "
        "stands in; `follow`: it goes the way that was learned for NULL",
        ["propagate", "impute", "follow"],
        default="propagate",
    )


@operator
class MissingValueWithDecisionRules(DecisionFilling):
    """Replaces NULL by what decision rules predict, which may be a class or a number.

    The rules are learned from the rows in which the target is known, as those of
    PredictionWithDecisionRules are. A row that has NULL in a predictor that a rule asks about keeps
    its NULL, unless `nulls: impute` is given.
    """

    rules: ClassVar[bool] = True
    example: ClassVar[str] = """
    filled:
      operator: MissingValueWithDecisionRules
      input: Customer
      target: income
      predictors: [age, household, lapsed]
      output: income_known
    """
