"""Operators that put values into groups that a person gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from miningflow.sql.literals import column, text


@operator
class UserDefinedGrouping(FeatureConstruction):
    """Puts values into groups that you give: a value becomes the label of its group.

    Values that no group names stay as they are, and NULL stays NULL. A label may be the same as a
    value that is in no group; then they become one.
    """

    example: ClassVar[str] = """
    coasts:
      operator: UserDefinedGrouping
      input: Customer
      target: region
      groups: {coast: [north, east]}
      output: coast
    """

    target: Feature = feature("the feature to group", types=["nominal", "binary"])
    groups: dict[str, tuple[str, ...]] = value_groups("label → the values of the group")
    output: str | None = new_feature("the group, if `target` shall stay", default=None)

    def constructed_type(self) -> FeatureType:
        """Becomes nominal."""
        return "nominal"

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a CASE with a branch for each group."""
        return group_expression(self.target.name, self.groups, column(self.target.name))


@operator
class UserDefinedGroupingWithDefaultValue(UserDefinedGrouping):
    """Puts values into groups that you give, and all other values into one more.

    A value becomes the label of its group, or `default` if no group names it. NULL stays NULL.
    """

    example: ClassVar[str] = """
    coasts:
      operator: UserDefinedGroupingWithDefaultValue
      input: Customer
      target: region
      groups: {coast: [north, east]}
      default: inland
      output: coast
    """

    default: str = literal("the label of all other values")

    def expression(self, artifact: Any) -> exp.Expression:
        """Gives a CASE with a branch for each group, and one for the rest."""
        return group_expression(self.target.name, self.groups, text(self.default))


def group_expression(
    target: str, groups: Mapping[str, Sequence[str]], otherwise: exp.Expression | None
) -> exp.Expression:
    """Gives the label of a value's group, or something else for known values in none."""
    branches = [
        exp.If(this=_is_one_of(target, values), true=text(label))
        for label, values in groups.items()
    ]
    if otherwise is not None:
        known = exp.Not(this=exp.Is(this=column(target), expression=exp.Null()))
        branches.append(exp.If(this=known, true=otherwise))
    return exp.Case(ifs=branches)


def _is_one_of(target: str, values: Sequence[str]) -> exp.Expression:
    if len(values) == 1:
        return exp.EQ(this=column(target), expression=text(values[0]))
    return exp.In(this=column(target), expressions=[text(value) for value in values])
