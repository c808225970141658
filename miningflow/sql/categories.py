"""CASE expressions that turn values into categories: intervals of numbers, groups of values."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from sqlglot import exp

from miningflow.sql.conditions import is_known

from .literals import column, double, text


def interval_case(
    feature: str, cuts: Sequence[float], closed: str, labels: Sequence[str] | None = None
) -> exp.Expression:
    """Returns the label of the interval between cut points that a number lies in; NULL stays NULL.

    `closed` is the end that belongs to an interval, `left` or `right`.
    """
    labels = interval_labels(cuts, closed) if labels is None else labels
    compare = exp.LT if closed == "left" else exp.LTE
    cases = [
        exp.If(this=compare(this=column(feature), expression=double(cut)), true=text(label))
        for cut, label in zip(cuts, labels[:-1], strict=True)
    ]
    return exp.Case(ifs=[*cases, exp.If(this=_is_known(feature), true=text(labels[-1]))])


def interval_labels(cuts: Sequence[float], closed: str) -> list[str]:
    """Names the intervals between cut points after their ends."""
    if not cuts:
        return ["all"]
    ends = [f"{cut:.6g}" for cut in cuts]
    if len(set(ends)) < len(ends):
        ends = [repr(cut) for cut in cuts]
    inner = [f"{low} to {high}" for low, high in itertools.pairwise(ends)]
    if closed == "left":
        return [f"below {ends[0]}", *inner, f"{ends[-1]} or more"]
    return [f"up to {ends[0]}", *inner, f"above {ends[-1]}"]


def group_case(
    feature: str, groups: Mapping[str, Sequence[str]], otherwise: exp.Expression | None
) -> exp.Expression:
    """Returns the label of the group that a value is in, or `otherwise`; NULL stays NULL."""
    branches = [
        exp.If(this=_is_one_of(feature, values), true=text(label))
        for label, values in groups.items()
    ]
    if otherwise is not None:
        branches.append(exp.If(this=_is_known(feature), true=otherwise))
    return exp.Case(ifs=branches)


def _is_known(feature: str) -> exp.Expression:
    return is_known(column(feature))


def _is_one_of(feature: str, values: Sequence[str]) -> exp.Expression:
    if len(values) == 1:
        return column(feature).eq(text(values[0]))
    return exp.In(this=column(feature), expressions=[text(value) for value in values])
