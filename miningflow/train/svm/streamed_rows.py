"""Rows streamed from the database as encoded arrays, a few at a time."""

from __future__ import annotations

from collections.abc import Iterator

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


class StreamedRows:
    """Complete rows as arrays; the database sends a number for each predictor and the target."""

    def __init__(self, rows: TrainingRows, encoding: Encoding, target: Target) -> None:
        self._encoding = encoding
        features = [*(predictor.name for predictor in encoding.predictors), target.name]
        self._names = new_names("predictor ", len(encoding.predictors), features)
        self._number = unused("number", features)
        added: dict[str, exp.Expression] = {
            name: _sent(predictor)
            for name, predictor in zip(self._names, encoding.predictors, strict=True)
        }
        added[self._number] = target.number()
        self._computed = rows.computed(features, lambda block: block.extend(added))

    def arrays(self, where: exp.Expression | None = None) -> Iterator[tuple[Matrix, Matrix]]:
        """Returns encoded rows with their target, of the rows for which a condition holds."""
        step = max(1, VALUES_AT_ONCE // (self._encoding.width + 1))
        for batch in self._computed.batches([*self._names, self._number], where):
            numbers = batch[self._number]
            for start in range(0, len(numbers), step):
                part = slice(start, start + step)
                yield self._encoded(batch, part), numbers[part]

    def first(self, most: int) -> tuple[Matrix, Matrix]:
        """Returns the first rows that come."""
        found: list[tuple[Matrix, Matrix]] = []
        missing = most
        stream = self.arrays()
        for X, numbers in stream:
            found.append((X[:missing], numbers[:missing]))
            missing -= len(X)
            if missing <= 0:
                break
        return np.vstack([X for X, _ in found]), np.concatenate([y for _, y in found])

    def _encoded(self, batch: Columns, part: slice) -> Matrix:
        numbers = [batch[name][part] for name in self._names]
        columns: Matrix = np.empty((self._encoding.width, len(numbers[0])))  # one after the other
        start = 0
        for predictor, values in zip(self._encoding.predictors, numbers, strict=True):
            _encode(predictor, values, columns[start : start + predictor.width])
            start += predictor.width
        return columns.T


def in_memory(target: Target, X: Matrix, numbers: Matrix) -> RowsInMemory:
    """Returns arrays as rows to train on; numbers are signs, or what is to be predicted."""
    if isinstance(target, Classes):
        return RowsInMemory(X, numbers)
    return RowsInMemory.of_numbers(
        X, (numbers - target.centre) / target.scale, target.epsilon / target.scale
    )


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
