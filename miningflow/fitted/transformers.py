"""Fitted transformers, one function each: columns in, columns out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
from sqlglot import exp

from miningflow.fitted.categories import one_hot, ordinal
from miningflow.fitted.imputing import imputed
from miningflow.fitted.refusals import check_fitted, is_scikit_learns, no_transformer, refused
from miningflow.sql.literals import double
from miningflow.sql.models.model_inputs import ModelInputs
from miningflow.sql.models.values import Coded, Number, Value, affine, as_number, number_tree


def transformed(transformer: Any, columns: ModelInputs) -> ModelInputs:
    """Reads what a fitted transformer does to columns."""
    if transformer is None or transformer == "passthrough":
        return columns
    reading = _READING.get(type(transformer).__name__)
    if reading is not None and is_scikit_learns(transformer):
        return reading(transformer, columns)
    if any(c.__name__ == "SelectorMixin" for c in type(transformer).__mro__):
        return _selected(transformer, columns)
    raise no_transformer(transformer)


def _pipeline(pipeline: Any, columns: ModelInputs) -> ModelInputs:
    for _, step in pipeline.steps:
        columns = transformed(step, columns)
    return columns


def _column_transformer(transformer: Any, columns: ModelInputs) -> ModelInputs:
    check_fitted(transformer, len(columns.values))
    indices: Mapping[str, list[int]] = transformer._transformer_to_input_indices
    values: list[Value] = []
    for name, part, _ in transformer.transformers_:
        if isinstance(part, str) and part == "drop":
            continue
        if len(indices[name]) == 0:
            continue  # scikit-learn leaves a part without columns unfitted
        branch = transformed(part, columns.pick(indices[name]))
        weight = (transformer.transformer_weights or {}).get(name, 1.0)
        stretch = partial(Number.stretched, factor=float(weight), offset=0.0)
        values += branch.values if weight == 1 else [affine(v, stretch) for v in branch.values]
        columns = ModelInputs(branch.rows, columns.values)
    return columns.with_values(values)


def _identity(transformer: Any, columns: ModelInputs) -> ModelInputs:
    if transformer.func is not None:
        raise refused(
            "FunctionTransformer calls a Python function, which cannot be written as SQL",
            "compute the column in the table, or use a transformer that is supported",
        )
    return columns


def _standard(scaler: Any, columns: ModelInputs) -> ModelInputs:
    check_fitted(scaler, len(columns.values))
    centers = scaler.mean_ if scaler.with_mean else None
    return _standardised(columns, centers, scaler.scale_)


def _robust(scaler: Any, columns: ModelInputs) -> ModelInputs:
    check_fitted(scaler, len(columns.values))
    return _standardised(columns, scaler.center_, scaler.scale_)


def _standardised(columns: ModelInputs, centers: Any, scales: Any) -> ModelInputs:
    width = len(columns.values)
    centers = np.zeros(width) if centers is None else centers
    scales = np.ones(width) if scales is None else scales
    return columns.with_values(
        affine(value, partial(Number.standardised, center=float(center), scale=float(scale)))
        for value, center, scale in zip(columns.values, centers, scales, strict=True)
    )


def _min_max(scaler: Any, columns: ModelInputs) -> ModelInputs:
    check_fitted(scaler, len(columns.values))
    values = [
        affine(value, partial(Number.stretched, factor=float(factor), offset=float(offset)))
        for value, factor, offset in zip(columns.values, scaler.scale_, scaler.min_, strict=True)
    ]
    if not scaler.clip:
        return columns.with_values(values)
    low, high = (float(bound) for bound in scaler.feature_range)
    once = columns.with_values(values).computed_once()
    return once.with_values(_clipped(value, low, high) for value in once.values)


def _clipped(value: Value, low: float, high: float) -> Value:
    number = as_number(value)
    if isinstance(number, Coded):
        return number.mapped(lambda code: min(max(code, low), high))
    tree = number_tree(number)
    # Nothing but numbers is clipped: NaN counts as greater than all, and must not become `high`.
    finite = float(np.finfo(np.float64).max)
    below = exp.Between(this=tree, low=double(-finite), high=double(low))
    above = exp.Between(this=tree.copy(), low=double(high), high=double(finite))
    choices = [exp.If(this=below, true=double(low)), exp.If(this=above, true=double(high))]
    return Number(exp.Case(ifs=choices, default=tree.copy()))


def _polynomial(features: Any, columns: ModelInputs) -> ModelInputs:
    check_fitted(features, len(columns.values))
    numbers = columns.with_values(as_number(value) for value in columns.values).computed_once()
    factors = [number_tree(value) for value in numbers.values]
    return numbers.with_values(_product(factors, powers) for powers in features.powers_)


def _product(factors: list[exp.Expression], powers: Any) -> Number:
    tree: exp.Expression | None = None
    for factor, power in zip(factors, powers, strict=True):
        for _ in range(int(power)):
            tree = factor.copy() if tree is None else exp.Mul(this=tree, expression=factor.copy())
    if tree is None:
        return Number(None, offset=1.0)
    return Number(exp.Paren(this=tree) if isinstance(tree, exp.Mul) else tree)


def _selected(selector: Any, columns: ModelInputs) -> ModelInputs:
    check_fitted(selector, len(columns.values))
    return columns.pick(int(i) for i in np.flatnonzero(selector.get_support()))


_READING: Final[Mapping[str, Callable[[Any, ModelInputs], ModelInputs]]] = {
    "Pipeline": _pipeline,
    "ColumnTransformer": _column_transformer,
    "FunctionTransformer": _identity,
    "StandardScaler": _standard,
    "RobustScaler": _robust,
    "MinMaxScaler": _min_max,
    "SimpleImputer": imputed,
    "OneHotEncoder": one_hot,
    "OrdinalEncoder": ordinal,
    "PolynomialFeatures": _polynomial,
}
