"""Operators that fill missing values by decision trees and decision rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import Concept, Feature, Notes, choice, feature, new_feature, operator
from miningflow.sql.block import Block, Source, over
from miningflow.sql.literals import column
from miningflow.train.decision_text import describe_decision

from .decisions import DecisionModel


@operator
class DecisionFilling(DecisionModel):
    """Shared by operators that fill missing values by a tree or by rules."""

    target: Feature = feature("the feature to fill", types=["nominal", "binary", "numeric"])
    output: str | None = new_feature(
        "the filled feature; by default it replaces `target`", default=None
    )

    def outline(self, notes: Notes) -> Concept:
        """Fills the target, or adds the filled feature."""
        self.check(notes, [] if self.output is None else [self.output])
        return self.input.with_features(Feature(self.output or self.target.name, self.target.type))

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Returns the known value, or otherwise the prediction."""
        prediction = self.cases(artifact, self.predictions(artifact))
        filled = exp.Coalesce(this=column(self.target.name), expressions=[prediction])
        name = self.output or self.target.name
        return over(inputs[self.input.name]).extend({name: filled})

    def explanation(self, artifact: Any) -> dict[str, str]:
        """Returns the leaves or rules of the model as text."""
        if artifact is None:
            learning = f"in memory, from at most {self.sample_size:,} rows"
            return {"learning": learning} | self.weighting.described({})
        weights = self.weighting.described(artifact.class_weights)
        return describe_decision(artifact) | weights | {"NULL": self.nulls}


@operator
class MissingValueWithDecisionTree(DecisionFilling):
    """Replaces missing values of a feature by the predictions of a decision tree.

    The feature may be nominal or numeric. The tree is learned from the rows in which the feature is
    known, in the same way as by PredictionWithDecisionTree. A row with NULL in a predictor that the
    tree uses keeps its NULL, unless `nulls` is `impute` or `follow`.
    """

    alias: ClassVar[str] = "FillTree"
    finds: ClassVar[tuple[str, ...]] = (
        "impute",
        "missing values",
        "NaN",
        "null",
        "model imputation",
    )
    example: ClassVar[str] = """
    filled:
      operator: MissingValueWithDecisionTree
      input: Customer
      target: region
      predictors: [age, household]
      pruning: 0.01
    """

    nulls: str = choice(
        "what a row with NULL in a used predictor gets: `propagate`: NULL; `impute`: the "
        "prediction with the mean or the most frequent category of the training rows instead; "
        "`follow`: the prediction of the branch that was learned for NULL",
        ["propagate", "impute", "follow"],
        default="propagate",
    )


@operator
class MissingValueWithDecisionRules(DecisionFilling):
    """Replaces missing values of a feature by the predictions of decision rules.

    The feature may be nominal or numeric. The rules are learned from the rows in which the feature
    is known, in the same way as by PredictionWithDecisionRules. A row with NULL in a predictor that
    a rule uses keeps its NULL, unless `nulls` is `impute`.
    """

    rules: ClassVar[bool] = True
    alias: ClassVar[str] = "FillRules"
    finds: ClassVar[tuple[str, ...]] = (
        "impute",
        "missing values",
        "NaN",
        "null",
        "model imputation",
    )
    example: ClassVar[str] = """
    filled:
      operator: MissingValueWithDecisionRules
      input: Customer
      target: income
      predictors: [age, household, lapsed]
      output: income_known
    """
