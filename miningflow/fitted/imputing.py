"""A fitted SimpleImputer: missing values filled, and indicators of what was missing."""

from __future__ import annotations

import math
from typing import Any

from sqlglot import exp

from miningflow.fitted.refusals import check_fitted
from miningflow.sql.conditions import when
from miningflow.sql.literals import double
from miningflow.sql.models.model_inputs import ModelInputs
from miningflow.sql.models.values import (
    Coded,
    Number,
    Raw,
    Value,
    as_number,
    is_missing,
    literal,
    number_tree,
)


def imputed(imputer: Any, columns: ModelInputs) -> ModelInputs:
    """Returns the columns of an imputer, without those that had nothing to learn from."""
    check_fitted(imputer, len(columns.values))
    keeps_all = imputer.strategy == "constant" or imputer.keep_empty_features
    fills = list(zip(columns.values, imputer.statistics_, strict=True))
    values = [
        _filled(value, fill, imputer.missing_values)
        for value, fill in fills
        if keeps_all or not _is_nan(fill)
    ]
    if imputer.add_indicator:
        values += [
            _indicator(columns.values[int(i)], imputer.statistics_[int(i)], imputer.missing_values)
            for i in imputer.indicator_.features_
        ]
    return columns.with_values(values)


def _filled(value: Value, fill: Any, marker: Any) -> Value:
    if isinstance(value, Raw) and _is_text(fill):
        condition = _is_marked(value.tree, marker, numeric=False)
        return Raw(_choice(condition, literal(fill), value.tree.copy()), _is_nan(marker))
    number = as_number(value)
    if isinstance(number, Coded):
        return number.mapped(lambda code: float(fill) if _matches(code, marker) else code)
    tree = number_tree(number)
    condition = _is_marked(tree, marker, numeric=True)
    return Number(_choice(condition, double(float(fill)), tree.copy()))


def _indicator(value: Value, fill: Any, marker: Any) -> Value:
    if isinstance(value, Coded):
        return value.mapped(lambda code: float(_matches(code, marker)))
    as_text = isinstance(value, Raw) and _is_text(fill)
    tree = value.tree if as_text and isinstance(value, Raw) else number_tree(value)
    condition = _is_marked(tree, marker, numeric=not as_text)
    if _is_nan(marker):
        return Number(_choice(condition, double(1), double(0)))
    unknown = exp.If(this=is_missing(tree, not as_text), true=exp.Null())
    return Number(
        exp.Case(ifs=[unknown, exp.If(this=condition, true=double(1))], default=double(0))
    )


def _is_marked(tree: exp.Expression, marker: Any, numeric: bool) -> exp.Expression:
    """Holds where a value counts as missing: NULL and NaN, or the value that stands for it."""
    if _is_nan(marker):
        return is_missing(tree, numeric)
    written = double(float(marker)) if numeric else literal(marker)
    return exp.EQ(this=tree.copy(), expression=written)


def _matches(code: float, marker: Any) -> bool:
    return math.isnan(code) if _is_nan(marker) else code == marker


def _choice(condition: exp.Expression, yes: exp.Expression, no: exp.Expression) -> exp.Expression:
    return when(condition, yes, no)


def _is_nan(value: Any) -> bool:
    """Returns whether a value is missing: None, NaN or pandas' NA."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, float) and math.isnan(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
