"""Operators that merge values into groups that the case lists."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp

from miningflow.declare import (
    Feature,
    FeatureConstruction,
    FeatureType,
    feature,
    literal,
    new_feature,
    operator,
    value_groups,
)
from miningflow.sql.categories import group_case
from miningflow.sql.literals import column, text


@operator
class UserDefinedGrouping(FeatureConstruction):
    """Replaces values by the label of the group that you put them in.

    Values in no group stay unchanged, and NULL stays NULL. A label may equal a value that is in no
    group; the two are then merged.
    """

    alias: ClassVar[str] = "GroupValues"
    finds: ClassVar[tuple[str, ...]] = ("merge categories", "recode", "lookup")
    example: ClassVar[str] = """
    coasts:
      operator: UserDefinedGrouping
      input: Customer
      target: region
      groups: {coast: [north, east]}
      output: coast
    """

    target: Feature = feature("the feature to group", types=["nominal", "binary"])
    groups: dict[str, tuple[str, ...]] = value_groups("a map of labels to the values of each group")
    output: str | None = new_feature("the group; by default it replaces `target`", default=None)

    def constructed_type(self) -> FeatureType:
        """Returns nominal."""
        return "nominal"

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a CASE with a branch for each group."""
        return group_case(self.target.name, self.groups, column(self.target.name))


@operator
class UserDefinedGroupingWithDefaultValue(UserDefinedGrouping):
    """Replaces values by the label of the group that you put them in, and all others by a default.

    A value becomes the label of its group, or `default` if it is in no group. NULL stays NULL.
    """

    alias: ClassVar[str] = "GroupValuesOrDefault"
    finds: ClassVar[tuple[str, ...]] = ("merge categories", "recode", "lookup", "other")
    example: ClassVar[str] = """
    coasts:
      operator: UserDefinedGroupingWithDefaultValue
      input: Customer
      target: region
      groups: {coast: [north, east]}
      default: inland
      output: coast
    """

    default: str = literal("the label of all values in no group")

    def expression(self, artifact: Any) -> exp.Expression:
        """Returns a CASE with a branch for each group, and one for all other values."""
        return group_case(self.target.name, self.groups, text(self.default))
