"""Decision trees and decision rules, learned in memory from a sample of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from miningflow.declare import Feature, LearningError, TrainingRows
from miningflow.learn.arrays import Indices, Mask, Matrix
from miningflow.learn.encoding import Encoding
from miningflow.learn.rules import RuleList, learn_rules
from miningflow.learn.trees import LARGEST, Growth, Tree, grow

from .class_shares import applied_shares
from .predictors import fetch_predictors
from .row_weights import Weighting, weighted
from .typical_values import typical_values

MOST_CLASSES = 100


@dataclass(frozen=True)
class Decision:
    """A learned tree or list of rules, with the encoding of its predictors and its classes."""

    encoding: Encoding
    model: Tree | RuleList
    classes: tuple[str, ...]
    """The classes in alphabetical order; empty if the target is numeric."""
    rows: int
    pruning: float
    filling: dict[str, str | float] = field(default_factory=dict)
    factors: dict[str, float] = field(default_factory=dict)
    """How much more frequent each class is where the model is applied, if it learned elsewhere."""
    class_weights: dict[str, float] = field(default_factory=dict)
    """The weight of each class, if they have any: values of leaves and rules are shares of it."""

    def shares(self, outcome: int) -> Matrix:
        """Returns the share of each class at a leaf or rule, where the model is applied."""
        return self._times(self.learned_shares(outcome), self.factors)

    def learned_shares(self, outcome: int) -> Matrix:
        """Returns the share of each class in the training rows, whatever the classes weigh."""
        rarer = {name: 1 / weight for name, weight in self.class_weights.items()}
        return self._times(self.values(outcome), rarer)

    def _times(self, values: Matrix, factors: Mapping[str, float]) -> Matrix:
        if not factors:
            return values
        changed: Matrix = values * [factors[name] for name in self.classes]
        total = float(changed.sum())
        return changed / total if total else values

    def check_parts(self) -> None:
        """Refuses a stored model that does not fit its predictors or its classes."""
        if not self.model.used <= set(range(self.encoding.width)):
            raise ValueError("the model asks about something that is no predictor")
        if self.values(self.outcomes[0]).shape != (len(self.classes) or 1,):
            raise ValueError("the model does not fit its classes")
        if not set(self.filling) <= {each.name for each in self.encoding.predictors}:
            raise ValueError("a value stands in for something that is no predictor")
        for given in (self.factors, self.class_weights):
            if given and (set(given) != set(self.classes) or min(given.values()) <= 0):
                raise ValueError("factors or weights do not fit the classes")

    @property
    def outcomes(self) -> list[int]:
        """The leaves of the tree, or the positions of the rules."""
        if isinstance(self.model, Tree):
            return self.model.leaves
        return list(range(len(self.model.rules)))

    def values(self, outcome: int) -> Matrix:
        """Returns the share of each class, or the number, at a leaf or rule."""
        if isinstance(self.model, Tree):
            return np.asarray(self.model.values[outcome])
        return np.array(self.model.rules[outcome].values)

    def prediction(self, outcome: int) -> str | float:
        """Returns the class or number that a leaf or rule predicts; in a tie, the first class."""
        values = self.values(outcome)
        return self.classes[int(values.argmax())] if self.classes else float(values[0])

    def apply(self, columns: Mapping[str, npt.NDArray[Any]], nulls: str) -> tuple[Indices, Mask]:
        """Returns the leaf or rule of each row, and whether the row gets a prediction."""
        filled = dict(columns)
        for name, value in self.filling.items():
            missing = [v is None or v != v for v in filled[name]]  # noqa: PLR0124 - NaN
            filled[name] = np.where(missing, value, filled[name])
        X = self.encoding.encode(filled)
        outcomes = self.model.apply(X)
        if nulls == "follow":
            return outcomes, np.ones(len(X), dtype=bool)
        used = sorted(self.model.used)
        return outcomes, np.asarray((np.abs(X[:, used]) <= LARGEST).all(axis=1))


@dataclass(frozen=True)
class DecisionSpec:
    """Which tree or rules to learn, and from what."""

    predictors: tuple[Feature, ...]
    target: Feature
    growth: Growth
    sample_size: int
    nulls: str
    """`propagate`, `impute` or `follow`."""
    rules: bool
    shares: bool = False
    """Whether the shares of classes are asked for."""
    weighting: Weighting = field(default_factory=Weighting)
    """How much rows weigh."""


def learn_decision(rows: TrainingRows, spec: DecisionSpec) -> Decision:
    """Grows and prunes a tree, and derives rules from it if `spec.rules` is set."""
    filling: dict[str, str | float] = {}
    weighting = spec.weighting
    rows = weighted(rows, weighting, spec.target)
    if spec.nulls == "impute":
        filling = typical_values(rows, spec.predictors)
        rows = rows.filled(filling)
    data = fetch_predictors(
        rows,
        spec.predictors,
        spec.target,
        spec.sample_size,
        spec.growth.seed,
        standardize=False,
        incomplete=spec.nulls == "follow",
        more=weighting.features,
    )
    _refuse_large(data.columns, spec.predictors)
    labels = data.columns[spec.target.name]
    classes: tuple[str, ...] = ()
    y: npt.NDArray[Any] = labels
    if spec.target.type != "numeric":
        classes = tuple(sorted(set(labels)))
        _refuse_many_classes(spec.target.name, len(classes))
        y = np.searchsorted(np.array(classes, dtype=object), labels).astype(np.intp)
    number_of_classes = len(classes) or None
    class_weights: dict[str, float] = {}
    if classes:
        counts = dict(zip(classes, np.bincount(y).tolist(), strict=True))
        class_weights = weighting.of_classes(spec.target, counts, rows.segment)
    weights = weighting.of_rows(data.columns, labels, class_weights)
    model: Tree | RuleList
    model, pruning = grow(data.matrix, y, number_of_classes, spec.growth, weights)
    if spec.rules:
        leaf_size = spec.growth.leaf_size
        model = learn_rules(model, data.matrix, y, number_of_classes, leaf_size, weights)
    factors: dict[str, float] = {}
    if classes and spec.shares:
        heavy = np.bincount(y, weighting.given(data.columns)).tolist()
        prior = applied_shares(rows, spec.target, dict(zip(classes, heavy, strict=True)))
        factors = {} if prior is None else {name: prior.ratio(name) for name in classes}
    return Decision(
        data.encoding,
        model,
        classes,
        len(labels),
        pruning,
        filling,
        factors,
        class_weights,
    )


def _refuse_large(columns: Mapping[str, npt.NDArray[Any]], predictors: Sequence[Feature]) -> None:
    for predictor in predictors:
        if predictor.type == "numeric":
            large = int(np.count_nonzero(np.abs(columns[predictor.name]) > LARGEST))
            if large:
                raise LearningError(
                    f"feature {predictor.name!r} has {large} values that are infinite or larger "
                    f"than {LARGEST:.2g}",
                    "scale the feature, or make these values NULL in the source",
                )


def _refuse_many_classes(target: str, classes: int) -> None:
    if classes > MOST_CLASSES:
        raise LearningError(
            f"{target!r} has {classes:,} classes; a tree can have at most {MOST_CLASSES}",
            "merge classes first, for example with GroupingGivenNoOfGroups",
        )
