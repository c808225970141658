"""What decision trees and decision rules share: predictors, learning, and their SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
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
    number,
    operator,
)
from miningflow.declare.operator import Family
from miningflow.learn.encoding import Encoding
from miningflow.learn.rules import RuleList, learn_rules
from miningflow.learn.trees import LARGEST, Growth, Tree, grow
from miningflow.sql.literals import double, text
from miningflow.sql.models.questions import Questions
from miningflow.sql.models.trees import guarded, rule_cases, tree_cases

from .missing_values import stand_ins
from .outputs import note_copied, note_taken
from .predictors import PREDICTOR_TYPES, fetch_predictors

MOST_CLASSES = 100


@dataclass(frozen=True)
class Decision:
    """What was learned: how predictors are encoded, a tree or rules, and the classes they tell."""

    encoding: Encoding
    model: Tree | RuleList
    classes: tuple[str, ...]
    """The classes in their order; none if a number is told."""
    rows: int
    pruning: float
    filling: dict[str, str | float] = field(default_factory=dict)

    def values(self, outcome: int) -> npt.NDArray[np.float64]:
        """Gives the share of each class, or the number, of a leaf or a rule."""
        if isinstance(self.model, Tree):
            return np.asarray(self.model.values[outcome])
        return np.array(self.model.rules[outcome].values)

    def told(self, outcome: int) -> str | float:
        """Gives the class or the number that a leaf or a rule tells; of equals the first class."""
        values = self.values(outcome)
        return self.classes[int(values.argmax())] if self.classes else float(values[0])

    @property
    def outcomes(self) -> list[int]:
        """The leaves of the tree, or the rules."""
        if isinstance(self.model, Tree):
            return self.model.leaves
        return list(range(len(self.model.rules)))


@operator
class DecisionModel(Operator):
    """What all share: predictors, how to learn, and what NULL means."""

    family: ClassVar[Family] = "learning"
    learns: ClassVar[type[Any] | None] = Decision
    rules: ClassVar[bool] = False

    input: Concept = concept("the concept whose rows are predicted, and learned from")
    target: Feature = feature("what to predict", types=["nominal", "binary", "numeric"])
    predictors: tuple[Feature, ...] = features(
        "the features to predict from", types=PREDICTOR_TYPES, minimum=1
    )
    depth: int = integer("how many questions lead to an answer at most", 10, minimum=1, maximum=30)
    leaf_size: int = integer("how many rows an answer is learned from at least", 5, minimum=1)
    pruning: float | None = number(
        "how much a question must gain, as a share of the impurity of all rows: 0 prunes nothing; "
        "by default what errs least in cross-validation, within one standard error",
        default=None,
        minimum=0,
        maximum=1,
    )
    sample_size: int = integer("how many rows to learn from at most", default=10_000, minimum=10)
    seed: int = integer("another seed draws other rows and other folds", default=0)
    nulls: str = choice(
        "what a row with NULL in a predictor that is asked about gets: `propagate`: NULL; "
        "`impute`: what it gets with the mean or the most frequent category of the rows learned "
        "from",
        ["propagate", "impute"],
        default="propagate",
    )

    def check(self, notes: Notes, outputs: Sequence[str]) -> None:
        """Notes a target among the predictors, and outputs that exist."""
        note_copied(notes, self.target, self.predictors, "model")
        note_taken(notes, self.input, {"output": outputs}, "give another name")

    def learn(self, rows: TrainingRows) -> Decision:
        """Grows and prunes a tree, and makes rules of it if they are wanted."""
        filling: dict[str, str | float] = {}
        if self.nulls == "impute":
            filling = stand_ins(rows, self.predictors)
            rows = rows.filled(filling)
        data = fetch_predictors(
            rows,
            self.predictors,
            self.target,
            self.sample_size,
            self.seed,
            standardize=False,
            incomplete=self.nulls == "follow",
        )
        _refuse_large(data.columns, self.predictors)
        labels = data.columns[self.target.name]
        classes: tuple[str, ...] = ()
        y: npt.NDArray[Any] = labels
        if self.target.type != "numeric":
            classes = tuple(sorted(set(labels)))
            _refuse_many_classes(self.target.name, len(classes))
            y = np.searchsorted(np.array(classes, dtype=object), labels).astype(np.intp)
        number_of_classes = len(classes) or None
        growth = Growth(self.depth, self.leaf_size, self.pruning, self.seed)
        model: Tree | RuleList
        model, found = grow(data.matrix, y, number_of_classes, growth)
        if self.rules:
            model = learn_rules(model, data.matrix, y, number_of_classes, self.leaf_size)
        return Decision(data.encoding, model, classes, len(labels), found, filling)

    def cases(self, saved: Decision, outcome: Mapping[int, exp.Expression]) -> exp.Expression:
        """Writes the model as an expression that has the given result for each leaf or rule."""
        questions = Questions(saved.encoding, saved.filling)

        def result(i: int) -> exp.Expression:
            return outcome[i].copy()

        if isinstance(saved.model, RuleList):
            tree = rule_cases(saved.model, questions, result)
        else:
            tree = tree_cases(saved.model, questions, result, self.nulls == "follow")
        if self.nulls == "follow":
            return tree
        return guarded(tree, questions.known(saved.model.used))

    def told(self, saved: Decision) -> dict[int, exp.Expression]:
        """Gives what each leaf or rule tells, as literals."""
        values = {i: saved.told(i) for i in saved.outcomes}
        return {i: text(v) if isinstance(v, str) else double(v) for i, v in values.items()}

    def apply(
        self, columns: Mapping[str, npt.NDArray[Any]], saved: Decision
    ) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
        """Gives the leaf or rule of each row, and whether it has one, without SQL."""
        filled = dict(columns)
        for name, value in saved.filling.items():
            missing = [v is None or v != v for v in filled[name]]  # noqa: PLR0124 - NaN
            filled[name] = np.where(missing, value, filled[name])
        X = saved.encoding.encode(filled)
        at = saved.model.apply(X)
        if self.nulls == "follow":
            return at, np.ones(len(X), dtype=bool)
        used = sorted(saved.model.used)
        return at, np.asarray((np.abs(X[:, used]) <= LARGEST).all(axis=1))


def _refuse_large(columns: Mapping[str, npt.NDArray[Any]], predictors: Sequence[Feature]) -> None:
    for predictor in predictors:
        if predictor.type == "numeric":
            large = int(np.count_nonzero(np.abs(columns[predictor.name]) > LARGEST))
            if large:
                raise LearningError(
                    f"feature {predictor.name!r} has {large} values that are greater than "
                    f"{LARGEST:.2g} or infinite",
                    "scale the feature, or make these values NULL in the source",
                )


def _refuse_many_classes(target: str, classes: int) -> None:
    if classes > MOST_CLASSES:
        raise LearningError(
            f"{target!r} has {classes:,} classes; a tree may tell {MOST_CLASSES}",
            "put classes together first, with GroupingGivenNoOfGroups for example",
        )
