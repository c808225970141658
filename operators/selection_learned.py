"""Shared by selections that learn: the attributes, the class label, and what NULL means."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sqlglot import exp

from miningflow.declare import (
    Feature,
    FeatureSelection,
    LearningError,
    Selection,
    TrainingRows,
    choice,
    feature,
    features,
    literal,
    operator,
)
from miningflow.declare.rows import not_finite
from miningflow.sql.conditions import is_null, when
from miningflow.sql.literals import column, double
from miningflow.train.classes import two_classes
from miningflow.train.predictors import PREDICTOR_TYPES
from miningflow.train.typical_values import typical_values


def superset(*types: str) -> Any:
    """Declares the attributes, of the given types."""
    return features("the features that may be dropped", types=types, minimum=1)


@operator
class LearnedSelection(FeatureSelection):
    """Shared by selections that learn from rows: the attributes, and what NULL in them means.

    A subclass implements `select`, whose rows have no NULL and only finite numbers.
    """

    learns_numbers_itself: ClassVar[bool] = True

    attributes: tuple[Feature, ...] = superset(*PREDICTOR_TYPES)
    nulls: str = choice(
        "what to do with NULL in an attribute: refuse it, leave the row out, or use the mean or "
        "the most frequent value instead",
        ["refuse", "drop_rows", "impute"],
        default="refuse",
    )

    def select(self, rows: TrainingRows) -> Selection:
        """Selects features by rows in which every attribute has a value."""
        raise NotImplementedError

    def learn(self, rows: TrainingRows) -> Selection:
        """Checks in the database for NULL and numbers that are not finite, then selects."""
        return self.select(self.known(rows))

    def names(self) -> list[str]:
        """Returns the names of the attributes."""
        return [f.name for f in self.attributes]

    def known(self, rows: TrainingRows) -> TrainingRows:
        """Returns rows that `select` can use, or raises an error that explains why not."""
        missing = self._missing(rows)
        if not missing or self.nulls == "drop_rows":
            return rows
        if self.nulls == "refuse":
            raise _refusal(missing)
        return _imputed(rows, missing)

    def _missing(self, rows: TrainingRows) -> dict[Feature, int]:
        """Counts NULLs by attribute in rows with a target; refuses numbers that are not finite."""
        usable = {f"usable {i}": self._count(_is_usable(f)) for i, f in enumerate(self.attributes)}
        counted = rows.aggregate({"rows": self._count(), **usable})
        missing: dict[Feature, int] = {}
        incomplete = [i for i in range(len(usable)) if counted[f"usable {i}"] < counted["rows"]]
        if not incomplete:  # the usual case; counting NULLs as well would double the time
            return missing
        null = {i: self._count(_is_null(self.attributes[i])) for i in incomplete}
        nulls = rows.aggregate({f"null {i}": tree for i, tree in null.items()})
        for i in incomplete:
            not_finite_count = counted["rows"] - counted[f"usable {i}"] - nulls[f"null {i}"]
            if not_finite_count:
                raise not_finite(self.attributes[i].name, not_finite_count)
            missing[self.attributes[i]] = nulls[f"null {i}"]
        return missing

    def _count(self, *conditions: exp.Expression) -> exp.Expression:
        """Counts rows for which the conditions hold and the target is known."""
        target: Feature | None = getattr(self, "target", None)
        labelled = [] if target is None else [exp.Not(this=_is_null(target))]
        if not labelled and not conditions:
            return exp.Count(this=exp.Star())
        holds = exp.and_(*labelled, *conditions, copy=False)
        return exp.Count(this=when(holds, exp.Literal.number(1)))


@operator
class ClassSelection(LearnedSelection):
    """Shared by selections that relate features to a class label."""

    target: Feature = feature("the class label", types=["binary", "nominal"])
    positive: str | None = literal(
        "the positive class, if there are two; without it there may be more classes", default=None
    )

    def check_classes(self, classes: Sequence[str]) -> None:
        """Refuses a single class, and more than two classes if one is the positive class."""
        if self.positive is not None:
            two_classes(np.array(classes, dtype=object), self.target, self.positive)
        elif len(classes) < 2:
            raise LearningError(
                f"{self.target.name!r} has {len(classes)} classes in the training rows; "
                "at least two are needed",
                "are all rows of the other classes held out, filtered out or incomplete?",
            )

    def check_two_classes(self, classes: Sequence[str]) -> None:
        """Refuses more than two classes."""
        if len(classes) > 2:
            raise LearningError(
                f"{self.target.name!r} has {len(classes)} classes; two are needed",
                "merge classes, for example with Mapping",
            )


def _is_null(attribute: Feature) -> exp.Expression:
    return is_null(column(attribute.name))


def _is_usable(attribute: Feature) -> exp.Expression:
    if attribute.type != "numeric":
        return exp.Not(this=_is_null(attribute))
    # NaN is greater than any number to databases, and infinity too.
    greatest = double(sys.float_info.max)
    return exp.Abs(this=column(attribute.name)) <= greatest


def _listed(counts: Mapping[Feature, object]) -> str:
    shown = [f"{attribute.name!r} ({what})" for attribute, what in counts.items()]
    more = f" and {len(shown) - 8} more" if len(shown) > 8 else ""
    return ", ".join(shown[:8]) + more


def _refusal(missing: Mapping[Feature, int]) -> LearningError:
    return LearningError(
        f"the training rows have NULL in {_listed(missing)}",
        "set `nulls: drop_rows` to leave these rows out, or `nulls: impute` to use means and most "
        "frequent values, or fill them in an earlier step, for example with AssignAverageValue",
    )


def _imputed(rows: TrainingRows, missing: Mapping[Feature, int]) -> TrainingRows:
    values = typical_values(rows, list(missing))
    replaced = {a: f"{n:,} by {_shown(values[a.name])}" for a, n in missing.items()}
    rows.note(f"replaced NULLs for learning: {_listed(replaced)}")
    return rows.filled(values)


def _shown(value: float | str) -> str:
    return repr(value) if isinstance(value, str) else f"{value:.6g}"
