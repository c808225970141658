"""Kernel machines learned from all rows: the database finds the rows that a machine gets wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from miningflow.declare import TrainingRows
from miningflow.declare.rows import Columns
from miningflow.learn.encoding import Encoding
from miningflow.learn.kernels import KernelModel
from miningflow.learn.machines import Machine, Prediction
from miningflow.learn.working_problem import Examples, Problem
from miningflow.learn.working_set import Limits, Violators, train_working_set
from miningflow.sql.block import Block
from miningflow.sql.literals import column, double, unused
from miningflow.sql.models.decisions import decided
from miningflow.sql.models.encoding import encoded
from miningflow.sql.models.model_inputs import ModelInputs, new_names
from miningflow.sql.models.values import named, number_tree
from miningflow.train.svm.machine_spec import describe_passes
from miningflow.train.svm.training_columns import Classes, Target


@dataclass(frozen=True, eq=False)
class KernelProgress:
    """The rows of the next problem, for a training that was interrupted."""

    problem: str
    working: Examples
    passes: int


@dataclass(frozen=True)
class TrainedKernel:
    """A machine, how exact it is, and how many passes over all rows it took."""

    model: KernelModel
    gap: float
    how: str


def train_kernel(
    rows: TrainingRows,
    encoding: Encoding,
    target: Target,
    count: int,
    problem: Problem,
    limits: Limits,
    seed: int,
) -> TrainedKernel:
    """Trains a machine on all complete rows; `count` is their number."""
    names = ", ".join(predictor.name for predictor in encoding.predictors)
    what = f"{target} from {names}, {problem}"
    kept = rows.resume(KernelProgress)
    before = kept if kept is not None and kept.problem == what else None
    priced = PricedInDatabase(rows, encoding, target, count, seed)
    done = before.passes if before else 0

    def keep(working: Examples) -> None:
        rows.keep(KernelProgress(what, working, done + priced.passes))

    start = before.working if before else None
    held = train_working_set(priced, problem, limits, start, keep)
    how = f"{describe_passes(priced.passes, done)}, duality gap {held.gap:.1e}"
    return TrainedKernel(held.model, held.gap, how)


class PricedInDatabase:
    """Rows in the database, seen through what a machine decides; see `PricedRows`."""

    def __init__(
        self, rows: TrainingRows, encoding: Encoding, target: Target, count: int, seed: int
    ) -> None:
        self._rows, self._encoding, self._target = rows, encoding, target
        self._count, self._seed = count, seed
        self._features = [*(p.name for p in encoding.predictors), *target.features]
        self._names = new_names("encoded ", encoding.width, self._features)
        self._number, self._cost, self._decision, self._violation, self._order = (
            unused(name, self._features)
            for name in ("number", "cost", "decision", "violation", "order")
        )
        self._wanted = [*self._names, self._number]
        if target.costs is not None:
            self._wanted.append(self._cost)
        self.passes = 0

    @property
    def rows(self) -> int:
        """The number of complete rows."""
        return self._count

    def drawn(self, most: int) -> Examples:
        """Draws rows by hash of their key."""
        computed = self._rows.computed(self._features, self._encoded)
        found, identities = computed.first(self._wanted, most, seed=self._seed)
        return self._examples(found, identities)

    def violators(self, model: KernelModel, tolerance: float, most: int) -> Violators:
        """Returns at most `most` rows, first those beyond the margin by more than a tolerance."""
        self.passes += 1
        done, vectors = self.passes / (self.passes + 10), len(model.support)
        self._rows.progress(
            done,
            f"pass {self.passes} over {self._count:,} rows in the database, {vectors:,} vectors",
        )
        machine = Machine(model, Prediction())

        def priced(rows: Block) -> Block:
            block = self._encoded(rows)
            columns = ModelInputs(block, tuple(named(name) for name in self._names))
            decisions = decided(machine, columns, [self._decision])
            violated = decisions.layered().extend({self._violation: self._violated()}).layered()
            # Above the tolerance all are equal, and those that are equal come by hash.
            order = exp.Least(this=column(self._violation), expressions=[double(tolerance)])
            return violated.extend({self._order: order})

        computed = self._rows.computed(self._features, priced)
        wanted = [*self._wanted, self._violation]
        found, identities = computed.first(wanted, most, by=self._order)
        return Violators(self._examples(found, identities), found[self._violation])

    def _encoded(self, rows: Block) -> Block:
        """Adds the encoded columns and the target as numbers."""
        values = encoded(self._encoding, rows).values
        trees = {name: number_tree(value) for name, value in zip(self._names, values, strict=True)}
        trees[self._number] = self._target.number()
        cost = self._target.cost()
        if cost is not None:
            trees[self._cost] = cost
        return rows.extend(trees).layered()

    def _violated(self) -> exp.Expression:
        known, decision = column(self._number), column(self._decision)
        if isinstance(self._target, Classes):
            product = exp.Mul(this=known, expression=decision)
            return exp.Sub(this=double(1), expression=product)
        error = exp.Abs(this=exp.Sub(this=known, expression=decision))
        return error - double(self._target.epsilon)

    def _examples(self, found: Columns, identities: list[str]) -> Examples:
        X = np.column_stack([found[name] for name in self._names])
        return Examples(X, found[self._number], tuple(identities), found.get(self._cost))
