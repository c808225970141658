"""Support vector machines: learned in memory or, if linear, in the database; applied as SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    LearningError,
    Notes,
    Operator,
    TrainingRows,
    choice,
    concept,
    feature,
    features,
    integer,
    literal,
    new_feature,
    number,
    operator,
)
from miningflow.declare.operator import Family
from miningflow.learn.encoding import Encoding
from miningflow.learn.linear_training import train_squared_hinge
from miningflow.learn.margins import RowsInMemory
from miningflow.learn.svm import Kernel, LinearModel, RadialModel, fit_classifier, fit_regressor
from miningflow.sql.block import Block, Source, over
from miningflow.sql.literals import column, double, text
from miningflow.sql.models.linear import linear_decision
from miningflow.sql.models.radial import radial_decision

from .classes import positive_rows, two_classes
from .predictors import PREDICTOR_TYPES, fetch_predictors, refuse_few_rows
from .svm_database import (
    Complete,
    count_complete,
    encoding_in_database,
    other_class,
    train_in_database,
)

# Beyond this a decision is infinite or NaN, which compares as greater than everything.
GREATEST = 1e300
# The relative duality gap up to which a machine from the database is taken.
WIDEST_GAP = 1e-3
# A curvature is a sum for each pair of columns: 30 columns took 6 seconds to plan, 50 took 20.
MOST_COLUMNS = 30


@dataclass(frozen=True)
class Machine:
    """A support vector machine: how predictors are encoded, and how it decides."""

    encoding: Encoding
    model: LinearModel | RadialModel
    rows: int


@dataclass(frozen=True)
class Classifier:
    """A machine that tells two classes apart."""

    machine: Machine
    positive: str
    negative: str


@operator
class SupportVectorMachine(Operator):
    """What both machines share: predictors, kernel, and the decision function as SQL."""

    family: ClassVar[Family] = "learning"
    scores: ClassVar[bool] = True

    input: Concept = concept("the concept whose rows are predicted, and learned from")
    predictors: tuple[Feature, ...] = features(
        "the features to predict from", types=PREDICTOR_TYPES, minimum=1
    )
    kernel: str = choice("the kernel of the machine", ["linear", "radial"], default="radial")
    C: float = number("the price of training errors", default=1.0, minimum=1e-9)
    gamma: float | None = number(
        "the width of the radial kernel; by default 1 / number of columns",
        default=None,
        minimum=1e-12,
    )
    sample_size: int = integer("how many rows to learn from at most", default=10_000, minimum=10)
    seed: int = integer("another seed draws other rows", default=0)

    def decided(self, inputs: Mapping[str, Source], machine: Machine, output: str) -> Block:
        """Adds the value of the decision function to the input."""
        rows = over(inputs[self.input.name])
        if isinstance(machine.model, LinearModel):
            return rows.extend({output: linear_decision(machine.model, machine.encoding)})
        return radial_decision(machine.model, machine.encoding, rows, output)

    def check(self, notes: Notes, target: Feature, outputs: tuple[str, ...]) -> None:
        """Notes a target among the predictors, and outputs that exist already."""
        if any(f.name == target.name for f in self.predictors):
            notes.mistake(
                "predictors",
                f"the target {target.name!r} is among the predictors",
                f"remove {target.name!r}: with it the machine would only copy the answer",
            )
        for name in outputs:
            if any(name.casefold() == f.casefold() for f in self.input.features):
                notes.mistake(
                    "output",
                    f"{self.input.name!r} already has a feature {name!r}",
                    "give another name",
                )


@operator
class SupportVectorMachineForClassification(SupportVectorMachine):
    """Learns a support vector machine for two classes and applies it as plain SQL.

    Adds two features: `output`, the value of the decision function (above 0 means the positive
    class), and `label`, the predicted class. Predictors are standardised; nominal ones become
    indicators (one for two categories, otherwise one each). A row with NULL in a predictor, or with
    a value that a two-valued predictor never had, gets NULL and no made-up class.

    A machine learns in memory from at most `sample_size` rows. A linear one can also learn from all
    rows inside the database, each pass over them being one aggregate query: with `use_db_svm: auto`
    it does if there are more than `sample_size` complete rows, with `always` in any case. The loss
    `hinge` is that of scikit-learn's SVC, `squared_hinge` that of its LinearSVC, which regularises
    the intercept as well; the latter takes fewer passes. The run notes the duality gap: how far,
    at most and relative, the objective is from the least.
    """

    example: ClassVar[str] = """
    with_risk:
      operator: SupportVectorMachineForClassification
      input: Customer
      target: lapsed
      positive: 'yes'
      predictors: [age, household, region]
      kernel: radial
      output: risk
    """
    version: ClassVar[int] = 2
    learns: ClassVar[type[Any] | None] = Classifier

    target: Feature = feature("the class label", types=["binary", "nominal"])
    positive: str = literal("the value of the target that is the positive class")
    loss: str = choice(
        "what an error costs: its distance from the margin, or the square of it (linear only)",
        ["hinge", "squared_hinge"],
        default="hinge",
    )
    use_db_svm: str = choice(
        "whether a linear machine learns in the database; `auto`: above `sample_size` rows",
        ["auto", "always", "never"],
        default="auto",
    )
    epsilon: float = number(
        "the tolerance of the solver in memory, for `hinge`", default=1e-3, minimum=1e-9
    )
    output: str = new_feature("the feature for the value of the decision function")
    label: str | None = new_feature(
        "the feature for the predicted class; by default `output` with '_label'", default=None
    )

    def prediction_features(self) -> tuple[str, ...]:
        """Names the decision value and the label."""
        return self.output, self.label or f"{self.output}_label"

    def outline(self, notes: Notes) -> Concept:
        """Adds the decision value and the predicted class."""
        decision, label = self.prediction_features()
        self.check(notes, self.target, (decision, label))
        if self.kernel != "linear" and self.use_db_svm == "always":
            notes.mistake(
                "use_db_svm",
                f"a machine with a {self.kernel} kernel cannot learn inside the database",
                "give `kernel: linear`, or leave `use_db_svm` out",
            )
        if self.kernel != "linear" and self.loss != "hinge":
            notes.mistake(
                "loss",
                f"a machine with a {self.kernel} kernel has no loss {self.loss!r}",
                "give `kernel: linear`, or leave `loss` out",
            )
        return self.input.with_features(
            Feature(decision, "numeric"), Feature(label, self.target.type)
        )

    def learn(self, rows: TrainingRows) -> Classifier:
        """Trains the machine, in the database or in memory."""
        if self.kernel == "linear" and self.use_db_svm != "never":
            complete = count_complete(rows, self.predictors, self.target)
            if self.use_db_svm == "always" or complete.count > self.sample_size:
                found = self._learn_in_database(rows, complete)
                if found is not None:
                    return found
        return self._learn_in_memory(rows)

    def _learn_in_memory(self, rows: TrainingRows) -> Classifier:
        data = fetch_predictors(rows, self.predictors, self.target, self.sample_size, self.seed)
        labels = data.columns[self.target.name]
        positive = positive_rows(labels, self.target, self.positive)
        negative = two_classes(labels, self.target, self.positive)
        rows.progress(0.0, f"training on {len(labels):,} rows")
        model: LinearModel | RadialModel
        if self.loss == "squared_hinge":
            signs = np.where(positive, 1.0, -1.0)
            model = train_squared_hinge(RowsInMemory(data.matrix, signs), self.C).model
        else:
            kernel = cast(Kernel, self.kernel)
            model = fit_classifier(data.matrix, positive, kernel, self.C, self.gamma, self.epsilon)
        where = f", in memory (use_db_svm: {self.use_db_svm})" if self.kernel == "linear" else ""
        _describe(rows, model, len(labels), where)
        return Classifier(Machine(data.encoding, model, len(labels)), self.positive, negative)

    def _learn_in_database(self, rows: TrainingRows, complete: Complete) -> Classifier | None:
        """Trains on all rows; gives None if that cannot be and learning in memory is allowed."""
        refuse_few_rows(complete.count)
        negative = other_class(rows, complete, self.target, self.positive)
        encoding = encoding_in_database(rows, complete, self.predictors)
        if encoding.width > MOST_COLUMNS:
            self._not_in_database(
                rows,
                f"the predictors are {encoding.width} encoded columns; learning in the database "
                f"takes {MOST_COLUMNS}",
                "give fewer predictors or categories",
            )
            return None
        found = train_in_database(
            rows, encoding, self.target.name, self.positive, complete.count, self.loss, self.C
        )
        trained = found.trained
        how = f"{found.passes} passes, duality gap {trained.gap:.1e}"
        if trained.gap > WIDEST_GAP:
            self._not_in_database(
                rows,
                f"too many rows lie on the margin to learn in the database ({how})",
                "give `loss: squared_hinge`",
            )
            return None
        why = "asked for" if self.use_db_svm == "always" else f"more than {self.sample_size:,}"
        where = f", in the database (use_db_svm: {self.use_db_svm}, {why}): {how}"
        _describe(rows, trained.model, complete.count, where)
        machine = Machine(encoding, trained.model, complete.count)
        return Classifier(machine, self.positive, negative)

    def _not_in_database(self, rows: TrainingRows, reason: str, remedy: str) -> None:
        """Tells why, if learning in memory will do; stops if it was not to happen."""
        if self.use_db_svm == "always":
            raise LearningError(reason, f"{remedy}, or learn in memory with `use_db_svm: never`")
        rows.note(f"{reason}; learned in memory instead")

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Computes the decision value, then the label from it."""
        decision, label = self.prediction_features()
        block = self.decided(inputs, artifact.machine, decision).layered()
        value = column(decision)
        finite = exp.Between(this=value, low=double(-GREATEST), high=double(GREATEST))
        chosen = exp.Case(
            ifs=[
                exp.If(
                    this=exp.And(
                        this=exp.GT(this=value.copy(), expression=double(0)), expression=finite
                    ),
                    true=text(artifact.positive),
                ),
                exp.If(
                    this=exp.And(
                        this=exp.LTE(this=value.copy(), expression=double(0)),
                        expression=finite.copy(),
                    ),
                    true=text(artifact.negative),
                ),
            ]
        )
        return block.extend({label: chosen})


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
    learns: ClassVar[type[Any] | None] = Machine

    target: Feature = feature("the number to predict", types=["numeric"])
    epsilon: float = number("errors up to this size cost nothing", default=0.1, minimum=0)
    output: str = new_feature("the feature for the predicted number")

    def prediction_features(self) -> tuple[str, ...]:
        """Names the predicted number."""
        return (self.output,)

    def outline(self, notes: Notes) -> Concept:
        """Adds the predicted number."""
        self.check(notes, self.target, (self.output,))
        return self.input.with_features(Feature(self.output, "numeric"))

    def learn(self, rows: TrainingRows) -> Machine:
        """Trains the machine."""
        data = fetch_predictors(rows, self.predictors, self.target, self.sample_size, self.seed)
        numbers = data.columns[self.target.name]
        rows.progress(0.0, f"training on {len(numbers):,} rows")
        kernel = cast(Kernel, self.kernel)
        model = fit_regressor(
            data.matrix, numbers, kernel, self.C, self.gamma, self.epsilon, tolerance=1e-3
        )
        _describe(rows, model, len(numbers))
        return Machine(data.encoding, model, len(numbers))

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Computes the predicted number."""
        return self.decided(inputs, artifact, self.output)


def _describe(
    rows: TrainingRows, model: LinearModel | RadialModel, count: int, where: str = ""
) -> None:
    if isinstance(model, RadialModel):
        rows.note(f"{len(model.coefficients):,} support vectors from {count:,} rows")
    else:
        rows.note(f"{len(model.weights)} weights from {count:,} rows{where}")
