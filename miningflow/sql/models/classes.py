"""From decision values to classes: by sign, by the greatest, and by votes of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sqlglot import exp

from miningflow.sql.conditions import is_null, when
from miningflow.sql.literals import column, double
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.finite import GREATEST


def by_sign(
    decision: str, below: exp.Expression, above: exp.Expression, zero_is_above: bool
) -> exp.Expression:
    """Chooses between two classes; NULL, NaN and infinity have none."""
    value = column(decision)
    low = value.between(double(-GREATEST), double(0))
    high = value.between(double(0), double(GREATEST))
    choices = [exp.If(this=high, true=above), exp.If(this=low, true=below)]
    return exp.Case(ifs=choices if zero_is_above else choices[::-1])  # zero goes to the first


def by_greatest(
    values: Sequence[str], labels: Sequence[exp.Expression], known: Sequence[str]
) -> exp.Expression:
    """Chooses the class of the greatest value, the first of equal ones; NULL unless all are known.

    A class that is not below any later one has the greatest value, as no earlier one was chosen.
    """
    missing = is_null(exp.Paren(this=_sum(known)))
    choices = [exp.If(this=missing, true=exp.Null())]
    for i in range(len(values) - 1):
        later = [column(name) for name in values[i + 1 :]]
        greatest = exp.Greatest(this=later[0], expressions=later[1:]) if later[1:] else later[0]
        is_greatest = exp.GTE(this=column(values[i]), expression=greatest)
        choices.append(exp.If(this=is_greatest, true=labels[i]))
    return exp.Case(ifs=choices, default=labels[-1])


def votes_of_pairs(
    decisions: Sequence[str], classes: int, zero_is_first: bool
) -> list[exp.Expression]:
    """Counts for each class the pairs it wins; above 0 the first of a pair wins.

    libsvm assigns a pair at zero to the second class when it predicts, scikit-learn to the first
    when it computes decision values.
    """
    won: list[list[exp.Expression]] = [[] for _ in range(classes)]
    for decision, (first, second) in zip(decisions, combinations(range(classes), 2), strict=True):
        wins = exp.GTE if zero_is_first else exp.GT
        condition = wins(this=column(decision), expression=double(0))
        won[first].append(_choice(condition, 1, 0))
        won[second].append(_choice(condition.copy(), 0, 1))
    return [balanced_sum(votes) for votes in won]


def one_vs_rest_of_pairs(decisions: Sequence[str], votes: Sequence[str]) -> list[exp.Expression]:
    """Adds to the votes of each class its confidences, squashed to less than a third of a vote."""
    parts: list[list[exp.Expression]] = [[] for _ in votes]
    pairs = combinations(range(len(votes)), 2)
    for decision, (first, second) in zip(decisions, pairs, strict=True):
        parts[first].append(column(decision))
        parts[second].append(exp.Neg(this=column(decision)))
    values: list[exp.Expression] = []
    for vote, confidences in zip(votes, parts, strict=True):
        confidence = balanced_sum(confidences)
        size = exp.Abs(this=confidence.copy()) + double(1)
        bound = double(3) * exp.Paren(this=size)
        squashed = exp.Div(
            this=exp.Paren(this=confidence),
            expression=exp.Paren(this=bound),
            typed=True,
            safe=False,
        )
        values.append(exp.Add(this=column(vote), expression=squashed))
    return values


def _choice(condition: exp.Expression, yes: int, no: int) -> exp.Expression:
    return when(condition, double(yes), double(no))


def _sum(names: Sequence[str]) -> exp.Expression:
    return balanced_sum([column(name) for name in names])
