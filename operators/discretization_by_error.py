"""Operators that cut a numeric feature where a class changes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sqlglot import exp

from miningflow.declare import (
    Feature,
    FeatureConstruction,
    FeatureType,
    TrainingRows,
    feature,
    integer,
    new_feature,
    operator,
)
from miningflow.declare.rows import finite
from miningflow.learn.partition import (
    Counts,
    Places,
    cuts_into_at_most,
    cuts_of_at_least,
    cuts_without_error,
    thinned,
)

from .discretization import cut_expression
from .discretization_by_count import Cuts
from .value_counts import check_classes, nothing_known


@operator
class ErrorBasedDiscretization(FeatureConstruction):
    """What operators that cut where a class changes share.

    The error of an interval is the number of its rows that are not of its most frequent class. A
    cut point lies in the middle between two values that were seen.
    """

    learns: ClassVar[type[Any] | None] = Cuts

    target: Feature = feature("the feature to cut", types=["numeric"])
    label: Feature = feature("the class to tell apart", types=["nominal", "binary"])
    sample_size: int = integer("how many rows to learn from at most", default=100_000, minimum=2)
    seed: int = integer("another seed draws another sample", default=0)
    output: str | None = new_feature("the category, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Becomes nominal."""
        return "nominal"

    def places(self, counts: Counts) -> Places:
        """Chooses where to cut: after which of the values, whose classes are counted."""
        raise NotImplementedError

    def learn(self, rows: TrainingRows) -> Cuts:
        """Counts the classes of each value, and cuts."""
        target, label = self.target.name, self.label.name
        columns = rows.fetch([target, label], most=self.sample_size, seed=self.seed)
        if not len(columns[target]):
            raise nothing_known(target, label)
        finite(columns, [target])
        values, value_of_row = np.unique(columns[target], return_inverse=True)
        classes, class_of_row = np.unique(columns[label].astype(str), return_inverse=True)
        check_classes(label, len(classes))
        counts = np.zeros((len(values), len(classes)), dtype=np.int64)
        np.add.at(counts, (value_of_row, class_of_row), 1)
        last = thinned(counts)
        starts = [0, *(i + 1 for i in last[:-1])]
        places = self.places(np.add.reduceat(counts, starts, axis=0))
        return Cuts(tuple(_between(values[last[i]], values[last[i] + 1]) for i in places))

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a CASE over the cut points."""
        return cut_expression(self.target.name, artifact.cuts, "right")


@operator
class ImplicitErrorBasedDiscretization(ErrorBasedDiscretization):
    """Cuts a numeric feature where the most frequent class changes.

    Neighbouring values stay together as long as one class is most frequent in all of them. So there
    are as few intervals as possible with no more error than single values have, the error being the
    number of rows that are not of the most frequent class of their interval. Where classes overlap,
    that follows the noise and makes many small intervals; then give a number of intervals, or of
    rows, with the operators beside this one.

    Of more than 1,000 different values, neighbours are put together first, equally many rows each.
    A cut point lies in the middle between two values. The first and the last interval are open to
    the outside, so that new values always fall into one. The categories are named after their ends.
    Rows without a class are not learned from. NULL stays NULL.
    """

    example: ClassVar[str] = """
    household_groups:
      operator: ImplicitErrorBasedDiscretization
      input: Customer
      target: household
      label: lapsed
      output: household_group
    """

    def places(self, counts: Counts) -> Places:
        """Cuts where no class is most frequent on both sides."""
        return cuts_without_error(counts)


@operator
class ErrorBasedDiscretizationGivenMinCardinality(ErrorBasedDiscretization):
    """Cuts a numeric feature where a class changes, with at least so many rows in an interval.

    Of all ways to cut it takes one with the least error, which is the number of rows that are not
    of the most frequent class of their interval; of equals one with the fewest intervals. If there
    are fewer rows, there is one category, `all`.

    Of more than 1,000 different values, neighbours are put together first, equally many rows each.
    A cut point lies in the middle between two values. The first and the last interval are open to
    the outside, so that new values always fall into one. The categories are named after their ends.
    Rows without a class are not learned from, and not counted. NULL stays NULL.
    """

    example: ClassVar[str] = """
    age_groups:
      operator: ErrorBasedDiscretizationGivenMinCardinality
      input: Customer
      target: age
      label: lapsed
      min_cardinality: 10
      output: age_group
    """

    min_cardinality: int = integer("how many rows an interval has at least", minimum=1)

    def places(self, counts: Counts) -> Places:
        """Cuts with the least error."""
        return cuts_of_at_least(counts, self.min_cardinality)


@operator
class ErrorBasedDiscretizationGivenNoOfInt(ErrorBasedDiscretization):
    """Cuts a numeric feature where a class changes, into at most so many intervals.

    Of all ways to cut it takes one with the least error, which is the number of rows that are not
    of the most frequent class of their interval; of equals one with the fewest intervals.

    Of more than 1,000 different values, neighbours are put together first, equally many rows each.
    A cut point lies in the middle between two values. The first and the last interval are open to
    the outside, so that new values always fall into one. The categories are named after their ends.
    Rows without a class are not learned from. NULL stays NULL.
    """

    example: ClassVar[str] = """
    age_groups:
      operator: ErrorBasedDiscretizationGivenNoOfInt
      input: Customer
      target: age
      label: lapsed
      intervals: 4
      output: age_group
    """

    intervals: int = integer("how many intervals at most", minimum=2, maximum=100)

    def places(self, counts: Counts) -> Places:
        """Cuts with the least error."""
        return cuts_into_at_most(counts, self.intervals)


def _between(low: float, high: float) -> float:
    """Gives the middle of two numbers, which is below the higher one even if they are close."""
    middle = float(low + (high - low) / 2)
    return middle if low <= middle < high else float(low)
