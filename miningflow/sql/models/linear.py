"""A linear model as SQL: one balanced sum, scaling and categories folded into the weights."""

from __future__ import annotations

from sqlglot import exp

from miningflow.learn.encoding import Encoding, NumericPredictor
from miningflow.learn.svm import LinearModel
from miningflow.sql.literals import column, double
from miningflow.sql.models.balanced import balanced_sum
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
