"""Trees that were read from scikit-learn as CASE expressions."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqlglot import exp

from miningflow.fitted.read_trees import Leaf, ReadTree, Split
from miningflow.sql.literals import double
from miningflow.sql.models.values import is_missing

_Written = tuple[exp.Expression, int]
"""An expression, and how deep its cases are nested."""


def tree_case(
    tree: ReadTree, output: int, columns: Sequence[exp.Expression], largest: float
) -> exp.Expression:
    """Writes one output of a tree; no column is beyond ± `largest`.

    The side with fewer levels comes first, so that cases are nested no deeper than the logarithm
    of the number of leaves.
    """
    written: dict[int, _Written] = {}
    for number in reversed(range(len(tree))):
        node = tree[number]
        if isinstance(node, Split):
            sides = written.pop(node.left), written.pop(node.right)
            written[number] = _choice(node, *sides, columns[node.position], largest)
        else:
            written[number] = double(_value(node, output)), 0
    return written[0][0]


def _value(leaf: Leaf, output: int) -> float:
    return leaf[output]


def _choice(
    split: Split, left: _Written, right: _Written, column: exp.Expression, largest: float
) -> _Written:
    if left[1] == right[1] == 0 and left[0] == right[0]:
        return left
    left_first = left[1] <= right[1]
    (first, levels), (second, more) = (left, right) if left_first else (right, left)
    asked = (
        _goes_left(split, column, largest) if left_first else _goes_right(split, column, largest)
    )
    branches = [exp.If(this=asked, true=first)]
    if isinstance(second, exp.Case):  # what follows ELSE is further branches
        branches += second.args["ifs"]
        second = second.args["default"]
    return exp.Case(ifs=branches, default=second), max(levels + 1, more)


def _goes_left(split: Split, column: exp.Expression, largest: float) -> exp.Expression:
    if split.categories is not None:
        others = tuple(c for c in split.known if c not in split.categories)
        if split.missing_left:  # so does what no training row had
            return _is_missing_or(exp.Not(this=_is_one_of(column, others)), column)
        return _is_one_of(column, split.categories)
    at_most = exp.LTE(this=column.copy(), expression=double(split.bound))
    return _is_missing_or(at_most, column) if split.missing_left else at_most


def _goes_right(split: Split, column: exp.Expression, largest: float) -> exp.Expression:
    if split.categories is not None:
        if split.missing_left:
            others = tuple(c for c in split.known if c not in split.categories)
            return _is_one_of(column, others)
        return _is_missing_or(exp.Not(this=_is_one_of(column, split.categories)), column)
    least = math.nextafter(split.bound, math.inf)
    if least > largest:  # only what is missing goes to the right
        return exp.false() if split.missing_left else is_missing(column, numeric=True)
    above = exp.Between(this=column.copy(), low=double(least), high=double(largest))
    return above if split.missing_left else _is_missing_or(above, column)


def _is_one_of(column: exp.Expression, categories: Sequence[float]) -> exp.Expression:
    if not categories:
        return exp.false()
    return exp.In(this=column.copy(), expressions=[double(c) for c in categories])


def _is_missing_or(condition: exp.Expression, column: exp.Expression) -> exp.Expression:
    return exp.Or(this=condition, expression=is_missing(column, numeric=True))
