"""Numbers that can be learned from: neither NaN nor infinite, nor beyond what squares can hold."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from miningflow.declare.concept import Feature
from miningflow.declare.rows import LearningError, TrainingRows, not_finite
from miningflow.sql.conditions import is_known, when
from miningflow.sql.literals import column, double

# The square of a larger number is about to overflow, that of a smaller difference is zero.
LARGEST, SMALLEST_SPREAD = 1e150, 1e-150


def refuse_not_finite(rows: TrainingRows, features: Sequence[Feature]) -> None:
    """Refuses NaN and infinity in the numeric ones of some features.

    One query for all asks for their ranges, which stored statistics may know: NaN is greater than
    any number to databases, and so is in the range.
    """
    numeric = [f.name for f in features if f.type == "numeric"]
    if not numeric:
        return
    ends: dict[str, type[exp.Expression]] = {"least": exp.Min, "most": exp.Max}
    ranges = rows.aggregate(
        {
            f"{end} {i}": kind(this=column(name))
            for i, name in enumerate(numeric)
            for end, kind in ends.items()
        }
    )
    if all(end is None or math.isfinite(end) for end in ranges.values()):
        return
    counts = rows.aggregate(
        {
            f"not finite {i}": exp.Count(this=when(_is_not_finite(name), exp.Literal.number(1)))
            for i, name in enumerate(numeric)
        }
    )
    for name, count in zip(numeric, counts.values(), strict=True):
        if count:
            raise not_finite(name, int(count))


def refuse_extremes(columns: Mapping[str, npt.NDArray[Any]], names: Sequence[str]) -> None:
    """Refuses numbers whose squares are no doubles any more, in columns of rows."""
    for name in names:
        known = columns[name][~np.isnan(columns[name])]
        if len(known):
            refuse_extreme_range(name, float(known.min()), float(known.max()))


def refuse_extreme_range(name: str, least: float, most: float) -> None:
    """Refuses a range whose numbers have no squares, naming the feature and the value."""
    largest = max(least, most, key=abs)
    if abs(largest) > LARGEST:
        raise LearningError(
            f"feature {name!r} has the value {largest:g}; learning squares its values, and the "
            f"squares of numbers beyond {LARGEST:g} are infinite",
            "divide it first, for example with GenericFeatureConstruction",
        )
    if 0 < most - least < SMALLEST_SPREAD:
        raise LearningError(
            f"the values of feature {name!r} differ by less than {SMALLEST_SPREAD:g}, for example "
            f"{least:g} and {most:g}; the squares of such differences are zero",
            "multiply it first, for example with GenericFeatureConstruction",
        )


def _is_not_finite(name: str) -> exp.Expression:
    # NaN is greater than any number to databases, and infinity too.
    beyond = exp.Abs(this=column(name)) > double(sys.float_info.max)
    return exp.And(this=is_known(column(name)), expression=beyond)
