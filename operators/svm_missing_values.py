"""The operator that fills missing values by a support vector machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    Notes,
    TrainingRows,
    choice,
    feature,
    new_feature,
    number,
    operator,
)
from miningflow.learn.machines import Machine, Prediction
from miningflow.sql.block import Block, Source
from miningflow.sql.literals import column, unused
from miningflow.train.row_weights import Weighting
from miningflow.train.svm.saved_machine import SavedMachine
from miningflow.train.svm.training import learn_number

from .svm_machine import SupportVectorMachine, where_machine_learns
from .weights import note_row_weight, weight_of_rows


@operator
class MissingValuesWithRegressionSVM(SupportVectorMachine):
    """Replaces missing values of a numeric feature by the predictions of a support vector machine.

    The machine learns from the rows in which the feature is known, in the same way as
    SupportVectorMachineForRegression; C and epsilon are in the units of the feature. A row that
    also has NULL in a predictor keeps its NULL, unless `nulls` is `impute`.
    """

    scores: ClassVar[bool] = False
    alias: ClassVar[str] = "FillSVM"
    finds: ClassVar[tuple[str, ...]] = (
        "impute",
        "missing values",
        "NaN",
        "null",
        "model imputation",
    )
    example: ClassVar[str] = """
    guessed:
      operator: MissingValuesWithRegressionSVM
      input: Customer
      target: income
      predictors: [age, household]
      kernel: linear
      C: 100
      epsilon: 10
    """

    target: Feature = feature("the feature to fill", types=["numeric"])
    C: float = number("the cost of training errors", default=1.0, minimum=1e-9)
    sample_weight: Feature | None = weight_of_rows()
    epsilon: float = number("the size up to which errors cost nothing", default=0.1, minimum=0)
    use_db_svm: str = choice(
        "whether to learn in the database; `auto`: if there are more than `sample_size` rows and "
        "it is worthwhile; true and false mean `always` and `never`",
        ["auto", "always", "never"],
        default="auto",
    )
    output: str | None = new_feature(
        "the filled feature; by default it replaces `target`", default=None
    )

    @property
    def weighting(self) -> Weighting:
        """How much rows weigh."""
        return Weighting(feature=self.sample_weight)

    def outline(self, notes: Notes) -> Concept:
        """Fills the target, or adds the filled feature."""
        self.check(notes, [] if self.output is None else [self.output], self.target)
        note_row_weight(notes, self.sample_weight, self.target, self.predictors, "predictors")
        return self.input.with_features(Feature(self.output or self.target.name, "numeric"))

    def learn(self, rows: TrainingRows) -> SavedMachine:
        """Trains the machine, in the database or in memory."""
        known, filling = self.prepared(rows, self.target)
        spec = self.spec(
            self.target,
            self.C,
            self.use_db_svm,
            tolerance=1e-3,
            epsilon=self.epsilon,
            weighting=self.weighting,
        )
        found = learn_number(known, spec)
        machine = Machine(found.model, Prediction())
        return SavedMachine(found.encoding, machine, found.rows, found.how, filling)

    def where_it_learns(self) -> str:
        """Describes where the machine will learn."""
        return where_machine_learns(self.use_db_svm, self.sample_size)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Returns the known value, or otherwise the prediction."""
        predicted = unused("predicted", [*self.input.features, self.output or ""])
        block = self.decided(inputs, artifact, [predicted]).layered()
        filled = exp.Coalesce(this=column(self.target.name), expressions=[column(predicted)])
        return block.extend({self.output or self.target.name: filled})
