"""The operator that learns a support vector machine for one class, to find unusual rows."""

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
    literal,
    new_feature,
    number,
    operator,
)
from miningflow.learn.machines import Machine, Sign
from miningflow.learn.svm import fit_one_class, kernel_of
from miningflow.sql.block import Block, Source
from miningflow.train.predictors import fetch_predictors
from miningflow.train.svm.saved_machine import SavedMachine

from .svm_compression import Compressible


@operator
class SupportVectorMachineForOneClass(Compressible):
    """Learns what rows usually look like, without a class label, and marks unusual ones.

    Adds two features: `output`, the value of the decision function, and `label`: above 0 a row is
    `usual`, otherwise `unusual`. About a share `nu` of the training rows is unusual. Predictors are
    treated as by SupportVectorMachineForClassification. The machine learns in memory.
    """

    alias: ClassVar[str] = "OneClassSVM"
    finds: ClassVar[tuple[str, ...]] = ("outlier", "anomaly", "novelty", "unsupervised")
    example: ClassVar[str] = """
    watched:
      operator: SupportVectorMachineForOneClass
      input: Customer
      predictors: [age, household, region]
      nu: 0.05
      output: familiarity
    """

    nu: float = number(
        "the share of training rows that are unusual", default=0.1, minimum=1e-4, maximum=1.0
    )
    epsilon: float = number("the tolerance of the solver", default=1e-3, minimum=1e-9)
    usual: str = literal("the label of usual rows", default="usual")
    unusual: str = literal("the label of unusual rows", default="unusual")
    output: str = new_feature("the feature for the value of the decision function")
    label: str | None = new_feature(
        "the feature for the label; by default `output` with '_label'", default=None
    )

    def prediction_features(self) -> tuple[str, ...]:
        """Names the decision value and the label."""
        return self.output, self.label or f"{self.output}_label"

    def outline(self, notes: Notes) -> Concept:
        """Adds the decision value and the label."""
        decision, label = self.prediction_features()
        self.check(notes, [decision, label])
        if self.usual == self.unusual:
            notes.error("unusual", f"both labels are {self.usual!r}", "give different labels")
        return self.input.with_features(Feature(decision, "numeric"), Feature(label, "binary"))

    def learn(self, rows: TrainingRows) -> SavedMachine:
        """Trains the machine in memory."""
        known, filling = self.prepared(rows)
        data = fetch_predictors(known, self.predictors, None, self.sample_size, self.seed)
        count = len(data.matrix)
        rows.progress(0.0, f"training on {count:,} rows")
        kernel = kernel_of(
            self.kernel_name, self.gamma, self.degree, self.kernel_constant, data.matrix
        )
        model = fit_one_class(data.matrix, kernel, self.nu, self.epsilon)
        machine = Machine(model, Sign(self.unusual, self.usual, zero_is_above=False))
        saved = SavedMachine(data.encoding, machine, count, "in memory", filling)
        return saved if self.compress is None else self.compressed(known, saved)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Computes the decision value and the label."""
        return self.decided(inputs, artifact, self.prediction_features())

    def expected(self, columns: Mapping[str, npt.NDArray[Any]], artifact: Any) -> Expected:
        """Computes the predictions without SQL."""
        saved: SavedMachine = artifact
        predicted = saved.predict(columns)
        output, label = self.prediction_features()
        values = {output: predicted.decisions[:, 0], label: predicted.labels}
        return Expected(values, predicted.known, predicted.margins, predicted.scale)
