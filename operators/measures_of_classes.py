"""Measures of predicted classes: all of them alike, one of them, and what mistakes cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from miningflow.declare.operator import BASELINE
from miningflow.sql.conditions import when
from miningflow.sql.counting import (
    as_double,
    count_if,
    minus,
    over_groups,
    plus,
    row_count,
    share,
    sum_if,
    times,
)
from miningflow.sql.literals import column, double, text

from .measures import ACTUAL, PREDICTED, Measures, both_known

OUTCOMES = ("true_positives", "false_positives", "false_negatives", "true_negatives")


def measures_of_classes(groups: Sequence[exp.Expression]) -> Measures:
    """Measures how often a prediction is right, over all rows and on average over the classes.

    The average is over the classes that occur in the truth. The baselines are those of always
    predicting the most frequent class.
    """
    known, right = both_known(ACTUAL, PREDICTED), _right()
    in_class = over_groups(exp.Count(this=exp.Star()), [*groups, known, column(ACTUAL)])
    pair = [*groups, column(ACTUAL), column(PREDICTED)]
    place = over_groups(exp.RowNumber(), pair, column(ACTUAL))
    most = exp.Max(this=when(known.copy(), column("in_class")))
    classes = exp.Count(this=exp.Distinct(expressions=[when(known.copy(), column(ACTUAL))]))
    accuracy = share(column("hits"), column("compared"))
    return Measures(
        {
            "in_class": as_double(in_class),
            "in_pair": as_double(over_groups(exp.Count(this=exp.Star()), pair)),
            "place_in_pair": as_double(place),
        },
        {
            "compared": count_if(known),
            "hits": count_if(right),
            "most": most,
            "classes": as_double(classes),
            "recalls": _over_classes(column("in_pair"), column("in_class")),
        },
        {
            "accuracy": accuracy,
            "error": minus(double(1), accuracy),
            "balanced_accuracy": share(column("recalls"), column("classes")),
            f"{BASELINE}accuracy": _most_share(),
            f"{BASELINE}error": minus(double(1), _most_share()),
            f"{BASELINE}balanced_accuracy": share(double(1), column("classes")),
        },
    )


def macro_measures(groups: Sequence[exp.Expression]) -> Measures:
    """Averages precision and F1 over the classes that occur in the truth.

    A class that is never predicted has a precision of 0 here, as in scikit-learn.
    """
    known = both_known(ACTUAL, PREDICTED)
    in_prediction = over_groups(exp.Count(this=exp.Star()), [*groups, known, column(PREDICTED)])
    both = plus(column("in_class"), column("in_prediction"))
    constant = share(_most_share(), column("classes"))
    doubled = share(times(double(2), column("most")), plus(column("compared"), column("most")))
    return Measures(
        {"in_prediction": as_double(in_prediction)},
        {
            "precisions": _over_classes(column("in_pair"), column("in_prediction")),
            "harmonics": _over_classes(times(double(2), column("in_pair")), both),
        },
        {
            "macro_precision": share(column("precisions"), column("classes")),
            "macro_f1": share(column("harmonics"), column("classes")),
            f"{BASELINE}macro_precision": constant,
            f"{BASELINE}macro_f1": share(doubled, column("classes")),
        },
    )


def measures_of_one_class(positive: str) -> Measures:
    """Measures how well one class is found.

    The baselines are those of choosing as many rows at random.
    """
    yes, no = (kind(this=column(ACTUAL), expression=text(positive)) for kind in (exp.EQ, exp.NEQ))
    said, denied = (
        kind(this=column(PREDICTED), expression=text(positive)) for kind in (exp.EQ, exp.NEQ)
    )
    sides = ((yes, said), (no, said), (yes, denied), (no, denied))
    counts = {
        name: count_if(exp.And(this=truth.copy(), expression=answer.copy()))
        for name, (truth, answer) in zip(OUTCOMES, sides, strict=True)
    }
    hits, alarms, misses, _ = (column(name) for name in OUTCOMES)
    chosen, there = plus(hits, alarms), plus(hits, misses)
    either = plus(times(double(2), hits), alarms, misses)
    by_chance = share(times(double(2), chosen, there), times(column("compared"), either))
    return Measures(
        {},
        counts,
        {
            "precision": share(hits, chosen),
            "recall": share(hits, there),
            "f1": share(times(double(2), hits), either),
            f"{BASELINE}precision": share(there, column("compared")),
            f"{BASELINE}recall": share(chosen, column("compared")),
            f"{BASELINE}f1": by_chance,
        },
    )


def outcomes() -> Measures:
    """Counts the rows of each outcome."""
    return Measures(measures={name: column(name) for name in OUTCOMES})


def measures_of_costs(costs: Mapping[str, float]) -> Measures:
    """Adds up what each outcome costs, beside treating nobody or everybody as positive."""
    hits, alarms, misses, quiet = (column(name) for name in OUTCOMES)
    hit, alarm, miss, rest = (
        costs.get(name, 0.0)
        for name in ("true_positive", "false_positive", "false_negative", "true_negative")
    )
    there, others, rows = plus(hits, misses), plus(alarms, quiet), column("compared")

    def cost(*amounts: tuple[exp.Expression, float]) -> exp.Expression:
        return plus(*(times(count, double(each)) for count, each in amounts))

    total = cost((hits, hit), (alarms, alarm), (misses, miss), (quiet, rest))
    nobody = share(cost((there, miss), (others, rest)), rows)
    everybody = share(cost((there, hit), (others, alarm)), rows)
    less = exp.LTE(this=nobody.copy(), expression=everybody.copy())
    return Measures(
        measures={
            "expected_cost": share(total, rows),
            "total_cost": total,
            "cost_of_nobody": nobody,
            "cost_of_everybody": everybody,
            f"{BASELINE}expected_cost": when(less, nobody.copy(), everybody.copy()),
        }
    )


def counted_rows() -> Measures:
    """Counts the rows, and those without truth or prediction."""
    return Measures(
        sums={"rows": row_count()},
        measures={"rows": column("rows"), "unknown": minus(column("rows"), column("compared"))},
    )


def _over_classes(part: exp.Expression, whole: exp.Expression) -> exp.Expression:
    """Adds up a share over the classes, each by one of the rows that are predicted as it rightly.

    A sum over all rows would lose digits: with a million of them it was wrong by 5e-12.
    """
    is_first = exp.EQ(this=column("place_in_pair"), expression=double(1))
    return sum_if(exp.And(this=_right(), expression=is_first), share(part, whole))


def _right() -> exp.Expression:
    return exp.EQ(this=column(ACTUAL), expression=column(PREDICTED))


def _most_share() -> exp.Expression:
    return share(column("most"), column("compared"))
