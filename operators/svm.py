"""Support vector machines for classes: two or more, with probabilities if wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.declare import (
    Concept,
    Expected,
    Feature,
    Notes,
    TrainingRows,
    choice,
    feature,
    literal,
    literals,
    new_feature,
    number,
    operator,
)
from miningflow.learn.machines import Machine, Sign
from miningflow.learn.platt import probabilities
from miningflow.sql.block import Block, Source
from miningflow.sql.literals import column, double, text, unused
from miningflow.sql.models.probabilities import shares, sigmoid

from .svm_calibration import calibrated
from .svm_classes import classes_of, learn_classes
from .svm_compression import Compressible
from .svm_machine import where
from .svm_saved import SavedMachine
from .svm_training import learn_two_classes

Matrix = npt.NDArray[np.float64]


@operator
class SupportVectorMachineForClassification(Compressible):
    """Learns a support vector machine for classes and applies it as plain SQL.

    Adds two features: `output`, the value of the decision function, and `label`, the predicted
    class. With `positive` there are two classes, and a value above 0 means the positive one.
    Without it there may be more: with a linear kernel the machine tells each from the rest, with
    another one each from each, and they vote as in libsvm; `output` is then the value of the
    predicted class. With `classes` there is a feature for the value of each class besides, such as
    `output_red`. `probability` adds the probability of the positive or else of the predicted class,
    and with `classes` that of each: sigmoids, learned from decisions about rows held out in turn.

    Predictors are standardised; nominal ones become indicators (one for two categories, otherwise
    one each). A row with NULL in a predictor, NaN, infinity, or a value that a two-valued predictor
    never had, gets NULL and no made-up class; `nulls` says what else may happen to NULL.

    A machine learns in memory from at most `sample_size` rows. With `positive` it can also learn
    from all rows inside the database: with `use_db_svm: auto` it does if there are more than
    `sample_size` complete rows and it pays, with `always` in any case. The loss `hinge` is that of
    scikit-learn's SVC, `squared_hinge` that of its LinearSVC, which regularises the intercept as
    well. The run notes the way that was taken, and the duality gap: how far, at most and relative,
    the objective is from the least.
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

    target: Feature = feature("the class label", types=["binary", "nominal"])
    positive: str | None = literal(
        "the value of the target that is the positive class; without it there may be many classes",
        default=None,
    )
    classes: tuple[str, ...] | None = literals(
        "all values of the target, if each shall have a decision value of its own",
        minimum=2,
        default=None,
    )
    C: float = number("the price of training errors", default=1.0, minimum=1e-9)
    loss: str = choice(
        "what an error costs: its distance from the margin, or the square of it (linear only)",
        ["hinge", "squared_hinge"],
        default="hinge",
    )
    use_db_svm: str = choice(
        "whether to learn in the database; `auto`: above `sample_size` rows, where it pays; true "
        "and false mean `always` and `never`",
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
    probability: str | None = new_feature("the feature for the probability", default=None)

    @property
    def label_name(self) -> str:
        """The feature for the predicted class."""
        return self.label or f"{self.output}_label"

    def prediction_features(self) -> tuple[str, ...]:
        """Names the decision value, the label, and what was asked for besides."""
        found = [self.output, self.label_name]
        found += [] if self.probability is None else [self.probability]
        found += [f"{self.output}_{c}" for c in self.classes or ()]
        if self.probability is not None:
            found += [f"{self.probability}_{c}" for c in self.classes or ()]
        return tuple(found)

    def outline(self, notes: Notes) -> Concept:
        """Adds the decision value, the predicted class, and what was asked for besides."""
        names = self.prediction_features()
        self.check(notes, names, self.target)
        if self.positive is not None and self.classes is not None:
            notes.mistake(
                "classes",
                "`classes` and `positive` are both given",
                "two classes need `positive` alone, more need none",
            )
        if self.positive is None and self.use_db_svm == "always":
            notes.mistake(
                "use_db_svm",
                "a machine without `positive` cannot learn inside the database",
                "give `positive`, or leave `use_db_svm` out",
            )
        if self.kernel_name != "linear" and self.loss != "hinge":
            notes.mistake(
                "loss",
                f"a machine with a {self.kernel} kernel has no loss {self.loss!r}",
                "give `kernel: linear`, or leave `loss` out",
            )
        label = self.label_name
        return self.input.with_features(
            *(Feature(n, self.target.type if n == label else "numeric") for n in names)
        )

    def learn(self, rows: TrainingRows) -> SavedMachine:
        """Trains the machine, in the database or in memory."""
        known, filling = self.prepared(rows)
        wish = self.wish(
            self.target, self.C, self.use_db_svm, tolerance=self.epsilon, loss=self.loss
        )
        if self.positive is None:
            saved = learn_classes(known, wish, self.classes, filling)
        else:
            found = learn_two_classes(known, wish, self.positive)
            machine = Machine(found.model, Sign(found.negative, self.positive, False))
            saved = SavedMachine(found.encoding, machine, found.rows, found.how, filling)
        if self.compress is not None:
            saved = self.compressed(known, saved)
        if self.probability is None:
            return saved
        return calibrated(known, wish, saved)

    def foreseen(self) -> str:
        """Tells where the machine will learn."""
        if self.positive is None:
            return super().foreseen()
        return where(self.use_db_svm, self.sample_size)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Computes decision values and the label, then what follows from them."""
        saved: SavedMachine = artifact
        names = self._decision_names(saved)
        block = self.decided(inputs, saved, [*names, self.label_name])
        if names == [self.output] and not saved.sigmoids:
            return block
        block = block.layered()
        values = [column(name) for name in names]
        block = block.extend(self._told(saved, values, self.output))
        return self._with_probabilities(block, saved, names) if saved.sigmoids else block

    def expected(self, columns: Mapping[str, npt.NDArray[Any]], artifact: Any) -> Expected:
        """Computes what the SQL should compute."""
        saved: SavedMachine = artifact
        told = saved.foretell(columns)
        values = self._numbers(saved, told.decisions, told.labels, self.output)
        if self.probability is not None:
            found = probabilities(saved.sigmoids, told.decisions)
            values |= self._numbers(saved, found, told.labels, self.probability)
        values[self.label_name] = told.labels
        return Expected(values, told.known, told.margins, told.scale)

    def _decision_names(self, saved: SavedMachine) -> list[str]:
        """Names what the machine itself computes: one value for two classes, or one for each."""
        if self.positive is not None:
            return [self.output]
        taken = [*self.input.features, *self.prediction_features()]
        count = len(saved.machine.model.intercepts)
        if not isinstance(saved.machine.result, Sign):
            count = len(classes_of(saved.machine))
        return [unused(f"decision {i + 1}", taken) for i in range(count)]

    def _told(
        self, saved: SavedMachine, values: Sequence[exp.Expression], name: str
    ) -> dict[str, exp.Expression]:
        """Gives the value of the positive or predicted class, and that of each declared one."""
        if self.positive is not None:
            return {name: values[0]}
        classes = classes_of(saved.machine)
        trees = list(values)
        if len(trees) == 1:
            other: exp.Expression = exp.Neg(this=values[0].copy())
            if name == self.probability:
                other = exp.Sub(this=double(1), expression=values[0].copy())
            trees = [other, values[0]]
        chosen = exp.Case(
            ifs=[
                exp.If(this=exp.EQ(this=column(self.label_name), expression=text(c)), true=tree)
                for c, tree in zip(classes, trees, strict=True)
            ]
        )
        each = {f"{name}_{c}": t for c, t in zip(classes, trees, strict=True) if self.classes}
        return {name: chosen, **each}

    def _with_probabilities(self, block: Block, saved: SavedMachine, names: list[str]) -> Block:
        assert self.probability is not None
        block = block.layered()
        curves = zip(names, saved.sigmoids, strict=True)
        trees = [sigmoid(name, curve.a, curve.b) for name, curve in curves]
        if len(trees) > 1:
            hidden = [unused(f"sigmoid {i + 1}", block.columns) for i in range(len(trees))]
            block = block.extend(dict(zip(hidden, trees, strict=True))).layered()
            trees = shares(hidden)
        return block.extend(self._told(saved, trees, self.probability))

    def _numbers(
        self, saved: SavedMachine, values: Matrix, labels: npt.NDArray[Any], name: str
    ) -> dict[str, npt.NDArray[Any]]:
        if self.positive is not None:
            return {name: values[:, 0]}
        classes = classes_of(saved.machine)
        if values.shape[1] == 1:
            other = 1 - values if name == self.probability else -values
            values = np.hstack([other, values])
        chosen = np.array([list(classes).index(label) for label in labels], dtype=np.intp)
        each = {f"{name}_{c}": values[:, i] for i, c in enumerate(classes) if self.classes}
        return {name: values[np.arange(len(values)), chosen], **each}
