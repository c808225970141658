"""Rows with columns that are computed in the way that suits each engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from miningflow.sql.block.printing import Naming

if TYPE_CHECKING:
    from miningflow.sql.block.block import Block
    from miningflow.sql.block.sources import Values


class Shapes(Protocol):
    """Columns that a SELECT adds to rows, in the shape that suits each engine."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Returns the names of the columns that are read of the rows."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """Returns the names of the columns that are added."""

    @property
    def tables(self) -> tuple[Values, ...]:
        """Returns the literal tables that are read, the same ones on every engine."""

    def block(self, rows: Block, dialect: str) -> Block:
        """Adds the outputs to all columns of the rows, in SQL for one engine."""


@dataclass(frozen=True)
class PerEngine:
    """Rows with columns added by a SELECT that is chosen when it is printed for an engine."""

    rows: Block
    shapes: Shapes
    columns: tuple[str, ...]
    owner: str = ""

    def block(self, dialect: str) -> Block:
        """Returns the SELECT for an engine, with the columns that are needed."""
        block = self.shapes.block(self.rows, dialect)
        owned = block.owned_by(self.owner) if self.owner else block
        return owned.project(self.columns).prune(self.columns)

    def prune(self, used: set[str]) -> Block | PerEngine:
        """Keeps what is used, and what the added columns read."""
        if not used.intersection(self.shapes.outputs):
            return self.rows.prune(used)
        columns = tuple(name for name in self.columns if name in used)
        rows = self.rows.prune({*used, *self.shapes.inputs})
        return replace(self, rows=rows, columns=columns)

    def users(self, step: str, wanted: Mapping[str, str]) -> dict[tuple[str, str], str]:
        """Returns who needs each column of a scan: this step needs what the added columns read."""
        passed_on = {name: user for name, user in wanted.items() if name in self.rows.columns}
        return self.rows.users(step, passed_on | dict.fromkeys(self.shapes.inputs, step))

    def values(self) -> list[Values]:
        """Returns the literal tables that the rows and the added columns read."""
        tables = [v.owned_by(self.owner) if self.owner else v for v in self.shapes.tables]
        return [*self.rows.values(), *tables]

    def owned_by(self, step: str) -> PerEngine:
        """Names the literal tables after the step they belong to."""
        return replace(self, rows=self.rows.owned_by(step), owner=self.owner or step)

    def table(self, alias: str, naming: Naming, dialect: str, lone: bool) -> exp.Expression:
        """Prints the SELECT for an engine as a subquery."""
        return self.block(dialect).table(alias, naming, dialect, lone)
