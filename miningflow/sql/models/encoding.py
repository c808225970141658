"""Encoded predictors as SQL: scaling of numbers, indicators of categories."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np
from sqlglot import exp

from miningflow.learn.encoding import Encoding, NominalPredictor, NumericPredictor
from miningflow.sql.literals import column, double, text


def encoded(encoding: Encoding) -> list[exp.Expression]:
    """Gives an expression for each encoded column."""
    trees: list[exp.Expression] = []
    for predictor in encoding.predictors:
        if isinstance(predictor, NumericPredictor):
            trees.append(_scaled(predictor))
        else:
            for i in range(predictor.width):
                codes = [float(code) for code in predictor.codes[:, i]]
                trees.append(by_category(predictor, codes, float(predictor.unseen[i])))
    return trees


def is_encodable(encoding: Encoding, table: str | None = None) -> exp.Expression:
    """Holds for rows in which no encoded column is NULL."""
    conditions: list[exp.Expression] = []
    for predictor in encoding.predictors:
        feature = column(predictor.name, table)
        if isinstance(predictor, NominalPredictor) and np.isnan(predictor.unseen).any():
            known = [text(category) for category in predictor.categories]
            conditions.append(exp.In(this=feature, expressions=known))
        else:
            conditions.append(exp.Not(this=exp.Is(this=feature, expression=exp.Null())))
    return cast(exp.Expression, exp.and_(*conditions, copy=False))


def by_category(
    predictor: NominalPredictor, values: Sequence[float], unseen: float
) -> exp.Expression:
    """Gives a number for each category; NULL stays NULL, and NaN for unseen values means NULL."""
    feature = column(predictor.name)
    cases = [
        exp.If(this=exp.EQ(this=feature.copy(), expression=text(category)), true=double(value))
        for category, value in zip(predictor.categories, values, strict=True)
    ]
    if math.isnan(unseen):
        return exp.Case(ifs=cases) if cases else exp.Null()
    missing = exp.If(this=exp.Is(this=feature, expression=exp.Null()), true=exp.Null())
    return exp.Case(ifs=[*cases, missing], default=double(unseen))


def _scaled(predictor: NumericPredictor) -> exp.Expression:
    tree: exp.Expression = column(predictor.name)
    if predictor.mean != 0:
        difference = exp.Sub(this=tree, expression=double(predictor.mean))
        tree = exp.Paren(this=difference) if predictor.scale != 1 else difference
    if predictor.scale != 1:
        tree = exp.Div(this=tree, expression=double(predictor.scale))
    return tree
