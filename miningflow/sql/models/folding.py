"""Linear machines over linear preprocessing: one balanced sum over the raw columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import mul

from sqlglot import exp

from miningflow.learn.arrays import Matrix
from miningflow.sql.literals import double
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.values import Coded, Value, as_number, coded_tree

# A center that far out, in units of the scale, would cost digits as part of the intercept.
FARTHEST_CENTER = 1e3


def folded(values: Sequence[Value], weights: Matrix, intercept: float) -> exp.Expression:
    """Returns w·x + b with scalings and categories folded into the weights.

    A weight of 0 keeps its term, since NULL in that column must still give NULL.
    """
    terms: list[exp.Expression] = []
    categories: dict[tuple[exp.Expression, tuple[object, ...]], Coded] = {}
    for value, weight in zip(values, (float(w) for w in weights), strict=True):
        number = as_number(value)
        if isinstance(number, Coded):
            weighted = number.mapped(partial(mul, weight))
            key = (number.source, number.categories)
            same = categories.get(key)
            categories[key] = weighted if same is None else _added(same, weighted)
            continue
        intercept += weight * number.offset
        if number.atom is None:
            continue
        factor, atom = weight * number.factor, number.atom.copy()
        if abs(number.center * number.factor) <= FARTHEST_CENTER:
            intercept -= factor * number.center
        else:
            atom = exp.Paren(this=exp.Sub(this=atom, expression=double(number.center)))
        terms.append(exp.Mul(this=double(factor), expression=atom))
    terms += [coded_tree(coded) for coded in categories.values()]
    return balanced_sum([double(intercept), *terms])


def _added(first: Coded, second: Coded) -> Coded:
    return Coded(
        first.source,
        first.categories,
        tuple(a + b for a, b in zip(first.numbers, second.numbers, strict=True)),
        _sum(first.missing, second.missing),
        _sum(first.unseen, second.unseen),
    )


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second
