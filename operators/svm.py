"""The operator that learns support vector machines for two or more classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.declare import (
    PREDICTED_CLASS,
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
from miningflow.learn.arrays import Matrix
from miningflow.learn.machines import Machine, Sign
from miningflow.learn.platt import probabilities
from miningflow.sql.block import Block, Source
from miningflow.sql.literals import column, double, text, unused
from miningflow.sql.models.probabilities import shares, sigmoid
from miningflow.train.row_weights import Weighting
from miningflow.train.svm.calibration import calibrated
from miningflow.train.svm.multiclass import classes_of, learn_multiclass
from miningflow.train.svm.saved_machine import SavedMachine
from miningflow.train.svm.training import learn_two_classes

from .svm_compression import Compressible
from .svm_machine import where_machine_learns
from .weights import (
    WeightOfClasses,
    note_class_weights,
    note_row_weight,
    weight_of_classes,
    weight_of_rows,
)


@operator
class SupportVectorMachineForClassification(Compressible):
    """Learns a support vector machine for classes and applies it as plain SQL.

    Adds two features: `output`, the value of the decision function, and `label`, the predicted
    class. With `positive` there are two classes, and a decision value above 0 means the positive
    class. Without it there may be more: a linear machine separates each class from the rest, a
    machine with another kernel separates each pair of classes and votes as in libsvm; `output` is
    then the decision value of the predicted class. `classes` also adds a feature with the decision
    value of each class, such as `output_red`. `probability` adds the probability of the positive
    class or else of the predicted class, and with `classes` that of each class: sigmoids that are
    learned from decisions about rows held out in turn. With `learn_on`, probabilities are corrected
    to the shares of the classes in the rows of `input` that are not held out.

    Predictors are standardised; nominal ones become indicators (one for two categories, otherwise
    one for each). A row with NULL, NaN or infinity in a predictor, or with an unknown value in a
    predictor with two categories, gets NULL instead of a class; `nulls` offers alternatives for
    NULL.

    With `class_weight` and `sample_weight` errors about some rows cost more, as in scikit-learn: C
    is multiplied by the weight of the class of a row and by that of the row itself, in every
    decision that the row is part of. Balanced weights are those of the rows that are learned from.
    Weights of classes move decisions and labels, but not probabilities, which remain those of the
    rows; weights of a feature say how many rows a row stands for, and count in probabilities too.

    A machine learns in memory from at most `sample_size` rows. With `positive` it can also learn
    from all rows inside the database: with `use_db_svm: auto` if there are more than `sample_size`
    complete rows and it is worthwhile, with `always` in any case. The loss `hinge` is that of
    scikit-learn's SVC, `squared_hinge` that of its LinearSVC, which also regularises the intercept.
    The run notes where the machine learned, and the duality gap: an upper bound of the relative
    distance of the objective from its minimum.
    """

    alias: ClassVar[str] = "SVM"
    finds: ClassVar[tuple[str, ...]] = ("SVC", "classify", "predict", "score", "probability")
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
        "the positive class, if there are two; without it there may be more classes",
        default=None,
    )
    classes: tuple[str, ...] | None = literals(
        "all values of the target, to add the decision value of each class",
        minimum=2,
        default=None,
    )
    C: float = number("the cost of training errors", default=1.0, minimum=1e-9)
    class_weight: WeightOfClasses = weight_of_classes()
    sample_weight: Feature | None = weight_of_rows()
    loss: str = choice(
        "the cost of an error: its distance from the margin, or the square of it (linear only)",
        ["hinge", "squared_hinge"],
        default="hinge",
    )
    use_db_svm: str = choice(
        "whether to learn in the database; `auto`: if there are more than `sample_size` rows and "
        "it is worthwhile; true and false mean `always` and `never`",
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
    def weighting(self) -> Weighting:
        """How much rows weigh."""
        return Weighting(self.class_weight, self.sample_weight)

    @property
    def label_name(self) -> str:
        """The feature for the predicted class."""
        return self.label or f"{self.output}_label"

    def prediction_features(self) -> tuple[str, ...]:
        """Names the decision value, the label, and the optional features."""
        found = [self.output, self.label_name]
        found += [] if self.probability is None else [self.probability]
        found += [f"{self.output}_{c}" for c in self.classes or ()]
        if self.probability is not None:
            found += [f"{self.probability}_{c}" for c in self.classes or ()]
        return tuple(found)

    def outline(self, notes: Notes) -> Concept:
        """Adds the decision value, the predicted class, and the optional features."""
        names = self.prediction_features()
        self.check(notes, names, self.target)
        note_row_weight(notes, self.sample_weight, self.target, self.predictors, "predictors")
        note_class_weights(notes, self.class_weight, self.positive, self.classes)
        if self.positive is not None and self.classes is not None:
            notes.error(
                "classes",
                "`classes` and `positive` are both given",
                "give `positive` for two classes, otherwise `classes`",
            )
        if self.positive is None and self.use_db_svm == "always":
            notes.error(
                "use_db_svm",
                "a machine without `positive` cannot learn inside the database",
                "give `positive`, or leave `use_db_svm` out",
            )
        if self.kernel_name != "linear" and self.loss != "hinge":
            notes.error(
                "loss",
                f"a {self.kernel} kernel does not support the loss {self.loss!r}",
                "set `kernel: linear`, or leave `loss` out",
            )
        return self.input.with_features(*(self._feature(name) for name in names))

    def _feature(self, name: str) -> Feature:
        """Returns a feature of the prediction, with the class that its values speak for."""
        if name == self.label_name:
            return Feature(name, self.target.type)
        of_class = {
            f"{stem}_{c}": c for stem in (self.output, self.probability) for c in self.classes or ()
        }
        favoured = PREDICTED_CLASS if self.positive is None else self.positive
        return Feature(name, "numeric", of_class.get(name, favoured))

    def learn(self, rows: TrainingRows) -> SavedMachine:
        """Trains the machine, in the database or in memory."""
        known, filling = self.prepared(rows, self.target)
        spec = self.spec(
            self.target,
            self.C,
            self.use_db_svm,
            tolerance=self.epsilon,
            loss=self.loss,
            weighting=self.weighting,
        )
        if self.positive is None:
            saved = learn_multiclass(known, spec, self.classes, filling)
        else:
            found = learn_two_classes(known, spec, self.positive)
            machine = Machine(found.model, Sign(found.negative, self.positive, False))
            saved = SavedMachine(
                found.encoding,
                machine,
                found.rows,
                found.how,
                filling,
                class_weights=found.class_weights,
            )
        if self.compress is not None:
            saved = self.compressed(known, saved)
        if self.probability is None:
            return saved
        return calibrated(known, spec, saved)

    def revision(self, learns_elsewhere: bool) -> int:
        """Counts on where probabilities are corrected to the rows that they are about."""
        return self.version + (learns_elsewhere and self.probability is not None)

    def where_it_learns(self) -> str:
        """Describes where the machine will learn."""
        if self.positive is None:
            return super().where_it_learns()
        return where_machine_learns(self.use_db_svm, self.sample_size)

    def emit(self, inputs: Mapping[str, Source], artifact: Any) -> Block:
        """Computes decision values and the label, then the features derived from them."""
        saved: SavedMachine = artifact
        names = self._decision_names(saved)
        block = self.decided(inputs, saved, [*names, self.label_name])
        if names == [self.output] and not saved.sigmoids:
            return block
        block = block.layered()
        values = [column(name) for name in names]
        block = block.extend(self._by_class(saved, values, self.output))
        return self._with_probabilities(block, saved, names) if saved.sigmoids else block

    def expected(self, columns: Mapping[str, npt.NDArray[Any]], artifact: Any) -> Expected:
        """Computes the predictions without SQL."""
        saved: SavedMachine = artifact
        predicted = saved.predict(columns)
        values = self._numbers(saved, predicted.decisions, predicted.labels, self.output)
        if self.probability is not None:
            found = probabilities(saved.sigmoids, predicted.decisions)
            values |= self._numbers(saved, found, predicted.labels, self.probability)
        values[self.label_name] = predicted.labels
        return Expected(values, predicted.known, predicted.margins, predicted.scale)

    def _decision_names(self, saved: SavedMachine) -> list[str]:
        """Names the values that the machine computes: one for two classes, or one for each."""
        if self.positive is not None:
            return [self.output]
        taken = [*self.input.features, *self.prediction_features()]
        count = len(saved.machine.model.intercepts)
        if not isinstance(saved.machine.result, Sign):
            count = len(classes_of(saved.machine))
        return [unused(f"decision {i + 1}", taken) for i in range(count)]

    def _by_class(
        self, saved: SavedMachine, values: Sequence[exp.Expression], name: str
    ) -> dict[str, exp.Expression]:
        """Returns the value of the positive or predicted class, and that of each of `classes`."""
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
                exp.If(this=column(self.label_name).eq(text(c)), true=tree)
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
        return block.extend(self._by_class(saved, trees, self.probability))

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
