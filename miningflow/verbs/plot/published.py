"""The rows that a plot is about, counted in the database as they were last published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
from sqlglot import exp

from miningflow.compile import Names, Piece, compile_bound, published_builds
from miningflow.declare.operator import Operator
from miningflow.engines import Session
from miningflow.errors import Diagnostic, RunError
from miningflow.pipeline import reading
from miningflow.read import ConnectionText
from miningflow.resolve import BoundCase, BoundStep
from miningflow.sql.block import Block, grouped, over
from miningflow.sql.dialect import render
from miningflow.store.stored_builds import stored_builds


@dataclass(frozen=True)
class PublishedRows:
    """A step and its inputs, whose rows can be read and counted."""

    bound: BoundCase
    step: BoundStep
    operator: Operator
    pieces: Mapping[str, Piece]
    session: Session
    dialect: str

    @property
    def own(self) -> Block:
        """Returns the rows of the step."""
        return over(self.pieces[self.step.name].source())

    def grouped(
        self, block: Block, by: Mapping[str, str], counts: Mapping[str, exp.Expression]
    ) -> pa.Table:
        """Counts rows in the database, by columns that are renamed: new name → column."""
        return self.session.arrow(self._sql(grouped(block, by, counts)))

    def batches(self, block: Block, names: list[str]) -> Iterator[pa.RecordBatch]:
        """Streams some columns."""
        yield from self.session.batches(self._sql(block.project(names)))

    def _sql(self, block: Block) -> str:
        slim = block.prune(block.columns)
        return render(slim.select(Names(self.bound.name).public, self.dialect), self.dialect)


@contextmanager
def published_rows(
    bound: BoundCase, connection: ConnectionText | None, step: BoundStep
) -> Iterator[PublishedRows]:
    """Opens the store; refuses a step whose results are not those of the case as it is."""
    with reading(bound, connection) as store:
        stored = stored_builds(bound.name, store.repository if store else None)
        changed = published_builds(bound, stored).changed
        missing = next((changed[n] for n in (step.name, *step.inputs) if n in changed), None)
        if store is None or missing is not None:
            said = f"it {missing}" if missing is not None else "the case has not run yet"
            message = f"there is nothing to plot of {step.shown_name!r}: {said}"
            raise RunError(Diagnostic(message, None, "run the case first"))
        pieces = compile_bound(bound, stored, upto=step.name).pieces
        operator = pieces[step.name].operator or step.operator
        with store.engine.session() as session:
            yield PublishedRows(bound, step, operator, pieces, session, store.engine.dialect)


def count_if(condition: exp.Expression) -> exp.Expression:
    """Counts the rows for which a condition holds."""
    one, none = exp.Literal.number(1), exp.Literal.number(0)
    return exp.Sum(this=exp.Case(ifs=[exp.If(this=condition, true=one)], default=none))
