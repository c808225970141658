"""Decision values of a machine over columns, in the SQL that suits each engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import assert_never

import numpy as np
from sqlglot import exp

from miningflow.learn.kernels import KernelModel, merged
from miningflow.learn.machines import LinearModels
from miningflow.sql.block import Block, PerEngine, Values, over
from miningflow.sql.dialects import DIALECTS
from miningflow.sql.literals import double
from miningflow.sql.models.finite import GREATEST
from miningflow.sql.models.folding import folded
from miningflow.sql.models.kernels.plain import plain_decisions
from miningflow.sql.models.kernels.postgres import postgres_decisions
from miningflow.sql.models.kernels.spark import spark_decisions
from miningflow.sql.models.kernels.support_vectors import kernel_decisions
from miningflow.sql.models.kernels.vector_lists import tables_of
from miningflow.sql.models.model_inputs import ModelInputs, new_names
from miningflow.sql.models.postgres_ranges import is_plain, off_zero, within_range
from miningflow.sql.models.values import Coded, Number, Raw, Value, number_tree
from miningflow.sql.postgres_once import in_range

# Squared, an item of a support vector that is smaller is no double any more, and neither is a
# coefficient that much smaller than the largest times a small kernel value: both raise on
# PostgreSQL, and count for nothing.
_SMALLEST_ITEM, _SMALLEST_SHARE = 1e-100, 1e-30
# A power of two takes no digit. Weights below the other times any number count for nothing.
_SCALE, _SMALLEST_WEIGHT = 2.0**-64, 1e-100


def with_decisions(
    model: LinearModels | KernelModel, columns: ModelInputs, outputs: Sequence[str]
) -> Block:
    """Adds a decision value per output to the rows of columns.

    It is NULL, NaN or infinite where a column that counts is.
    """
    shapes: LinearShapes | KernelShapes
    if isinstance(model, LinearModels):
        shapes = LinearShapes(model, columns.values, tuple(outputs))
    else:
        model = merged(_without_traces(model))
        tables = tables_of(model, len(columns.values))
        shapes = KernelShapes(model, columns.values, tuple(outputs), tables)
    return over(PerEngine(columns.rows, shapes, (*columns.rows.columns, *outputs)))


@dataclass(frozen=True, eq=False)
class LinearShapes:
    """Weights over columns: one sum per output."""

    model: LinearModels
    values_read: tuple[Value, ...]
    outputs: tuple[str, ...]
    tables: tuple[Values, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Returns the names of the columns that are read from the rows."""
        return _read(self.values_read)

    def block(self, rows: Block, dialect: str) -> Block:
        """Adds the sums to all columns of the rows, in SQL for one engine."""
        columns = ModelInputs(rows, self.values_read)
        known = DIALECTS[dialect]
        if known.raises_on_overflow:
            if known.computes_again and is_plain(columns):
                return self._scaled(off_zero(columns, self.inputs)).project(
                    [*rows.columns, *self.outputs]
                )
            columns = within_range(columns, self.inputs)
        if len(self.outputs) > 1:
            columns = columns.read_once()
        sums = [
            folded(columns.values, weights, float(intercept))
            for weights, intercept in zip(self.model.weights, self.model.intercepts, strict=True)
        ]
        added = dict(zip(self.outputs, sums, strict=True))
        return columns.rows.extend(added).project([*rows.columns, *self.outputs])

    def _scaled(self, columns: ModelInputs) -> Block:
        """Adds sums that are small enough not to overflow, and then made large again.

        Comparing each number with bounds made PostgreSQL take three times as long.
        """
        factors = np.array([_factor(value) for value in columns.values])
        decisions: dict[str, exp.Expression] = {}
        for output, weights, intercept in zip(
            self.outputs, self.model.weights, self.model.intercepts, strict=True
        ):
            small = weights * _SCALE
            small = np.where(np.abs(small * factors) < _SMALLEST_WEIGHT, 0.0, small)
            total = folded(columns.values, small, float(intercept) * _SCALE)
            most = double(GREATEST * _SCALE)
            known = in_range(exp.Paren(this=total), double(-GREATEST * _SCALE), most)
            decisions[output] = exp.Mul(this=known, expression=double(1 / _SCALE))
        return columns.rows.extend(decisions)


def _factor(value: Value) -> float:
    return value.factor if isinstance(value, Number) else 1.0


@dataclass(frozen=True, eq=False)
class KernelShapes:
    """A kernel model over columns; its table of support vectors is the same on all engines."""

    model: KernelModel
    values_read: tuple[Value, ...]
    outputs: tuple[str, ...]
    tables: tuple[Values, ...] = field(repr=False)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Returns the names of the columns that are read from the rows."""
        return _read(self.values_read)

    def block(self, rows: Block, dialect: str) -> Block:
        """Adds the decisions to all columns of the rows, in SQL for one engine."""
        columns = ModelInputs(rows, self.values_read)
        if DIALECTS[dialect].raises_on_overflow:
            columns = within_range(columns, self.inputs)
        names = new_names("x", len(self.values_read), [*columns.rows.columns, *self.outputs])
        trees = {
            name: number_tree(value) for name, value in zip(names, columns.values, strict=True)
        }
        named = columns.rows.extend(trees).layered()
        return self._decided(named, names, dialect).project([*rows.columns, *self.outputs])

    def _decided(self, rows: Block, names: Sequence[str], dialect: str) -> Block:
        known = DIALECTS[dialect]
        match known.kernels:
            case "lateral":
                return postgres_decisions(self.model, self.tables, rows, names, self.outputs)
            case "folds" if self.tables:
                return spark_decisions(self.model, self.tables[0], rows, names, self.outputs)
            case "arithmetic":
                compared = bool(self.tables)
                return plain_decisions(self.model, rows, names, self.outputs, compared, known)
            case "lists" | "folds":  # what needs no table needs no fold
                return kernel_decisions(self.model, rows, names, self.outputs)
            case "older lists":
                return kernel_decisions(self.model, rows, names, self.outputs, older=True)
            case _:
                assert_never(known.kernels)


def _without_traces(model: KernelModel) -> KernelModel:
    """Takes numbers of a model that are too small to count as 0."""
    sizes = np.abs(model.coefficients)
    largest = sizes.max(axis=1, keepdims=True, initial=0.0)
    return replace(
        model,
        support=np.where(np.abs(model.support) < _SMALLEST_ITEM, 0.0, model.support),
        coefficients=np.where(sizes < _SMALLEST_SHARE * largest, 0.0, model.coefficients),
    )


def _read(values: Sequence[Value]) -> tuple[str, ...]:
    trees: list[exp.Expression | None] = []
    for value in values:
        if isinstance(value, Coded):
            trees.append(value.source)
        else:
            trees.append(value.tree if isinstance(value, Raw) else value.atom)
    nodes = (node for tree in trees if tree is not None for node in tree.find_all(exp.Column))
    return tuple(dict.fromkeys(node.name for node in nodes))
