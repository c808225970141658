"""Rows streamed from the database as encoded arrays, a few at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from miningflow.declare import TrainingRows
from miningflow.declare.rows import Columns
from miningflow.learn.arrays import Matrix
from miningflow.learn.encoding import Encoding, NominalPredictor, Predictor
from miningflow.learn.margins import RowsInMemory
from miningflow.sql.literals import column, double, text, unused
from miningflow.sql.models.model_inputs import new_names
from miningflow.train.svm.training_columns import Classes, Target

# Encoded values held at once: 2 MB, of which sums make copies; four times as many took longer.
VALUES_AT_ONCE = 250_000


@dataclass(frozen=True, eq=False, slots=True)
class EncodedRows:
    """Encoded rows with their signs, or the numbers to predict, and what errors about them cost."""

    X: Matrix
    numbers: Matrix
    costs: Matrix | None


class StreamedRows:
    """Complete rows as arrays; the database sends a number for each predictor and the target."""

    def __init__(self, rows: TrainingRows, encoding: Encoding, target: Target) -> None:
        self._encoding = encoding
        features = [*(predictor.name for predictor in encoding.predictors), *target.features]
        self._names = new_names("predictor ", len(encoding.predictors), features)
        self._number = unused("number", features)
        added: dict[str, exp.Expression] = {
            name: _sent(predictor)
            for name, predictor in zip(self._names, encoding.predictors, strict=True)
        }
        added[self._number] = target.number()
        self._cost = ""
        cost = target.cost()
        if cost is not None:
            self._cost = unused("cost", features)
            added[self._cost] = cost
        self._computed = rows.computed(features, lambda block: block.extend(added))

    def arrays(self, where: exp.Expression | None = None) -> Iterator[EncodedRows]:
        """Returns encoded rows with their target, of the rows for which a condition holds."""
        step = max(1, VALUES_AT_ONCE // (self._encoding.width + 1))
        sent = [*self._names, self._number, *([self._cost] if self._cost else [])]
        for batch in self._computed.batches(sent, where):
            numbers = batch[self._number]
            for start in range(0, len(numbers), step):
                part = slice(start, start + step)
                costs = batch[self._cost][part] if self._cost else None
                yield EncodedRows(self._encoded(batch, part), numbers[part], costs)

    def first(self, most: int) -> EncodedRows:
        """Returns the first rows that come."""
        found: list[EncodedRows] = []
        missing = most
        for part in self.arrays():
            found.append(part)
            missing -= len(part.numbers)
            if missing <= 0:
                break
        costs = [part.costs for part in found if part.costs is not None]
        return EncodedRows(
            np.vstack([part.X for part in found])[:most],
            np.concatenate([part.numbers for part in found])[:most],
            np.concatenate(costs)[:most] if costs else None,
        )

    def _encoded(self, batch: Columns, part: slice) -> Matrix:
        numbers = [batch[name][part] for name in self._names]
        columns: Matrix = np.empty((self._encoding.width, len(numbers[0])))  # one after the other
        start = 0
        for predictor, values in zip(self._encoding.predictors, numbers, strict=True):
            _encode(predictor, values, columns[start : start + predictor.width])
            start += predictor.width
        return columns.T


def in_memory(target: Target, rows: EncodedRows) -> RowsInMemory:
    """Returns arrays as rows to train on."""
    if isinstance(target, Classes):
        return RowsInMemory(rows.X, rows.numbers, costs=rows.costs)
    numbers = (rows.numbers - target.centre) / target.scale
    return RowsInMemory.of_numbers(rows.X, numbers, target.epsilon / target.scale, rows.costs)


def _sent(predictor: Predictor) -> exp.Expression:
    """Returns the number that stands for a predictor: itself, or the position of its category."""
    feature = column(predictor.name)
    if not isinstance(predictor, NominalPredictor):
        return feature
    cases = [
        exp.If(this=feature.eq(text(category)), true=double(position))
        for position, category in enumerate(predictor.categories)
    ]
    return exp.Case(ifs=cases)


def _encode(predictor: Predictor, numbers: Matrix, columns: Matrix) -> None:
    """Fills the columns of a predictor from the numbers that stand for it."""
    if isinstance(predictor, NominalPredictor):
        columns[:] = predictor.codes[numbers.astype(np.intp)].T
    else:
        np.subtract(numbers, predictor.mean, out=columns[0])
        columns /= predictor.scale
