"""Operators that learn which values to put together: rare ones, or those a class is alike in."""

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
from miningflow.sql.literals import text, unused

from .grouping_by_hand import group_expression
from .value_counts import class_counts, value_counts

LONGEST_LABEL = 60


@dataclass(frozen=True)
class Groups:
    """Groups of values, each with a label."""

    labels: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]


@operator
class Grouping(FeatureConstruction):
    """What operators that learn groups of values share.

    A group is named after its values, in alphabetical order and shortened if there are many. A
    value that was never seen becomes `default`, or NULL.
    """

    learns: ClassVar[type[Any] | None] = Groups

    target: Feature = feature("the feature to group", types=["nominal", "binary"])
    default: str | None = literal("what values become that were never seen", default=None)
    output: str | None = new_feature("the group, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Becomes nominal."""
        return "nominal"

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a CASE with a branch for each group."""
        groups = dict(zip(artifact.labels, artifact.members, strict=True))
        otherwise = None if self.default is None else text(self.default)
        return group_expression(self.target.name, groups, otherwise)


@operator
class GroupingGivenMinCardinality(Grouping):
    """Puts rare values together until every group has so many rows.

    The two rarest groups become one, again and again, until the rarest has at least
    `min_cardinality` of the rows learned from; frequent values stay alone. A group is named after
    its values, in alphabetical order and shortened if there are many. A value that was never seen
    becomes `default`, or NULL if none is given. NULL stays NULL.
    """

    example: ClassVar[str] = """
    regions:
      operator: GroupingGivenMinCardinality
      input: Customer
      target: region
      min_cardinality: 18
      default: elsewhere
    """

    min_cardinality: int = integer("how many rows a group has at least", minimum=1)

    def learn(self, rows: TrainingRows) -> Groups:
        """Counts the values, and merges the rarest."""
        counts = value_counts(rows, self.target.name)
        places = merge_rarest(list(counts.values()), least=self.min_cardinality)
        return _named(list(counts), places)


@operator
class GroupingGivenNoOfGroups(Grouping):
    """Puts rare values together until there are no more than so many groups.

    The two rarest groups become one, again and again; frequent values stay alone. If there are
    fewer values, each is a group. A group is named after its values, in alphabetical order and
    shortened if there are many. A value that was never seen becomes `default`, or NULL if none is
    given. NULL stays NULL.
    """

    example: ClassVar[str] = """
    regions:
      operator: GroupingGivenNoOfGroups
      input: Customer
      target: region
      groups: 2
      output: region_group
    """

    groups: int = integer("how many groups at most", minimum=2, maximum=1_000)

    def learn(self, rows: TrainingRows) -> Groups:
        """Counts the values, and merges the rarest."""
        counts = value_counts(rows, self.target.name)
        places = merge_rarest(list(counts.values()), most=self.groups)
        return _named(list(counts), places)


@operator
class ErrorBasedGrouping(Grouping):
    """What operators that group values by a class share."""

    label: Feature = feature("the class to tell apart", types=["nominal", "binary"])

    def outline(self, notes: Notes) -> Concept:
        """Adds the group; the class is another feature."""
        if self.label.name == self.target.name:
            notes.mistake(
                "label",
                f"`target` and `label` are both {self.label.name!r}",
                "give the feature that the groups shall tell apart",
            )
        return super().outline(notes)

    def merged(self, rows: TrainingRows, least: int = 1, most: int | None = None) -> Groups:
        """Counts the classes of each value, and merges where it costs least."""
        values, counts = class_counts(rows, self.target.name, self.label.name)
        return _named(values, merge_by_error(counts, least, most))


@operator
class ImplicitErrorBasedGrouping(ErrorBasedGrouping):
    """Puts values together that have the same most frequent class.

    So there are at most as many groups as classes, and predicting the most frequent class of a
    group errs no more than doing so for each value. Of equally frequent classes the first in
    alphabetical order counts. Rows without a class are not learned from. A group is named after its
    values, in alphabetical order and shortened if there are many. A value that was never seen
    becomes `default`, or NULL if none is given. NULL stays NULL.
    """

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
    """Puts values together that have the same most frequent class, at least so many rows a group.

    A group that is too small is merged with the one where that adds the least error, which is the
    number of rows that are not of the most frequent class of their group. Rows without a class are
    not learned from. A group is named after its values, in alphabetical order and shortened if
    there are many. A value that was never seen becomes `default`, or NULL if none is given. NULL
    stays NULL.
    """

    example: ClassVar[str] = """
    regions:
      operator: ErrorBasedGroupingGivenMinCardinality
      input: Customer
      target: region
      label: lapsed
      min_cardinality: 10
      output: region_group
    """

    min_cardinality: int = integer("how many rows a group has at least", minimum=1)

    def learn(self, rows: TrainingRows) -> Groups:
        """Groups by the most frequent class, then by size."""
        return self.merged(rows, least=self.min_cardinality)


@operator
class ErrorBasedGroupingGivenNoOfGroups(ErrorBasedGrouping):
    """Puts values together that have the same most frequent class, in at most so many groups.

    There are never more groups than classes, since more would not err less. While there are too
    many, the two are merged where that adds the least error, which is the number of rows that are
    not of the most frequent class of their group. Rows without a class are not learned from. A
    group is named after its values, in alphabetical order and shortened if there are many. A value
    that was never seen becomes `default`, or NULL if none is given. NULL stays NULL.
    """

    example: ClassVar[str] = """
    regions:
      operator: ErrorBasedGroupingGivenNoOfGroups
      input: Customer
      target: region
      label: lapsed
      groups: 2
      output: region_group
    """

    groups: int = integer("how many groups at most", minimum=2, maximum=1_000)

    def learn(self, rows: TrainingRows) -> Groups:
        """Groups by the most frequent class, then by number."""
        return self.merged(rows, most=self.groups)


def _named(values: Sequence[str], places: Sequence[Sequence[int]]) -> Groups:
    members = [tuple(values[i] for i in group) for group in places]
    labels: list[str] = []
    # A value alone keeps its name, whatever the others are called.
    taken = [group[0] for group in members if len(group) == 1]
    for group in members:
        labels.append(group[0] if len(group) == 1 else unused(_label(group), [*taken, *labels]))
    return Groups(tuple(labels), tuple(members))


def _label(values: Sequence[str]) -> str:
    whole = ", ".join(values)
    if len(whole) <= LONGEST_LABEL:
        return whole
    return f"{values[0][:LONGEST_LABEL]} and {len(values) - 1} more"
