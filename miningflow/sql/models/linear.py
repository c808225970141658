"""A linear model as SQL: one balanced sum, scaling and categories folded into the weights."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from miningflow.learn.encoding import Encoding, NumericPredictor
from miningflow.learn.svm import LinearModel
from miningflow.sql.literals import column, double
from miningflow.sql.models.encoding import by_category


def linear_decision(model: LinearModel, encoding: Encoding) -> exp.Expression:
    """Gives w·x + b over the raw features."""
    intercept = model.intercept
    terms: list[exp.Expression] = []
    start = 0
    for predictor in encoding.predictors:
        weights = model.weights[start : start + predictor.width]
        start += predictor.width
        if isinstance(predictor, NumericPredictor):
            weight = float(weights[0]) / predictor.scale
            intercept -= weight * predictor.mean
            terms.append(exp.Mul(this=double(weight), expression=column(predictor.name)))
        else:
            values = [float(v) for v in predictor.codes @ weights]
            terms.append(by_category(predictor, values, float(predictor.unseen @ weights)))
    return balanced_sum([double(intercept), *terms])


def balanced_sum(terms: Sequence[exp.Expression]) -> exp.Expression:
    """Adds terms as a balanced tree: engines limit the depth of expressions."""
    if len(terms) == 1:
        return terms[0]
    middle = len(terms) // 2
    right = balanced_sum(terms[middle:])
    return exp.Add(
        this=balanced_sum(terms[:middle]),
        expression=exp.Paren(this=right) if isinstance(right, exp.Add) else right,
    )
