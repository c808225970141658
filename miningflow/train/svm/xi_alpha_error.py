"""The ξα-estimate of the error of a linear machine on some features, from all rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlglot import exp

from miningflow.declare import TrainingRows
from miningflow.learn.arrays import Matrix
from miningflow.learn.encoding import Encoding
from miningflow.learn.linear_error import xi_alpha_error
from miningflow.learn.threads import single_blas_thread
from miningflow.sql.block import Block
from miningflow.sql.literals import column, unused
from miningflow.sql.models.balanced import balanced_sum
from miningflow.sql.models.encoding import encoded
from miningflow.sql.models.model_inputs import new_names
from miningflow.sql.models.values import number_tree
from miningflow.train.svm.linear_training import LinearTraining
from miningflow.train.svm.training_columns import Classes

# Rows farthest from the mean, among which the least inner product is looked for.
FARTHEST, MOST_FARTHEST = 1_000, 16_000


class ErrorInDatabase:
    """Estimates the error of a machine on subsets of predictors, each on all rows.

    It is that of `XiAlphaEstimate` with a linear kernel: inner products of centred columns over
    their mean diagonal.
    """

    def __init__(
        self,
        rows: TrainingRows,
        encoding: Encoding,
        constant: Sequence[str],
        target: Classes,
        count: int,
        smaller: int,
        C: float,
        rho: float,
    ) -> None:
        self._rows, self._encoding, self._target = rows, encoding, target
        self._constant, self._count, self._smaller = set(constant), count, smaller
        self._C, self._rho = C, rho

    def __call__(self, subset: Sequence[int]) -> float:
        """Returns the estimated error with some predictors, by their positions."""
        encoding = Encoding(tuple(self._encoding.predictors[i] for i in subset))
        varied = sum(each.width for each in encoding.predictors if each.name not in self._constant)
        if varied == 0:
            return self._smaller / self._count
        # The kernel is divided by the summed variance, which is the number of columns.
        C = self._C / varied
        training = LinearTraining(self._rows, encoding, self._target, self._count, "hinge", C)
        trained = training.trained()
        radius = self._radius(encoding)
        with single_blas_thread():
            return xi_alpha_error(training.seen(), trained.weights, C, self._rho, radius)

    def _radius(self, encoding: Encoding) -> float:
        """Returns max K - min K.

        The greatest inner product is a squared norm. Of the least, -m, both rows have a norm of at
        least m over the greatest one: it is found among the rows with the greatest norms.
        """
        features = [*(predictor.name for predictor in encoding.predictors), self._target.name]
        names = new_names("encoded ", encoding.width, features)
        norm = unused("norm", features)

        def measured(rows: Block) -> Block:
            trees = [number_tree(value) for value in encoded(encoding, rows).values]
            block = rows.extend(dict(zip(names, trees, strict=True))).layered()
            return block.extend({norm: _squares(names)})

        computed = self._rows.computed(features, measured)
        most = FARTHEST
        while True:
            found, _ = computed.first([*names, norm], most, by=norm)
            X = np.column_stack([found[name] for name in names])
            greatest, last = float(found[norm][0]), float(found[norm][-1])
            least = _least_product(X)
            if len(X) < most or last * greatest <= least**2:
                return greatest - least
            if most >= MOST_FARTHEST:  # no row that was not looked at goes below this
                return greatest + float(np.sqrt(last * greatest))
            most *= 4


def _squares(names: Sequence[str]) -> exp.Expression:
    return balanced_sum([column(n) * column(n) for n in names])


def _least_product(X: Matrix) -> float:
    with single_blas_thread():
        return min(float((X[i : i + 500] @ X.T).min()) for i in range(0, len(X), 500))
