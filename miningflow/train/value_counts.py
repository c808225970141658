"""How often the values of a nominal feature occur, alone or by class."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.declare import LearningError, TrainingRows
from miningflow.sql.literals import unused

# What is learned is written down value by value.
MOST_VALUES = 10_000
MOST_CLASSES = 100


def value_counts(rows: TrainingRows, feature: str) -> dict[str, int]:
    """Counts the known values of a nominal feature, in alphabetical order."""
    n = unused("n", [feature])
    how_many = {n: exp.Count(this=exp.Star())}
    counted = rows.groups([feature], how_many, most=MOST_VALUES + 2)
    known = {row[feature]: int(row[n]) for row in counted if row[feature] is not None}
    if not known:
        raise LearningError(
            f"feature {feature!r} has no known value in the training rows",
            "is it NULL everywhere? leave it out, or fill it from another source first",
        )
    _check_number(feature, len(known))
    return dict(sorted(known.items()))


def class_counts(
    rows: TrainingRows, feature: str, label: str
) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Counts the classes of each known value: the values in order, and a row of counts for each."""
    n = unused("n", [feature, label])
    pair = [feature, label]
    how_many = {n: exp.Count(this=exp.Star())}
    counted = rows.groups(pair, how_many, most=MOST_VALUES * MOST_CLASSES + 1, complete=pair)
    values = sorted({row[feature] for row in counted})
    classes = sorted({row[label] for row in counted})
    if not values:
        raise nothing_known(feature, label)
    _check_number(feature, len(values))
    check_classes(label, len(classes))
    counts = np.zeros((len(values), len(classes)), dtype=np.int64)
    place = {value: i for i, value in enumerate(values)}
    for row in counted:
        counts[place[row[feature]], classes.index(row[label])] = int(row[n])
    return values, counts


def nothing_known(feature: str, label: str) -> LearningError:
    """Returns the refusal of rows that never know both features."""
    return LearningError(
        f"no training row has both {feature!r} and {label!r}",
        "is one of them NULL everywhere? fill it first, or choose another feature",
    )


def check_classes(label: str, classes: int) -> None:
    """Refuses a feature with more values than classes have."""
    if classes > MOST_CLASSES:
        raise LearningError(
            f"{label!r} has more than {MOST_CLASSES} classes",
            "choose a different `label`, or merge classes with UserDefinedGrouping first",
        )


def _check_number(feature: str, values: int) -> None:
    if values > MOST_VALUES:
        raise LearningError(
            f"{feature!r} has more than {MOST_VALUES:,} different values",
            "is it a key or free text? reduce its values with GenericFeatureConstruction",
        )
