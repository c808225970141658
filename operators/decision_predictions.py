"""Operators that predict with decision trees and decision rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.declare import (
    PREDICTED_CLASS,
    Concept,
    Expected,
    Feature,
    LearningError,
    Notes,
    ScoreNeeds,
    TrainingRows,
    choice,
    literal,
    new_feature,
    operator,
)
from miningflow.sql.block import Block, Source, over
from miningflow.sql.literals import column, double, unused
from miningflow.train.decision_model import Decision
from miningflow.train.decision_text import describe_decision

from .decisions import DecisionModel
from .weights import note_class_weights


@operator
class DecisionPrediction(DecisionModel):
    """Shared by predictions with trees and with rules."""

    scores: ClassVar[bool] = True

    output: str = new_feature("the feature for the predicted class or number")
    probability: str | None = new_feature(
        "the feature for the share of the predicted class, or of `positive`, in the training rows "
        "of the leaf or rule",
        default=None,
    )
    positive: str | None = literal(
        "the class to report the share of; by default the predicted class",
        default=None,
        fits="target",
    )

    def prediction_features(self) -> tuple[str, ...]:
        """Names the prediction and the probability."""
        return (self.output,) if self.probability is None else (self.output, self.probability)

    @property
    def gives_shares(self) -> bool:
        """Whether the shares of classes are asked for."""
        return self.probability is not None

    def revision(self, learns_elsewhere: bool) -> int:
        """Counts on where shares are corrected to the rows that they are about."""
        return self.version + (learns_elsewhere and self.gives_shares)

    def outline(self, notes: Notes) -> Concept:
        """Adds the prediction, and the probability if requested."""
        self.check(notes, self.prediction_features())
        note_class_weights(notes, self.class_weight, self.positive, None, several=True)
        if self.probability is not None and self.target.type == "numeric":
            notes.error(
                "probability", "a numeric target has no probability", "leave 'probability' out"
            )
        if self.positive is not None and self.probability is None:
            notes.error(
                "positive",
                "`positive` has no effect without `probability`",
                "give `probability` as well",
            )
        added = [Feature(self.output, self.target.type)]
        if self.probability is not None:
            favoured = PREDICTED_CLASS if self.positive is None else self.positive
            added.append(Feature(self.probability, "numeric", favoured))
        return self.input.with_features(*added)

    def learn(self, rows: TrainingRows) -> Decision:
        """Learns the model; refuses a positive class that never occurs, unless in one segment."""
        found = super().learn(rows)
        if self.positive is not None and self.positive not in found.classes and not rows.segment:
            raise LearningError(
                f"the positive value {self.positive!r} of {self.target.name!r} never occurs",
                f"its values are {', '.join(map(repr, found.classes[:8]))}",
            )
        return found

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Evaluates the model once; with two outputs, both are looked up by the leaf or rule."""
        saved: Decision = artifact
        rows = over(inputs[self.input.name])
        predictions = self.predictions(saved)
        if self.probability is None:
            return rows.extend({self.output: self.cases(saved, predictions)})
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
                for name, results in ((self.output, predictions), (self.probability, shares))
            }
        )

    def expected(self, columns: Mapping[str, npt.NDArray[Any]], artifact: Any) -> Expected:
        """Computes the predictions without SQL."""
        saved: Decision = artifact
        outcomes, known = saved.apply(columns, self.nulls)
        predictions = {i: saved.prediction(i) for i in saved.outcomes}
        numeric = self.target.type == "numeric"
        found = np.array(
            [predictions[int(i)] for i in outcomes], dtype=np.float64 if numeric else object
        )
        values = {self.output: found}
        if self.probability is not None:
            shares = {i: self._share(saved, i) for i in saved.outcomes}
            values[self.probability] = np.array([shares[int(i)] for i in outcomes])
        return Expected(values, known, np.full(len(outcomes), np.inf), 1.0)

    def score_needs(self, artifact: Any) -> ScoreNeeds:
        """Returns the encoding of the predictors, and which of them the model reads."""
        saved: Decision = artifact
        predictors, groups = saved.encoding.predictors, saved.encoding.groups
        used = frozenset(predictors[groups[i]].name for i in saved.model.used)
        return ScoreNeeds(saved.encoding, saved.rows, used, self.nulls != "propagate", False)

    def explanation(self, artifact: Any) -> dict[str, str]:
        """Returns the leaves or rules of the model as text."""
        if artifact is None:
            learning = f"in memory, from at most {self.sample_size:,} rows"
            return {"learning": learning} | self.weighting.described({})
        saved: Decision = artifact
        weights = self.weighting.described(saved.class_weights)
        return describe_decision(saved) | weights | {"NULL": self.nulls}

    def _share(self, saved: Decision, outcome: int) -> float:
        shares = saved.shares(outcome)
        if self.positive is None:  # that of the predicted class
            return float(shares[int(saved.values(outcome).argmax())])
        if self.positive not in saved.classes:
            return 0.0
        return float(shares[saved.classes.index(self.positive)])


@operator
class PredictionWithDecisionTree(DecisionPrediction):
    """Learns a decision tree for a nominal or numeric target, and applies it as CASE expressions.

    Adds `output`, the predicted class or number. The tree is grown and pruned by scikit-learn
    (CART), and the SQL predicts exactly what scikit-learn does: if several classes are equally
    frequent, the first in alphabetical order. `probability` adds the share of the predicted class,
    or of the class `positive`, in the training rows of the leaf;
    with `learn_on`, it is corrected to the shares of the classes in the rows of `input` that are
    not held out. With `class_weight` the predicted class is the heaviest one of the leaf, and
    `probability` remains its share of the rows; weights of `sample_weight` count in both.

    Numbers are used unchanged. Splits on a category compare with its name; a category that the
    training rows do not have differs from all of them, except that it counts as NULL in a feature
    with two categories. A row with NULL, NaN or infinity in a predictor that the tree uses gets
    NULL. With `nulls: impute`, NULL is replaced first; with `nulls: follow`, the tree also learns
    from such rows, and NULL takes the branch that fits them best, or the larger branch if there
    were none. `miningflow explain` shows the tree.
    """

    alias: ClassVar[str] = "Tree"
    finds: ClassVar[tuple[str, ...]] = (
        "classify",
        "regression",
        "predict",
        "interpretable",
        "CART",
        "forecast",
    )
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
        "what a row with NULL in a used predictor gets: `propagate`: NULL; `impute`: the "
        "prediction with the mean or the most frequent category of the training rows instead; "
        "`follow`: the prediction of the branch that was learned for NULL",
        ["propagate", "impute", "follow"],
        default="propagate",
    )


@operator
class PredictionWithDecisionRules(DecisionPrediction):
    """Learns decision rules for a nominal or numeric target, and applies them as a CASE expression.

    Adds `output`, the prediction of the first rule whose conditions hold; the last rule has no
    conditions. The rules are the paths through a pruned decision tree. Conditions are removed from
    a rule as long as its estimated error does not increase, by the pessimistic estimate of C4.5.
    The rules are then ordered: each time the rule with the least estimated error on the remaining
    rows comes next, until a single prediction for all remaining rows has no more errors.
    `probability` adds the share of the predicted class, or of the class `positive`, in the training
    rows that the rule decides.

    Rules are often fewer and shorter than the paths through the tree, and each can be read by
    itself, given that no rule before it holds. Categories and NULL are treated as by
    PredictionWithDecisionTree. `miningflow explain` shows the rules.
    """

    rules: ClassVar[bool] = True
    alias: ClassVar[str] = "Rules"
    finds: ClassVar[tuple[str, ...]] = (
        "classify",
        "regression",
        "predict",
        "interpretable",
        "forecast",
    )
    example: ClassVar[str] = """
    told:
      operator: PredictionWithDecisionRules
      input: Customer
      target: lapsed
      predictors: [age, household, region]
      output: foreseen
    """
