"""Warnings about predictors, from their encoding: constant, near-unique, or codes as text."""

from __future__ import annotations

from collections.abc import Iterator

from miningflow.learn.encoding import Encoding, NominalPredictor, NumericPredictor
from miningflow.warn.result_warning import ResultWarning

NEAR_UNIQUE = 0.9
FEWEST_VALUES = 20
MANY_CODES = 100


def suspected_constant(encoding: Encoding) -> list[str]:
    """Names the numeric predictors that may be constant: equal numbers are scaled by 1."""
    return [p.name for p in encoding.predictors if isinstance(p, NumericPredictor) and p.scale == 1]


def predictor_warnings(
    step: str, encoding: Encoding, rows: int, constant: list[str]
) -> Iterator[ResultWarning]:
    """Warns of predictors that say nothing, or that say too much."""
    for predictor in encoding.predictors:
        name = predictor.name
        if isinstance(predictor, NumericPredictor):
            if name in constant:
                yield _constant(step, name)
            continue
        if len(predictor.categories) < 2:
            yield _constant(step, name)
        elif len(predictor.categories) >= max(FEWEST_VALUES, NEAR_UNIQUE * rows):
            yield ResultWarning(
                "near_unique_predictor",
                step,
                "nearly every row has its own value, which no new row will have",
                "leave it out, or group its values",
                (name,),
            )
        elif _holds_numbers(predictor):
            yield ResultWarning(
                "numeric_nominal",
                step,
                f"a nominal predictor with {MANY_CODES} or more values that are all numbers",
                "declare it `numeric` if its size means something; otherwise group its values",
                (name,),
            )


def _constant(step: str, name: str) -> ResultWarning:
    return ResultWarning(
        "constant_predictor",
        step,
        "the same value in all rows that were learned from",
        "leave it out, or check the source",
        (name,),
    )


def _holds_numbers(predictor: NominalPredictor) -> bool:
    if len(predictor.categories) < MANY_CODES:
        return False
    try:
        [float(category) for category in predictor.categories]
    except ValueError:
        return False
    return True
