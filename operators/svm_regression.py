"""The operator that learns a support vector machine for a numeric target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy.typing as npt

from miningflow.declare import (
    Concept,
    Expected,
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
from miningflow.train.row_weights import Weighting
from miningflow.train.svm.saved_machine import SavedMachine
from miningflow.train.svm.training import learn_number

from .svm_machine import SupportVectorMachine, where_machine_learns
from .weights import note_row_weight, weight_of_rows


@operator
class SupportVectorMachineForRegression(SupportVectorMachine):
    """Learns a support vector machine for a numeric target and applies it as plain SQL.

    Adds `output`, the predicted number. Predictors are treated as by
    SupportVectorMachineForClassification; C and epsilon are in the units of the target, and
    `sample_weight` multiplies C.
    """

    alias: ClassVar[str] = "SVR"
    finds: ClassVar[tuple[str, ...]] = ("SVM", "regression", "predict", "forecast")
    example: ClassVar[str] = """
    estimated:
      operator: SupportVectorMachineForRegression
      input: Customer
      target: income
      predictors: [age, household]
      kernel: linear
      C: 100
      epsilon: 10
      output: income_estimate
    """

    target: Feature = feature("the feature to predict", types=["numeric"])
    C: float = number("the cost of training errors", default=1.0, minimum=1e-9)
    sample_weight: Feature | None = weight_of_rows()
    epsilon: float = number("the size up to which errors cost nothing", default=0.1, minimum=0)
    use_db_svm: str = choice(
        "whether to learn in the database; `auto`: if there are more than `sample_size` rows and "
        "it is worthwhile; true and false mean `always` and `never`",
        ["auto", "always", "never"],
        default="auto",
    )
    output: str = new_feature("the feature for the predicted number")

    def prediction_features(self) -> tuple[str, ...]:
        """Names the predicted number."""
        return (self.output,)

    @property
    def weighting(self) -> Weighting:
        """How much rows weigh."""
        return Weighting(feature=self.sample_weight)

    def outline(self, notes: Notes) -> Concept:
        """Adds the predicted number."""
        self.check(notes, [self.output], self.target)
        note_row_weight(notes, self.sample_weight, self.target, self.predictors, "predictors")
        return self.input.with_features(Feature(self.output, "numeric"))

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
        """Computes the predicted number."""
        return self.decided(inputs, artifact, [self.output])

    def expected(self, columns: Mapping[str, npt.NDArray[Any]], artifact: Any) -> Expected:
        """Computes the predictions without SQL."""
        saved: SavedMachine = artifact
        predicted = saved.predict(columns)
        values = {self.output: predicted.decisions[:, 0]}
        return Expected(values, predicted.known, predicted.margins, predicted.scale)
