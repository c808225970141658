"""What all selections share that learn: the superset, the class label, and what NULL means."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

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
from miningflow.sql.literals import column, double

from .classes import two_classes
from .missing_values import stand_ins
from .predictors import PREDICTOR_TYPES


def superset(*types: str) -> Any:
    """Declares the attributes, of these types."""
    return features("the superset that features may be dropped from", types=types, minimum=1)


@operator
class LearnedSelection(FeatureSelection):
    """What selections share that learn from rows: a superset, and what NULL in it means.

    A subclass writes `select`, which sees no NULL and no number that is not finite.
    """

    attributes: tuple[Feature, ...] = superset(*PREDICTOR_TYPES)
    nulls: str = choice(
        "what NULL in an attribute means: a mistake, a row to leave out, or the mean or most "
        "frequent value",
        ["refuse", "drop_rows", "impute"],
        default="refuse",
    )

    def select(self, rows: TrainingRows) -> Selection:
        """Chooses features by rows in which every attribute has a value."""
        raise NotImplementedError

    def learn(self, rows: TrainingRows) -> Selection:
        """Looks for NULL and odd numbers first, in the database, and then selects."""
        return self.select(self.known(rows))

    def names(self) -> list[str]:
        """Names the attributes."""
        return [f.name for f in self.attributes]

    def known(self, rows: TrainingRows) -> TrainingRows:
        """Gives rows that `select` can use, or says why it cannot."""
        missing = self._missing(rows)
        if not missing or self.nulls == "drop_rows":
            return rows
        if self.nulls == "refuse":
            raise _refusal(missing)
        return _imputed(rows, missing)

    def _missing(self, rows: TrainingRows) -> dict[Feature, int]:
        """Counts NULLs by attribute, in rows that have a target; refuses numbers that are odd."""
        usable = {f"usable {i}": self._count(_is_usable(f)) for i, f in enumerate(self.attributes)}
        counted = rows.aggregate({"rows": self._count(), **usable})
        missing: dict[Feature, int] = {}
        wanting = [i for i in range(len(usable)) if counted[f"usable {i}"] < counted["rows"]]
        if not wanting:  # as a rule; a second count for each attribute would take as long again
            return missing
        null = {i: self._count(_is_null(self.attributes[i])) for i in wanting}
        nulls = rows.aggregate({f"null {i}": tree for i, tree in null.items()})
        for i in wanting:
            odd = counted["rows"] - counted[f"usable {i}"] - nulls[f"null {i}"]
            if odd:
                raise not_finite(self.attributes[i].name, odd)
            missing[self.attributes[i]] = nulls[f"null {i}"]
        return missing

    def _count(self, *conditions: exp.Expression) -> exp.Expression:
        """Counts rows for which the conditions hold and the target is known: others never count."""
        target: Feature | None = getattr(self, "target", None)
        labelled = [] if target is None else [exp.Not(this=_is_null(target))]
        if not labelled and not conditions:
            return exp.Count(this=exp.Star())
        holds = exp.and_(*labelled, *conditions, copy=False)
        return exp.Count(this=exp.Case(ifs=[exp.If(this=holds, true=exp.Literal.number(1))]))


@operator
class ClassSelection(LearnedSelection):
    """What selections share that relate features to a class label."""

    target: Feature = feature("the class label", types=["binary", "nominal"])
    positive: str | None = literal(
        "the class to tell from the other; without it there may be more than two", default=None
    )

    def check_classes(self, classes: Sequence[str]) -> None:
        """Refuses rows with one class, or with other than two where one of them is the positive."""
        if self.positive is not None:
            two_classes(np.array(classes, dtype=object), self.target, self.positive)
        elif len(classes) < 2:
            raise LearningError(
                f"{self.target.name!r} has {len(classes)} classes in the rows to learn from; "
                "at least two are needed",
                "are the others all held out, filtered away or incomplete?",
            )

    def check_two_classes(self, classes: Sequence[str]) -> None:
        """Refuses more than two classes."""
        if len(classes) > 2:
            raise LearningError(
                f"{self.target.name!r} has {len(classes)} classes; two are needed",
                "bring them to two with Mapping, for example",
            )


def _is_null(attribute: Feature) -> exp.Expression:
    return exp.Is(this=column(attribute.name), expression=exp.Null())


def _is_usable(attribute: Feature) -> exp.Expression:
    if attribute.type != "numeric":
        return exp.Not(this=_is_null(attribute))
    # NaN is greater than any number to databases, and infinity too.
    greatest = double(sys.float_info.max)
    return exp.LTE(this=exp.Abs(this=column(attribute.name)), expression=greatest)


def _listed(counts: Mapping[Feature, object]) -> str:
    shown = [f"{attribute.name!r} ({what})" for attribute, what in counts.items()]
    more = f" and {len(shown) - 8} more" if len(shown) > 8 else ""
    return ", ".join(shown[:8]) + more


def _refusal(missing: Mapping[Feature, int]) -> LearningError:
    return LearningError(
        f"there are NULLs in the rows to learn from, in {_listed(missing)}",
        "write `nulls: drop_rows` to leave such rows out or `nulls: impute` to take means and most "
        "frequent values, or fill them in a step before, for example with AssignAverageValue",
    )


def _imputed(rows: TrainingRows, missing: Mapping[Feature, int]) -> TrainingRows:
    values = stand_ins(rows, list(missing))
    told = {a: f"{n:,} by {_shown(values[a.name])}" for a, n in missing.items()}
    rows.note(f"NULLs were replaced while learning: {_listed(told)}")
    return rows.filled(values)


def _shown(value: float | str) -> str:
    return repr(value) if isinstance(value, str) else f"{value:.6g}"
