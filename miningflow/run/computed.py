"""Training rows with numbers computed in the database, for learners that go over them often."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from miningflow.declare.rows import Columns
from miningflow.engines import Session
from miningflow.sql.block import Block, Naming, Values, grouped
from miningflow.sql.dialect import render
from miningflow.sql.literals import column, unused


@dataclass(frozen=True)
class Computed:
    """A block over complete training rows; see `ComputedRows`."""

    stage: str
    block: Block
    order: Callable[[int], list[exp.Expression]]
    """Returns for a seed an order that is the same every time; its first identifies a row."""
    naming: Naming
    session: Session
    dialect: str
    check: Callable[[], None]
    """Raises if nobody waits for the rows any more."""

    def lent(self) -> Computed:
        """Lends the tables that belong to the block, such as support vectors, to the session."""
        names: dict[str, str] = {}
        for values in self.block.values():
            names[values.name] = f"learning {self.stage}: {values.name}"
            self.session.register(names[values.name], _table(values))

        def naming(name: str) -> exp.Table:
            if name in names:
                return exp.Table(this=exp.to_identifier(names[name], quoted=True))
            return self.naming(name)

        return replace(self, naming=naming)

    def aggregate(self, expressions: Mapping[str, exp.Expression]) -> dict[str, Any]:
        """Computes aggregates over the rows."""
        block = grouped(self.block, (), expressions).prune(expressions)
        return dict(zip(expressions, self.session.rows(self._sql(block))[0], strict=True))

    def batches(
        self, columns: Sequence[str], where: exp.Expression | None = None
    ) -> Iterator[Columns]:
        """Streams numeric columns; see `ComputedRows`."""
        block = self.block if where is None else self.block.filter(where)
        for batch in self.session.batches(self._sql(block.project(columns).prune(columns))):
            self.check()
            yield {name: _numbers(batch.column(name)) for name in columns}

    def first(
        self,
        columns: Sequence[str],
        most: int,
        by: str | None = None,
        seed: int = 0,
    ) -> tuple[Columns, list[str]]:
        """Fetches some rows and what identifies them; see `ComputedRows`."""
        block, keys = self.block, self.order(seed)
        identity = unused("identity", block.columns)
        order = keys
        if by is not None:
            order = [exp.Neg(this=column(by)), *keys]
        names = [*columns, identity]
        chosen = block.extend({identity: keys[0]}).first(most, order).project(names)
        table = self.session.arrow(self._sql(chosen.prune(names)))
        identities: list[str] = table.column(identity).to_pylist()
        return {name: _numbers(table.column(name)) for name in columns}, identities

    def _sql(self, block: Block) -> str:
        select = block.select(self.naming, self.dialect)
        return render(select, self.dialect, f"step '{self.stage}' learns")


def _numbers(values: Any) -> np.ndarray[Any, Any]:
    numbers: np.ndarray[Any, Any] = values.to_numpy(zero_copy_only=False).astype(
        np.float64, copy=False
    )
    return numbers


def _table(values: Values) -> pa.Table:
    kinds = {n: pa.string() if n in values.texts else pa.float64() for n in values.columns}
    arrays = [pa.array([r[i] for r in values.rows], k) for i, k in enumerate(kinds.values())]
    return pa.table(arrays, names=list(kinds))
