"""Operators that cut a numeric feature where the most frequent class changes."""

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
from miningflow.learn.arrays import Counts
from miningflow.learn.partition import (
    Places,
    cuts_into_at_most,
    cuts_of_at_least,
    cuts_without_error,
    thinned,
)
from miningflow.sql.categories import interval_case
from miningflow.train.value_counts import check_classes, nothing_known

from .discretization_by_count import Cuts


@operator
class ErrorBasedDiscretization(FeatureConstruction):
    """Shared by operators that cut where the most frequent class changes.

    The error of an interval is the number of its rows that are not of its most frequent class. A
    cut point lies halfway between two values of the training rows.
    """

    learns: ClassVar[type[Any] | None] = Cuts

    target: Feature = feature("the feature to cut", types=["numeric"])
    label: Feature = feature("the class that the intervals separate", types=["nominal", "binary"])
    sample_size: int = integer("how many rows to learn from, at most", default=100_000, minimum=2)
    seed: int = integer("the random seed; a different seed draws a different sample", default=0)
    output: str | None = new_feature("the category; by default it replaces `target`", default=None)

    def constructed_type(self) -> FeatureType:
        """Returns nominal."""
        return "nominal"

    def places(self, counts: Counts) -> Places:
        """Returns the positions after which to cut, given the class counts of each value."""
        raise NotImplementedError

    def learn(self, rows: TrainingRows) -> Cuts:
        """Counts the classes of each value, and chooses where to cut."""
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
        """Returns a CASE over the cut points."""
        return interval_case(self.target.name, artifact.cuts, "right")


@operator
class ImplicitErrorBasedDiscretization(ErrorBasedDiscretization):
    """Cuts a numeric feature where the most frequent class changes.

    Neighbouring values stay together as long as one class is most frequent in all of them. This
    makes the fewest intervals whose error is no greater than that of single values, where the error
    is the number of rows that are not of the most frequent class of their interval. If the classes
    overlap, the cuts follow the noise and make many small intervals; then use
    ErrorBasedDiscretizationGivenNoOfInt or ErrorBasedDiscretizationGivenMinCardinality.

    If there are more than 1,000 different values, neighbouring values are first merged into parts
    with equally many rows. A cut point lies halfway between two values. The first and the last
    interval are unbounded, so every new value falls into one. The categories are named after their
    ends. Rows without a class are not used for learning. NULL stays NULL.
    """

    alias: ClassVar[str] = "BinByClass"
    finds: ClassVar[tuple[str, ...]] = ("bin", "bucket", "supervised", "discretize")
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
    """Cuts a numeric feature where a class changes, with a minimum number of rows per interval.

    Of all possible cuts, those with the least error are chosen, where the error is the number of
    rows that are not of the most frequent class of their interval; in a tie, those that make the
    fewest intervals. If there are fewer rows than `min_cardinality`, there is one category, `all`.

    If there are more than 1,000 different values, neighbouring values are first merged into parts
    with equally many rows. A cut point lies halfway between two values. The first and the last
    interval are unbounded, so every new value falls into one. The categories are named after their
    ends. Rows without a class are not used for learning, and do not count. NULL stays NULL.
    """

    alias: ClassVar[str] = "BinByClassMinRows"
    finds: ClassVar[tuple[str, ...]] = ("bin", "bucket", "supervised", "discretize")
    example: ClassVar[str] = """
    age_groups:
      operator: ErrorBasedDiscretizationGivenMinCardinality
      input: Customer
      target: age
      label: lapsed
      min_cardinality: 10
      output: age_group
    """

    min_cardinality: int = integer("how many training rows each interval has, at least", minimum=1)

    def places(self, counts: Counts) -> Places:
        """Chooses the cuts with the least error."""
        return cuts_of_at_least(counts, self.min_cardinality)


@operator
class ErrorBasedDiscretizationGivenNoOfInt(ErrorBasedDiscretization):
    """Cuts a numeric feature where a class changes, into at most a given number of intervals.

    Of all possible cuts, those with the least error are chosen, where the error is the number of
    rows that are not of the most frequent class of their interval; in a tie, those that make the
    fewest intervals.

    If there are more than 1,000 different values, neighbouring values are first merged into parts
    with equally many rows. A cut point lies halfway between two values. The first and the last
    interval are unbounded, so every new value falls into one. The categories are named after their
    ends. Rows without a class are not used for learning. NULL stays NULL.
    """

    alias: ClassVar[str] = "BinByClassToCount"
    finds: ClassVar[tuple[str, ...]] = ("bin", "bucket", "supervised", "discretize")
    example: ClassVar[str] = """
    age_groups:
      operator: ErrorBasedDiscretizationGivenNoOfInt
      input: Customer
      target: age
      label: lapsed
      intervals: 4
      output: age_group
    """

    intervals: int = integer("how many intervals to make, at most", minimum=2, maximum=100)

    def places(self, counts: Counts) -> Places:
        """Chooses the cuts with the least error."""
        return cuts_into_at_most(counts, self.intervals)


def _between(low: float, high: float) -> float:
    """Returns the midpoint of two numbers, which stays below the higher one if they are close."""
    middle = float(low + (high - low) / 2)
    return middle if low <= middle < high else float(low)
