"""Measures of scores: how they rank the rows of a class, and how well probabilities fit."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from miningflow.declare.operator import BASELINE
from miningflow.sql.conditions import when
from miningflow.sql.counting import as_double, count_if, minus, over_groups, plus, share, times
from miningflow.sql.literals import column, double, text

from .measures import ACTUAL, DECISION, PROBABILITY, Measures, both_known

# Where scikit-learn cuts probabilities off, since LN(0) is infinite.
SMALLEST_PROBABILITY = 2.0**-52


def measures_of_ranking(positive: str, groups: Sequence[exp.Expression]) -> Measures:
    """Measures how a decision value ranks the rows of a class; equal values are one threshold."""
    yes, no = _of(positive, DECISION)
    within = [*groups, both_known(ACTUAL, DECISION)]
    decision = column(DECISION)
    found = when(yes, double(1), double(0))
    rank = over_groups(exp.Anonymous(this="RANK"), within, decision)
    peers = over_groups(exp.Count(this=exp.Star()), [*within, decision])
    # one order for all: sorting is what takes long
    found_up_to = over_groups(exp.Sum(this=found), within, decision.copy())
    found_here = over_groups(exp.Sum(this=found.copy()), [*within, decision])
    all_found = over_groups(exp.Sum(this=found.copy()), within)
    all_chosen = over_groups(exp.Count(this=exp.Star()), within)
    half = times(minus(column("peers"), double(1)), double(0.5))
    taken = plus(minus(column("all_chosen"), column("first_rank")), double(1))
    caught = plus(minus(column("all_caught"), column("caught_up_to")), column("caught_here"))
    others = minus(column("all_chosen"), column("all_caught"))
    apart = minus(times(caught, others), times(minus(taken, caught), column("all_caught")))
    positives, negatives = column("ranked_positives"), column("ranked_negatives")
    least = times(positives, plus(positives, double(1)), double(0.5))
    pairs = times(positives, negatives)
    return Measures(
        {
            "first_rank": as_double(rank),
            "peers": as_double(peers),
            "caught_up_to": found_up_to,
            "caught_here": found_here,
            "all_caught": all_found,
            "all_chosen": as_double(all_chosen),
        },
        {
            "ranked_positives": count_if(yes),
            "ranked_negatives": count_if(no),
            "ranks": exp.Sum(this=when(yes.copy(), plus(column("first_rank"), half))),
            "precisions_above": exp.Sum(this=when(yes.copy(), share(caught, taken))),
            "farthest": exp.Max(
                this=when(both_known(ACTUAL, DECISION), exp.Abs(this=exp.Paren(this=apart)))
            ),
        },
        {
            "auc": share(minus(column("ranks"), least), pairs),
            "pr_auc": share(column("precisions_above"), positives),
            "ks": share(column("farthest"), pairs),
            f"{BASELINE}auc": double(0.5),
            f"{BASELINE}pr_auc": share(positives, plus(positives, negatives)),
            f"{BASELINE}ks": double(0),
        },
    )


def measures_of_probability(positive: str) -> Measures:
    """Measures how well probabilities fit; NULL if one of them is not between 0 and 1.

    The baselines are those of giving every row the share of the class.
    """
    yes, no = _of(positive, PROBABILITY)
    given, known = column(PROBABILITY), both_known(ACTUAL, PROBABILITY)
    of_truth = when(yes, given, minus(double(1), given))
    low, high = double(SMALLEST_PROBABILITY), double(1 - SMALLEST_PROBABILITY)
    cut = exp.Case(
        ifs=[
            exp.If(this=exp.LT(this=of_truth.copy(), expression=low), true=low.copy()),
            exp.If(this=exp.GT(this=of_truth.copy(), expression=high), true=high.copy()),
        ],
        default=of_truth.copy(),
    )
    missed = minus(double(1), of_truth)
    possible = exp.And(
        this=exp.GTE(this=column("least_given"), expression=double(0)),
        expression=exp.LTE(this=column("most_given"), expression=double(1)),
    )
    rows = plus(column("given_positives"), column("given_negatives"))
    rate = share(column("given_positives"), rows)
    rest = share(column("given_negatives"), rows)
    both = exp.And(
        this=exp.GT(this=column("given_positives"), expression=double(0)),
        expression=exp.GT(this=column("given_negatives"), expression=double(0)),
    )
    entropy = plus(times(rate, exp.Ln(this=rate.copy())), times(rest, exp.Ln(this=rest.copy())))
    one_class = when(exp.GT(this=exp.Paren(this=rows.copy()), expression=double(0)), double(0))
    return Measures(
        {},
        {
            "given_positives": count_if(yes),
            "given_negatives": count_if(no),
            "least_given": exp.Min(this=when(known, given.copy())),
            "most_given": exp.Max(this=when(known.copy(), given.copy())),
            "squares": exp.Sum(this=when(known.copy(), times(missed, missed))),
            "surprise": exp.Sum(this=when(known.copy(), exp.Neg(this=exp.Ln(this=cut)))),
        },
        {
            "brier": when(possible, share(column("squares"), rows)),
            "log_loss": when(possible.copy(), share(column("surprise"), rows)),
            f"{BASELINE}brier": times(rate, rest),
            f"{BASELINE}log_loss": when(both, minus(double(0), entropy), one_class),
        },
    )


def _of(positive: str, score: str) -> tuple[exp.Expression, exp.Expression]:
    """Returns the conditions for rows of the class and of any other, which have a score."""
    yes, no = (kind(this=column(ACTUAL), expression=text(positive)) for kind in (exp.EQ, exp.NEQ))
    known = exp.Not(this=exp.Is(this=column(score), expression=exp.Null()))
    return exp.And(this=yes, expression=known), exp.And(this=no, expression=known.copy())
