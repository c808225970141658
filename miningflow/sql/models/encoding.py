"""Encoded predictors as SQL: scaling of numbers, indicators of categories."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sqlglot import exp

from miningflow.learn.encoding import Encoding, NominalPredictor, NumericPredictor, Predictor
from miningflow.sql.block import Block
from miningflow.sql.literals import column, double
from miningflow.sql.models.model_inputs import ModelInputs
from miningflow.sql.models.values import Coded, Number, Value

Filling = Mapping[str, str | float]


def encoded(encoding: Encoding, rows: Block, filling: Filling | None = None) -> ModelInputs:
    """Returns the encoded columns over some rows, with values in place of NULL where there are."""
    values: list[Value] = []
    for predictor in encoding.predictors:
        fill = (filling or {}).get(predictor.name)
        values += _encoded(predictor, column(predictor.name), fill)
    return ModelInputs(rows, tuple(values))


def _encoded(
    predictor: Predictor, feature: exp.Expression, fill: str | float | None
) -> list[Value]:
    if isinstance(predictor, NumericPredictor):
        if fill is not None:
            feature = exp.Coalesce(this=feature, expressions=[double(float(fill))])
        return [Number(feature, 1 / predictor.scale, predictor.mean)]
    codes = predictor.codes
    return [
        Coded(
            feature,
            predictor.categories,
            tuple(float(code) for code in codes[:, i]),
            None if fill is None else _code(predictor, str(fill), i),
            _known(float(predictor.unseen[i])),
        )
        for i in range(predictor.width)
    ]


def _code(predictor: NominalPredictor, category: str, i: int) -> float | None:
    if category in predictor.categories:
        return float(predictor.codes[predictor.categories.index(category), i])
    return _known(float(predictor.unseen[i]))


def _known(code: float) -> float | None:
    return None if math.isnan(code) else code
