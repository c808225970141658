"""From decision values to probabilities: sigmoids, and shares of their sum."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqlglot import exp

from miningflow.sql.conditions import when
from miningflow.sql.literals import column, double
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.finite import GREATEST

# Below, EXP underflows on PostgreSQL with an error; above, it overflows everywhere.
SMALLEST_EXPONENT = -600.0
LARGEST_EXPONENT = 700.0


def sigmoid(decision: str, slope: float, offset: float) -> exp.Expression:
    """Returns 1 / (1 + exp(a·f + b))."""
    product = double(slope) * column(decision)
    z = exp.Paren(this=exp.Add(this=product, expression=double(offset)))
    below = z < double(SMALLEST_EXPONENT)
    above = z > double(LARGEST_EXPONENT)
    grown = exp.Paren(this=double(1) + exp.Exp(this=z.copy().this))
    return exp.Case(
        ifs=[exp.If(this=below, true=double(1)), exp.If(this=above, true=double(0))],
        default=divided(double(1), grown),
    )


def exponential(value: exp.Expression) -> exp.Expression:
    """Returns exp(x), and 0 where that is smaller than any double."""
    below = exp.LT(this=value, expression=double(SMALLEST_EXPONENT))
    return exp.Case(ifs=[exp.If(this=below, true=double(0))], default=exp.Exp(this=value.copy()))


def behind_logarithm(total: str) -> exp.Expression:
    """Returns exp(x) for a sum behind a logarithm; NULL where that is too large for a double."""
    largest = exp.LTE(this=column(total), expression=double(math.log(GREATEST)))
    return when(largest, exponential(column(total)))


def softmax_parts(decisions: Sequence[str]) -> list[exp.Expression]:
    """Returns exp(f − the greatest f) for each class; their shares are the softmax."""
    first, *others = (column(name) for name in decisions)
    greatest = exp.Greatest(this=first, expressions=others)
    return [exponential(exp.Paren(this=column(name) - greatest.copy())) for name in decisions]


def shares(sigmoids: Sequence[str]) -> list[exp.Expression]:
    """Divides each by the sum over all classes; where that is zero, all are alike."""
    total = exp.Paren(this=balanced_sum([column(name) for name in sigmoids]))
    zero = total.eq(double(0))
    alike = exp.If(this=zero, true=double(1 / len(sigmoids)))
    return [
        exp.Case(ifs=[alike.copy()], default=divided(column(name), total.copy()))
        for name in sigmoids
    ]


def divided(dividend: exp.Expression, divisor: exp.Expression) -> exp.Expression:
    """Divides doubles, as every engine does."""
    return exp.Div(this=dividend, expression=divisor, typed=True, safe=False)
