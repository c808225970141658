"""A CalibratedClassifierCV with sigmoids: the mean of its members' probabilities."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from miningflow.fitted.refusals import check_fitted, refused
from miningflow.fitted.steps import machine_over
from miningflow.sql.block import Block
from miningflow.sql.literals import column, double, unused
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.classes import by_greatest
from miningflow.sql.models.columns import Columns
from miningflow.sql.models.decisions import decided, output_names
from miningflow.sql.models.values import literal

# Below, EXP underflows on PostgreSQL with an error; above, it overflows everywhere.
SMALLEST_EXPONENT = -600.0
LARGEST_EXPONENT = 700.0


def calibrated(fitted: Any, columns: Columns) -> tuple[Block, list[str]]:
    """Adds the probability of the second of two classes, or that of each, and the likeliest class.

    Gives the rows and the names of what it added.
    """
    check_fitted(fitted, len(columns.values))
    if fitted.method != "sigmoid":
        raise refused(
            f"CalibratedClassifierCV with method {fitted.method!r} cannot be written as SQL",
            "use method='sigmoid'",
        )
    classes = tuple(fitted.classes_)
    two = len(classes) == 2
    members = fitted.calibrated_classifiers_
    shares: list[list[str]] = [[] for _ in classes[1 if two else 0 :]]
    rows = columns.rows
    for number, member in enumerate(members, 1):
        rows, names = _member(member, Columns(rows, columns.values), classes, number)
        for share, name in zip(shares, names, strict=True):
            share.append(name)
    outputs = ["probability"] if two else [f"probability_{i}" for i in range(len(classes))]
    means = {name: _mean(share) for name, share in zip(outputs, shares, strict=True)}
    rows = rows.extend(means).layered()
    labels = [literal(c) for c in classes]
    label = _likelier(outputs[0], labels) if two else by_greatest(outputs, labels, outputs)
    return rows.extend({"label": label}), [*outputs, "label"]


def _member(
    member: Any, columns: Columns, classes: tuple[Any, ...], number: int
) -> tuple[Block, list[str]]:
    machine, reaching = machine_over(member.estimator, columns)
    taken = reaching.rows.columns
    names = [unused(f"{name} of {number}", taken) for name in output_names(machine)]
    decisions = names[:-1]
    if tuple(member.estimator.classes_) != classes or len(decisions) != len(member.calibrators):
        raise refused(
            "CalibratedClassifierCV has a member that does not decide about each class",
            "use decision_function_shape='ovr', and folds that hold rows of all classes",
        )
    rows = decided(machine, reaching, names).owned_by(f"member {number}").layered()
    sigmoids = [unused(f"sigmoid {i} of {number}", rows.columns) for i in range(len(decisions))]
    curves = zip(sigmoids, decisions, member.calibrators, strict=True)
    rows = rows.extend({s: _sigmoid(d, float(c.a_), float(c.b_)) for s, d, c in curves}).layered()
    if len(classes) == 2:
        return rows, sigmoids
    total = balanced_sum([column(s) for s in sigmoids])
    shares = {
        unused(f"share {i} of {number}", rows.columns): _share(s, total, len(classes))
        for i, s in enumerate(sigmoids)
    }
    return rows.extend(shares).layered(), list(shares)


def _sigmoid(decision: str, slope: float, offset: float) -> exp.Expression:
    """Gives 1 / (1 + exp(a·f + b))."""
    product = exp.Mul(this=double(slope), expression=column(decision))
    z = exp.Paren(this=exp.Add(this=product, expression=double(offset)))
    below = exp.LT(this=z, expression=double(SMALLEST_EXPONENT))
    above = exp.GT(this=z.copy(), expression=double(LARGEST_EXPONENT))
    grown = exp.Paren(this=exp.Add(this=double(1), expression=exp.Exp(this=z.copy().this)))
    return exp.Case(
        ifs=[exp.If(this=below, true=double(1)), exp.If(this=above, true=double(0))],
        default=_divided(double(1), grown),
    )


def _share(sigmoid: str, total: exp.Expression, classes: int) -> exp.Expression:
    """Divides by the sum over all classes; where that is zero, all are alike."""
    zero = exp.EQ(this=exp.Paren(this=total.copy()), expression=double(0))
    share = _divided(column(sigmoid), exp.Paren(this=total.copy()))
    return exp.Case(ifs=[exp.If(this=zero, true=double(1 / classes))], default=share)


def _mean(names: list[str]) -> exp.Expression:
    total = exp.Paren(this=balanced_sum([column(name) for name in names]))
    return _divided(total, double(len(names)))


def _likelier(probability: str, labels: list[exp.Expression]) -> exp.Expression:
    half = double(0.5)
    likely = exp.GT(this=column(probability), expression=half)
    unlikely = exp.LTE(this=column(probability), expression=half.copy())
    first, second = labels
    return exp.Case(ifs=[exp.If(this=likely, true=second), exp.If(this=unlikely, true=first)])


def _divided(dividend: exp.Expression, divisor: exp.Expression) -> exp.Expression:
    return exp.Div(this=dividend, expression=divisor, typed=True, safe=False)
