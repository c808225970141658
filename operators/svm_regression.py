"""The support vector machine for numbers."""

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

from .svm_machine import SupportVectorMachine, where
from .svm_saved import SavedMachine
from .svm_training import learn_number


@operator
class SupportVectorMachineForRegression(SupportVectorMachine):
    """Learns a support vector machine for a numeric target and applies it as plain SQL.

    Adds one feature, the predicted number. Predictors are treated as for classification; C and
    epsilon are in the units of the target.
    """

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

    target: Feature = feature("the number to predict", types=["numeric"])
    C: float = number("the price of training errors", default=1.0, minimum=1e-9)
    epsilon: float = number("errors up to this size cost nothing", default=0.1, minimum=0)
    use_db_svm: str = choice(
        "whether to learn in the database; `auto`: above `sample_size` rows, where it pays; true "
        "and false mean `always` and `never`",
        ["auto", "always", "never"],
        default="auto",
    )
    output: str = new_feature("the feature for the predicted number")

    def prediction_features(self) -> tuple[str, ...]:
        """Names the predicted number."""
        return (self.output,)

    def outline(self, notes: Notes) -> Concept:
        """Adds the predicted number."""
        self.check(notes, [self.output], self.target)
        return self.input.with_features(Feature(self.output, "numeric"))

    def learn(self, rows: TrainingRows) -> SavedMachine:
        """Trains the machine, in the database or in memory."""
        known, filling = self.prepared(rows)
        wish = self.wish(self.target, self.C, self.use_db_svm, tolerance=1e-3, epsilon=self.epsilon)
        found = learn_number(known, wish)
        machine = Machine(found.model, Prediction())
        return SavedMachine(found.encoding, machine, found.rows, found.how, filling)

    def foreseen(self) -> str:
        """Tells where the machine will learn."""
        return where(self.use_db_svm, self.sample_size)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Computes the predicted number."""
        return self.decided(inputs, artifact, [self.output])

    def expected(self, columns: Mapping[str, npt.NDArray[Any]], artifact: Any) -> Expected:
        """Computes what the SQL should compute."""
        saved: SavedMachine = artifact
        told = saved.foretell(columns)
        values = {self.output: told.decisions[:, 0]}
        return Expected(values, told.known, told.margins, told.scale)
