"""Shared by decision trees and decision rules: predictors, learning, and their SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    Notes,
    Operator,
    TrainingRows,
    choice,
    concept,
    feature,
    features,
    integer,
    number,
    operator,
)
from miningflow.declare.operator import Family
from miningflow.declare.output_notes import note_copied, note_taken
from miningflow.learn.rules import RuleList
from miningflow.learn.trees import Growth
from miningflow.sql.literals import double, text
from miningflow.sql.models.split_conditions import Questions
from miningflow.sql.models.trees import guarded, rule_cases, tree_cases
from miningflow.train.decision_model import Decision, DecisionSpec, learn_decision
from miningflow.train.predictors import PREDICTOR_TYPES
from miningflow.train.row_weights import Weighting

from .weights import WeightOfClasses, note_row_weight, weight_of_classes, weight_of_rows


@operator
class DecisionModel(Operator):
    """Shared by decision trees and rules: predictors, how to learn, and what NULL means."""

    family: ClassVar[Family] = "learning"
    applies_model: ClassVar[bool] = True
    learns_numbers_itself: ClassVar[bool] = True
    learns: ClassVar[type[Any] | None] = Decision
    rules: ClassVar[bool] = False

    input: Concept = concept("the concept to learn from and to predict for")
    target: Feature = feature("the feature to predict", types=["nominal", "binary", "numeric"])
    predictors: tuple[Feature, ...] = features(
        "the features to predict from", types=PREDICTOR_TYPES, minimum=1
    )
    depth: int = integer(
        "how many conditions lead to a prediction, at most", 10, minimum=1, maximum=30
    )
    leaf_size: int = integer("how many training rows each leaf has, at least", 5, minimum=1)
    pruning: float | None = number(
        "how much a split must gain, as a share of the impurity of all rows: 0 prunes nothing; by "
        "default it is chosen by cross-validation, within one standard error of the least error",
        default=None,
        minimum=0,
        maximum=1,
    )
    sample_size: int = integer("how many rows to learn from, at most", default=10_000, minimum=10)
    seed: int = integer(
        "the random seed; a different seed draws different rows and folds", default=0
    )
    nulls: str = choice(
        "what a row with NULL in a used predictor gets: `propagate`: NULL; `impute`: the "
        "prediction with the mean or the most frequent category of the training rows instead",
        ["propagate", "impute"],
        default="propagate",
    )

    class_weight: WeightOfClasses = weight_of_classes()
    sample_weight: Feature | None = weight_of_rows()

    @property
    def weighting(self) -> Weighting:
        """How much rows weigh."""
        return Weighting(self.class_weight, self.sample_weight)

    @property
    def gives_shares(self) -> bool:
        """Whether the shares of classes are asked for."""
        return False

    def check(self, notes: Notes, outputs: Sequence[str]) -> None:
        """Notes a target among the predictors, and outputs that already exist."""
        note_copied(notes, self.target, self.predictors, "model")
        note_taken(notes, self.input, {"output": outputs}, "choose a different name")
        note_row_weight(notes, self.sample_weight, self.target, self.predictors, "predictors")
        if self.class_weight is not None and self.target.type == "numeric":
            notes.error(
                "class_weight", "a numeric target has no classes", "leave `class_weight` out"
            )

    def learn(self, rows: TrainingRows) -> Decision:
        """Grows and prunes a tree, and derives rules from it if the operator uses rules."""
        growth = Growth(self.depth, self.leaf_size, self.pruning, self.seed)
        spec = DecisionSpec(
            self.predictors,
            self.target,
            growth,
            self.sample_size,
            self.nulls,
            self.rules,
            self.gives_shares,
            self.weighting,
        )
        return learn_decision(rows, spec)

    def cases(self, decision: Decision, results: Mapping[int, exp.Expression]) -> exp.Expression:
        """Returns the model as an expression with the given result for each leaf or rule."""
        questions = Questions(decision.encoding, decision.filling)

        def result(i: int) -> exp.Expression:
            return results[i].copy()

        if isinstance(decision.model, RuleList):
            tree = rule_cases(decision.model, questions, result)
        else:
            tree = tree_cases(decision.model, questions, result, self.nulls == "follow")
        if self.nulls == "follow":
            return tree
        return guarded(tree, questions.known(decision.model.used))

    def predictions(self, decision: Decision) -> dict[int, exp.Expression]:
        """Returns the prediction of each leaf or rule as a literal."""
        values = {i: decision.prediction(i) for i in decision.outcomes}
        return {i: text(v) if isinstance(v, str) else double(v) for i, v in values.items()}
