"""Predictions by decision trees and by decision rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.declare import (
    Concept,
    Expected,
    Feature,
    Notes,
    choice,
    literal,
    new_feature,
    operator,
)
from miningflow.sql.block import Block, Source, over
from miningflow.sql.literals import column, double, unused

from .decision_words import explained
from .decisions import Decision, DecisionModel


@operator
class DecisionPrediction(DecisionModel):
    """What predictions by trees and by rules share."""

    scores: ClassVar[bool] = True

    output: str = new_feature("the feature for the predicted class or number")
    probability: str | None = new_feature(
        "the feature for the share of the predicted class, or of `positive`, among the rows that "
        "the answer was learned from",
        default=None,
    )
    positive: str | None = literal("the class whose share is meant", default=None, fits="target")

    def prediction_features(self) -> tuple[str, ...]:
        """Names the prediction and the probability."""
        return (self.output,) if self.probability is None else (self.output, self.probability)

    def outline(self, notes: Notes) -> Concept:
        """Adds the prediction, and the probability if it is wanted."""
        self.check(notes, self.prediction_features())
        if self.probability is not None and self.target.type == "numeric":
            notes.mistake("probability", "a number has no probability", "leave 'probability' out")
        if self.positive is not None and self.probability is None:
            notes.mistake(
                "positive", "`positive` says whose probability is meant", "give `probability`, too"
            )
        added = [Feature(self.output, self.target.type)]
        if self.probability is not None:
            added.append(Feature(self.probability, "numeric"))
        return self.input.with_features(*added)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Asks the questions once; for two results, the answer is looked up by its number."""
        saved: Decision = artifact
        rows = over(inputs[self.input.name])
        told = self.told(saved)
        if self.probability is None:
            return rows.extend({self.output: self.cases(saved, told)})
        answer = unused("answer", [*self.input.features, *self.prediction_features()])
        numbers = {outcome: double(i + 1) for i, outcome in enumerate(saved.outcomes)}
        block = rows.extend({answer: self.cases(saved, numbers)}).layered()
        shares = {outcome: double(self._share(saved, outcome)) for outcome in saved.outcomes}
        return block.extend(
            {
                name: exp.Case(
                    this=column(answer),
                    ifs=[exp.If(this=numbers[o].copy(), true=results[o]) for o in saved.outcomes],
                )
                for name, results in ((self.output, told), (self.probability, shares))
            }
        )

    def expected(self, columns: Mapping[str, npt.NDArray[Any]], artifact: Any) -> Expected:
        """Applies the model without SQL."""
        saved: Decision = artifact
        at, known = self.apply(columns, saved)
        told = {i: saved.told(i) for i in saved.outcomes}
        numeric = self.target.type == "numeric"
        found = np.array([told[int(i)] for i in at], dtype=np.float64 if numeric else object)
        values = {self.output: found}
        if self.probability is not None:
            shares = {i: self._share(saved, i) for i in saved.outcomes}
            values[self.probability] = np.array([shares[int(i)] for i in at])
        return Expected(values, known, np.full(len(at), np.inf), 1.0)

    def explanation(self, artifact: Any) -> dict[str, str]:
        """Tells each way to an answer, or each rule."""
        if artifact is None:
            return {"learning": f"in memory, from at most {self.sample_size:,} rows"}
        return explained(artifact) | {"NULL": self.nulls}

    def _share(self, saved: Decision, outcome: int) -> float:
        values = saved.values(outcome)
        if self.positive is None:
            return float(values.max())
        if self.positive not in saved.classes:
            return 0.0
        return float(values[saved.classes.index(self.positive)])


@operator
class PredictionWithDecisionTree(DecisionPrediction):
    """Learns a decision tree for classes or for a number, and applies it as CASE expressions.

    Adds `output`, the predicted class or number. The tree is grown and pruned by scikit-learn
    (CART), and the SQL predicts exactly what scikit-learn does: of equally frequent classes the
    first in alphabetical order. `probability` adds how large a part of the training rows behind an
    answer the predicted class had, or the class given as `positive`.

    Numbers are taken as they are. A category is asked for by name; one that was never seen is none
    of those asked for, except that in a feature with two categories it counts as NULL. A row with
    NULL, NaN or infinity in a predictor that the tree asks about gets NULL; with `nulls: impute`
    NULL is filled first, and with `nulls: follow` the tree learns from such rows, too, and NULL
    goes the way that fits them best, or with the greater part of the rows if there were none.
    `miningflow explain` shows the tree.
    """

    example: ClassVar[str] = """
    told:
      operator: PredictionWithDecisionTree
      input: Customer
      target: lapsed
      predictors: [age, household, region]
      output: foreseen
      probability: lapse_share
      positive: 'yes'
    """

    nulls: str = choice(
        "what a row with NULL in a predictor that is asked about gets: `propagate`: NULL; "
        "`impute`: what it gets with the mean or the most frequent category of the rows learned "
        "from; `follow`: the way that was learned for NULL",
        ["propagate", "impute", "follow"],
        default="propagate",
    )


@operator
class PredictionWithDecisionRules(DecisionPrediction):
    """Learns decision rules for classes or for a number, and applies them as one CASE expression.

    Adds `output`, what the first rule predicts whose conditions hold; the last has none. The rules
    are the ways through a pruned decision tree. From each, conditions are left out as long as the
    rule is estimated to err no more, with the pessimistic estimate of C4.5. Then they are put in
    order, each time the rule that is estimated to err least about the rows that those before it
    left, until predicting the same for all the rest would err no more. `probability` adds how large
    a part of the training rows that a rule decided the predicted class had, or the class given as
    `positive`.

    Rules are often fewer and shorter than the ways through the tree, and each can be read alone,
    after those before it. Categories and NULL are treated as by PredictionWithDecisionTree.
    `miningflow explain` shows the rules.
    """

    rules: ClassVar[bool] = True
    example: ClassVar[str] = """
    told:
      operator: PredictionWithDecisionRules
      input: Customer
      target: lapsed
      predictors: [age, household, region]
      output: foreseen
    """
