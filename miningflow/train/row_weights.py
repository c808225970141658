"""How much rows weigh in learning: by their class, by a feature, or by both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.declare import Feature, LearningError, TrainingRows
from miningflow.declare.kinds.class_weights import BALANCED, GREATEST
from miningflow.declare.rows import Columns
from miningflow.errors import suggestion
from miningflow.learn.arrays import Matrix
from miningflow.sql.conditions import is_known
from miningflow.sql.literals import column, double


@dataclass(frozen=True)
class Weighting:
    """What the weight of a row is the product of; nothing: all rows weigh the same."""

    by_class: str | Mapping[str, float] | None = None
    """`balanced`, or the weight of each class."""
    feature: Feature | None = None

    @property
    def features(self) -> list[str]:
        """Names the feature, if there is one."""
        return [] if self.feature is None else [self.feature.name]

    def of_classes(
        self, target: Feature, counts: Mapping[str, int], segment: str = ""
    ) -> dict[str, float]:
        """Returns the weight of each class that rows are learned from; nothing without any.

        Balanced weights are n / (k·n_c), as in scikit-learn: all k classes weigh the same together.
        Refuses a class without a weight, and a weight without a class unless in one segment.
        """
        if self.by_class is None:
            return {}
        if len(counts) < 2 and not segment:
            raise LearningError(
                f"all training rows have {target.name!r} = {next(iter(counts), None)!r}; "
                "weights of classes need two classes",
                "are all rows of the other classes held out, filtered out or incomplete?",
                "class_weight",
            )
        if isinstance(self.by_class, str):
            assert self.by_class == BALANCED
            total = sum(counts.values())
            return {name: total / (len(counts) * n) for name, n in counts.items()}
        for name in self.by_class:
            if name not in counts and not segment:
                raise LearningError(
                    f"`class_weight` has a weight for {name!r}, which {target.name!r} never is",
                    suggestion(name, counts, "values"),
                    "class_weight",
                )
        for name in counts:
            if name not in self.by_class:
                raise LearningError(
                    f"`class_weight` has no weight for {name!r}, a value of {target.name!r}",
                    "give the weight of each class; 1 leaves a class as it is",
                    "class_weight",
                )
        return {name: self.by_class[name] for name in counts}

    def of_rows(
        self, columns: Columns, labels: npt.NDArray[np.object_], of_classes: Mapping[str, float]
    ) -> Matrix | None:
        """Returns the weight of each row, or None if all are the same."""
        given = self.given(columns)
        if not of_classes:
            return given
        weights = np.array([of_classes[str(label)] for label in labels], dtype=np.float64)
        return weights if given is None else weights * given

    def given(self, columns: Columns) -> Matrix | None:
        """Returns the weights in the feature, or None if there is none."""
        return None if self.feature is None else columns[self.feature.name]

    def described(self, of_classes: Mapping[str, float]) -> dict[str, str]:
        """Returns the weights in words, as a topic; nothing if all rows weigh the same."""
        parts = [f"{name!r} {weight:.4g}" for name, weight in of_classes.items()]
        shown = ", ".join(parts[:12]) + (f" and {len(parts) - 12} more" if parts[12:] else "")
        if self.by_class is not None and not parts:
            shown = BALANCED if isinstance(self.by_class, str) else _listed(self.by_class)
        elif self.by_class == BALANCED:
            shown = f"{shown} ({BALANCED})"
        rows = [] if self.feature is None else [f"each row by {self.feature.name!r}"]
        both = [*([f"classes: {shown}"] if shown else []), *rows]
        return {"weights": "; ".join(both)} if both else {}


NO_WEIGHTS = Weighting()


def weighted(rows: TrainingRows, weighting: Weighting, target: Feature) -> TrainingRows:
    """Returns the rows whose weight is not 0; refuses weights that are NULL, negative or infinite.

    Rows without a target need no weight: nothing is learned from them.
    """
    if weighting.feature is None:
        return rows
    name = weighting.feature.name
    weight, labelled = column(name), is_known(column(target.name))

    def counted(condition: exp.Expression) -> exp.Expression:
        both = exp.And(this=labelled.copy(), expression=exp.Paren(this=condition))
        return exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=both))

    found = rows.aggregate(
        {
            "all": exp.Filter(
                this=exp.Count(this=exp.Star()), expression=exp.Where(this=labelled.copy())
            ),
            "unknown": counted(exp.Is(this=weight.copy(), expression=exp.Null())),
            "negative": counted(exp.LT(this=weight.copy(), expression=double(0))),
            # NaN is greater than any number to databases
            "great": counted(exp.GT(this=weight.copy(), expression=double(GREATEST))),
            "zero": counted(exp.EQ(this=weight.copy(), expression=double(0))),
        }
    )
    wrong = {"unknown": "NULL", "negative": "negative", "great": f"NaN or above {GREATEST:g}"}
    for kind, words in wrong.items():
        if found[kind]:
            raise LearningError(
                f"the weight {name!r} is {words} in {int(found[kind]):,} of "
                f"{int(found['all']):,} training rows",
                "a weight is a number from 0, where 0 leaves the row out; fill or correct it in an "
                "earlier step",
                "sample_weight",
            )
    if not found["zero"]:
        return rows
    if found["zero"] == found["all"]:
        raise LearningError(
            f"the weight {name!r} is 0 in all {int(found['all']):,} training rows",
            "a weight of 0 leaves a row out; give others",
            "sample_weight",
        )
    rows.note(f"{int(found['zero']):,} rows have the weight 0 and are not learned from")
    return rows.only(exp.GT(this=weight, expression=double(0)))


def _listed(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name!r} {weight:g}" for name, weight in weights.items())
