"""Linear machines trained on all rows of the database, by aggregates or on rows that stream by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np

from miningflow.declare import TrainingRows
from miningflow.learn.arrays import Matrix
from miningflow.learn.encoding import Encoding
from miningflow.learn.linear_training import (
    Course,
    Iterate,
    Trained,
    train_hinge,
    train_squared_hinge,
)
from miningflow.learn.machines import LinearModels
from miningflow.learn.margins import MarginRows
from miningflow.learn.threads import single_blas_thread
from miningflow.train.svm.machine_spec import Loss, describe_passes
from miningflow.train.svm.rows_in_database import RowsInDatabase
from miningflow.train.svm.rows_in_stream import RowsInStream
from miningflow.train.svm.streamed_rows import EncodedRows, StreamedRows, in_memory
from miningflow.train.svm.training_columns import Classes, Numbers, Target

# Rows that are fetched for a first guess; the result does not depend on them.
GUESSED_FROM, GUESSED_VALUES = 25_000, 2_500_000
# A curvature is a sum for each pair of columns: 30 columns took 6 seconds to plan, 50 took 20. More
# columns stream to this process; 100 of a million rows then take a second instead of eight.
MOST_SUMMED = 30
MOST_STREAMED = 500


@dataclass(frozen=True, eq=False)
class LinearProgress:
    """How far the training of a machine has come, in the units of the target."""

    problem: str
    weights: Matrix
    smoothing: float
    passes: int


@dataclass(frozen=True)
class TrainedLinear:
    """A machine, how exact it is, and how many passes over all rows it took."""

    model: LinearModels
    gap: float
    how: str


def train_linear(
    rows: TrainingRows, encoding: Encoding, target: Target, count: int, loss: Loss, C: float
) -> TrainedLinear:
    """Trains a machine on all complete rows; `count` is their number."""
    return LinearTraining(rows, encoding, target, count, loss, C).found()


class LinearTraining:
    """One training: its passes are counted, reported, and kept in case of an interruption."""

    def __init__(
        self,
        rows: TrainingRows,
        encoding: Encoding,
        target: Target,
        count: int,
        loss: Loss,
        C: float,
    ) -> None:
        names = ", ".join(predictor.name for predictor in encoding.predictors)
        self._problem = f"{target} from {names}, {loss}, C = {C}"
        self._rows, self._encoding, self._count = rows, encoding, count
        self._loss, self._C = loss, C
        self._stream = StreamedRows(rows, encoding, target)
        self._some = self._stream.first(_guessed_from(encoding.width))
        self._target = _rescaled(target, self._some)
        self._passes = 0
        kept = rows.resume(LinearProgress)
        self._kept = kept if kept is not None and kept.problem == self._problem else None

    def trained(self) -> Trained:
        """Trains, from where an interrupted run ended if there is one."""
        C, course = self._C / self._scale, self._course()
        with single_blas_thread():
            match self._loss:
                case "hinge":
                    return train_hinge(self.seen(), C, course)
                case "squared_hinge":
                    return train_squared_hinge(self.seen(), C, course)
                case _:
                    assert_never(self._loss)

    def found(self) -> TrainedLinear:
        """Trains, and returns the machine in the units of the target."""
        trained = self.trained()
        how = describe_passes(self._passes, self._kept.passes if self._kept else 0)
        if self._streams:
            how += f", {self._encoding.width} columns streamed to this process"
        weights = trained.weights * self._scale
        weights[-1] += self._centre
        model = LinearModels(weights[np.newaxis, :-1].copy(), weights[-1:].copy())
        return TrainedLinear(model, trained.gap, f"{how}, duality gap {trained.gap:.1e}")

    @property
    def _streams(self) -> bool:
        return self._encoding.width > MOST_SUMMED

    @property
    def _scale(self) -> float:
        return self._target.scale if isinstance(self._target, Numbers) else 1.0

    @property
    def _centre(self) -> float:
        return self._target.centre if isinstance(self._target, Numbers) else 0.0

    def seen(self) -> MarginRows:
        """Returns the rows as training sees them."""
        width, target = self._encoding.width, self._target
        if self._streams:
            return RowsInStream(self._stream, target, self._count, width, self._tell)
        return RowsInDatabase(
            self._rows, self._encoding, target, self._count, self._stream, self._tell
        )

    def _course(self) -> Course:
        one_class = isinstance(self._target, Classes) and not np.ptp(self._some.numbers)
        sample = None if one_class else in_memory(self._target, self._some)
        start = None
        if self._kept is not None:
            weights = self._kept.weights.copy()
            weights[-1] -= self._centre
            start = Iterate(weights / self._scale, self._kept.smoothing)
        return Course(sample, start, self._keep)

    def _keep(self, iterate: Iterate) -> None:
        weights = iterate.weights * self._scale
        weights[-1] += self._centre
        passes = self._passes + (self._kept.passes if self._kept else 0)
        self._rows.keep(LinearProgress(self._problem, weights, iterate.smoothing, passes))

    def _tell(self) -> None:
        self._passes += 1
        done = self._passes / (self._passes + 10)
        where = "streamed from" if self._streams else "in"
        self._rows.progress(
            done, f"pass {self._passes} over {self._count:,} rows {where} the database"
        )


def _guessed_from(width: int) -> int:
    """Returns fewer rows where there are many columns, but more rows than columns."""
    return min(GUESSED_FROM, max(20 * width, GUESSED_VALUES // width))


def _rescaled(target: Target, some: EncodedRows) -> Target:
    """Measures numbers in the size of errors, which a first guess shows; classes stay."""
    if isinstance(target, Classes):
        return target
    design = np.column_stack([some.X, np.ones(len(some.X))])
    guess = np.linalg.lstsq(design, some.numbers - target.centre, rcond=None)[0]
    errors = float(np.abs(some.numbers - target.centre - design @ guess).mean())
    return replace(target, scale=max(errors, target.epsilon, 1e-6 * target.scale))
