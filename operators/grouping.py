"""Operators that learn which values to merge: rare values, or values with the same class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Concept,
    Feature,
    FeatureConstruction,
    FeatureType,
    Notes,
    TrainingRows,
    feature,
    integer,
    literal,
    new_feature,
    operator,
)
from miningflow.learn.merging import merge_by_error, merge_rarest
from miningflow.sql.categories import group_case
from miningflow.sql.literals import text, unused
from miningflow.train.value_counts import class_counts, value_counts

LONGEST_LABEL = 60


@dataclass(frozen=True)
class Groups:
    """Groups of values, each with a label."""

    labels: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]

    def check_parts(self) -> None:
        """Refuses stored groups without a label each."""
        if not len(self.labels) == len(self.members) == len(set(self.labels)):
            raise ValueError("the labels do not fit the groups")


@operator
class Grouping(FeatureConstruction):
    """Shared by operators that learn groups of values.

    A group is named after its values, in alphabetical order, shortened if there are many. A value
    that the training rows do not have becomes `default`, or NULL.
    """

    learns: ClassVar[type[Any] | None] = Groups

    target: Feature = feature("the feature to group", types=["nominal", "binary"])
    default: str | None = literal(
        "the group of values that the training rows do not have; by default NULL", default=None
    )
    output: str | None = new_feature("the group; by default it replaces `target`", default=None)

    def constructed_type(self) -> FeatureType:
        """Returns nominal."""
        return "nominal"

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a CASE with a branch for each group."""
        groups = dict(zip(artifact.labels, artifact.members, strict=True))
        otherwise = None if self.default is None else text(self.default)
        return group_case(self.target.name, groups, otherwise)


@operator
class GroupingGivenMinCardinality(Grouping):
    """Merges rare values until every group has a minimum number of rows.

    The two smallest groups are merged repeatedly, until the smallest has at least `min_cardinality`
    of the training rows; frequent values stay separate. A group is named after its values, in
    alphabetical order, shortened if there are many. A value that the training rows do not have
    becomes `default`, or NULL without `default`. NULL stays NULL.
    """

    alias: ClassVar[str] = "GroupRare"
    finds: ClassVar[tuple[str, ...]] = (
        "rare",
        "rare categories",
        "infrequent",
        "merge categories",
        "other",
        "high cardinality",
    )
    example: ClassVar[str] = """
    regions:
      operator: GroupingGivenMinCardinality
      input: Customer
      target: region
      min_cardinality: 18
      default: elsewhere
    """

    min_cardinality: int = integer("how many training rows each group has, at least", minimum=1)

    def learn(self, rows: TrainingRows) -> Groups:
        """Counts the values, and merges the rarest groups."""
        counts = value_counts(rows, self.target.name)
        places = merge_rarest(list(counts.values()), least=self.min_cardinality)
        return _named(list(counts), places)


@operator
class GroupingGivenNoOfGroups(Grouping):
    """Merges rare values until at most a given number of groups is left.

    The two smallest groups are merged repeatedly; frequent values stay separate. If there are fewer
    values than `groups`, each value is a group. A group is named after its values, in alphabetical
    order, shortened if there are many. A value that the training rows do not have becomes
    `default`, or NULL without `default`. NULL stays NULL.
    """

    alias: ClassVar[str] = "GroupRareToCount"
    finds: ClassVar[tuple[str, ...]] = (
        "rare",
        "rare categories",
        "infrequent",
        "merge categories",
        "top values",
        "high cardinality",
    )
    example: ClassVar[str] = """
    regions:
      operator: GroupingGivenNoOfGroups
      input: Customer
      target: region
      groups: 2
      output: region_group
    """

    groups: int = integer("how many groups to make, at most", minimum=2, maximum=1_000)

    def learn(self, rows: TrainingRows) -> Groups:
        """Counts the values, and merges the rarest groups."""
        counts = value_counts(rows, self.target.name)
        places = merge_rarest(list(counts.values()), most=self.groups)
        return _named(list(counts), places)


@operator
class ErrorBasedGrouping(Grouping):
    """Shared by operators that group values by a class."""

    label: Feature = feature("the class that the groups separate", types=["nominal", "binary"])

    def outline(self, notes: Notes) -> Concept:
        """Adds the group; checks that the class is a different feature."""
        if self.label.name == self.target.name:
            notes.error(
                "label",
                f"`target` and `label` are both {self.label.name!r}",
                "set `label` to the feature that the groups are to separate",
            )
        return super().outline(notes)

    def merged(self, rows: TrainingRows, least: int = 1, most: int | None = None) -> Groups:
        """Counts the classes of each value, and merges the groups with the least error."""
        values, counts = class_counts(rows, self.target.name, self.label.name)
        return _named(values, merge_by_error(counts, least, most))


@operator
class ImplicitErrorBasedGrouping(ErrorBasedGrouping):
    """Merges values that have the same most frequent class.

    There are at most as many groups as classes, and predicting the most frequent class of each
    group has no more errors than predicting that of each value. If several classes are equally
    frequent, the first in alphabetical order counts. Rows without a class are not used for
    learning. A group is named after its values, in alphabetical order, shortened if there are many.
    A value that the training rows do not have becomes `default`, or NULL without `default`. NULL
    stays NULL.
    """

    alias: ClassVar[str] = "GroupValuesByClass"
    finds: ClassVar[tuple[str, ...]] = ("merge categories", "supervised")
    example: ClassVar[str] = """
    regions:
      operator: ImplicitErrorBasedGrouping
      input: Customer
      target: region
      label: lapsed
    """

    def learn(self, rows: TrainingRows) -> Groups:
        """Groups by the most frequent class."""
        return self.merged(rows)


@operator
class ErrorBasedGroupingGivenMinCardinality(ErrorBasedGrouping):
    """Merges values that have the same most frequent class, into groups with a minimum size.

    A group that is too small is merged with the group for which that adds the least error, where
    the error is the number of rows that are not of the most frequent class of their group. Rows
    without a class are not used for learning. A group is named after its values, in alphabetical
    order, shortened if there are many. A value that the training rows do not have becomes
    `default`, or NULL without `default`. NULL stays NULL.
    """

    alias: ClassVar[str] = "GroupValuesByClassMinRows"
    finds: ClassVar[tuple[str, ...]] = ("merge rare categories", "supervised")
    example: ClassVar[str] = """
    regions:
      operator: ErrorBasedGroupingGivenMinCardinality
      input: Customer
      target: region
      label: lapsed
      min_cardinality: 10
      output: region_group
    """

    min_cardinality: int = integer("how many training rows each group has, at least", minimum=1)

    def learn(self, rows: TrainingRows) -> Groups:
        """Groups by the most frequent class, then by size."""
        return self.merged(rows, least=self.min_cardinality)


@operator
class ErrorBasedGroupingGivenNoOfGroups(ErrorBasedGrouping):
    """Merges values that have the same most frequent class, into at most a given number of groups.

    There are never more groups than classes, since more groups would not reduce the error, which is
    the number of rows that are not of the most frequent class of their group. While there are too
    many groups, the two whose merger adds the least error are merged. Rows without a class are not
    used for learning. A group is named after its values, in alphabetical order, shortened if there
    are many. A value that the training rows do not have becomes `default`, or NULL without
    `default`. NULL stays NULL.
    """

    alias: ClassVar[str] = "GroupValuesByClassToCount"
    finds: ClassVar[tuple[str, ...]] = ("merge rare categories", "supervised")
    example: ClassVar[str] = """
    regions:
      operator: ErrorBasedGroupingGivenNoOfGroups
      input: Customer
      target: region
      label: lapsed
      groups: 2
      output: region_group
    """

    groups: int = integer("how many groups to make, at most", minimum=2, maximum=1_000)

    def learn(self, rows: TrainingRows) -> Groups:
        """Groups by the most frequent class, then by number."""
        return self.merged(rows, most=self.groups)


def _named(values: Sequence[str], places: Sequence[Sequence[int]]) -> Groups:
    members = [tuple(values[i] for i in group) for group in places]
    labels: list[str] = []
    # A group of one value has the name of that value, whatever the other groups are called.
    taken = [group[0] for group in members if len(group) == 1]
    for group in members:
        labels.append(group[0] if len(group) == 1 else unused(_label(group), [*taken, *labels]))
    return Groups(tuple(labels), tuple(members))


def _label(values: Sequence[str]) -> str:
    whole = ", ".join(values)
    if len(whole) <= LONGEST_LABEL:
        return whole
    return f"{values[0][:LONGEST_LABEL]} and {len(values) - 1} more"
