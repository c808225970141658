"""Measures of predicted numbers, beside those of always predicting the mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from miningflow.declare.operator import BASELINE
from miningflow.sql.conditions import when
from miningflow.sql.counting import count_if, minus, over_groups, share, times
from miningflow.sql.literals import column, double

from .measures import ACTUAL, PREDICTED, Measures, both_known


def measures_of_numbers(
    epsilon: float, costs: Mapping[str, float], groups: Sequence[exp.Expression]
) -> Measures:
    """Measures the size of errors; `costs` says what numbers that are too low or too high cost."""
    known = both_known(ACTUAL, PREDICTED)
    mean = over_groups(exp.Avg(this=when(known, column(ACTUAL))), groups)
    error = minus(column(PREDICTED), column(ACTUAL))
    of_mean = when(known.copy(), minus(column("mean"), column(ACTUAL)))
    own, constant = column("squared_error"), column("squared_error_of_mean")
    varies = exp.LT(this=column("lowest"), expression=column("highest"))
    errors = _averages(error, epsilon, costs)
    baselines = _averages(of_mean, epsilon, costs)
    return Measures(
        {"mean": mean},
        {
            "compared": count_if(known),
            "lowest": exp.Min(this=when(known.copy(), column(ACTUAL))),
            "highest": exp.Max(this=when(known.copy(), column(ACTUAL))),
            "zeros": count_if(
                exp.And(
                    this=known.copy(),
                    expression=exp.EQ(this=column(ACTUAL), expression=double(0)),
                )
            ),
            **errors,
            **{f"{name}_of_mean": tree for name, tree in baselines.items()},
        },
        {
            **_measures(errors, ""),
            "r2": when(varies, minus(double(1), share(own, constant))),
            **{f"{BASELINE}{name}": t for name, t in _measures(errors, "_of_mean").items()},
            f"{BASELINE}r2": when(varies.copy(), double(0)),
        },
    )


def _averages(
    difference: exp.Expression, epsilon: float, costs: Mapping[str, float]
) -> dict[str, exp.Expression]:
    """Averages what the differences between two numbers cost, NULL not counted."""
    difference = exp.Paren(this=difference) if isinstance(difference, exp.Binary) else difference
    size = exp.Abs(this=difference.copy())
    known = exp.Not(this=exp.Is(this=difference.copy(), expression=exp.Null()))
    too_large = exp.GT(this=size.copy(), expression=double(epsilon))
    beyond = exp.Case(
        ifs=[
            exp.If(this=too_large, true=minus(size, double(epsilon))),
            exp.If(this=known, true=double(0)),
        ]
    )
    truth = exp.Nullif(this=exp.Abs(this=column(ACTUAL)), expression=double(0))
    relative = exp.Div(this=size.copy(), expression=truth)
    found: dict[str, exp.Expression] = {
        "absolute_error": exp.Avg(this=size.copy()),
        "squared_error": exp.Avg(this=times(difference, difference)),
        "beyond_epsilon": exp.Avg(this=beyond),
        "relative_error": exp.Avg(this=relative),
    }
    if costs:
        is_low = exp.LT(this=difference.copy(), expression=double(0))
        low, high = (costs.get(name, 0.0) for name in ("too_low", "too_high"))
        cost = when(is_low, times(size, double(low)), times(size, double(high)))
        found["weighted_error"] = exp.Avg(this=cost)
    return found


def _measures(averages: Mapping[str, exp.Expression], suffix: str) -> dict[str, exp.Expression]:
    no_zeros = exp.EQ(this=column("zeros"), expression=double(0))
    found: dict[str, exp.Expression] = {
        "mean_absolute_error": column(f"absolute_error{suffix}"),
        "root_mean_squared_error": exp.Sqrt(this=column(f"squared_error{suffix}")),
        "mean_error_beyond_epsilon": column(f"beyond_epsilon{suffix}"),
        "mean_absolute_percentage_error": when(no_zeros, column(f"relative_error{suffix}")),
    }
    if "weighted_error" in averages:
        found["asymmetric_loss"] = column(f"weighted_error{suffix}")
    return found
