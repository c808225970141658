"""Recursions: rows that follow one from another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from miningflow.sql.block.printing import Naming, named_table, subquery
from miningflow.sql.literals import column

if TYPE_CHECKING:
    from miningflow.sql.block.block import Block
    from miningflow.sql.block.sources import Values


@dataclass(frozen=True)
class Recursion:
    """Rows that follow one from another: a first SELECT, and one that continues from the last rows.

    Both read `rows` by its name; the second also reads, as `name`, its own previous result.
    """

    name: str
    rows_name: str
    rows: Block
    first: Block
    then: Block

    @property
    def columns(self) -> tuple[str, ...]:
        """Returns the names of the columns, which both have."""
        return tuple(self.first.columns)

    def prune(self, used: set[str]) -> Recursion:
        """Keeps what is used, and what a row needs of the one before."""
        needed = used | self.then.reads(self.name)
        first, then = self.first.prune(needed), self.then.prune(needed)
        rows = self.rows.prune(first.reads(self.rows_name) | then.reads(self.rows_name))
        return replace(self, rows=rows, first=first, then=then)

    def users(self, step: str, wanted: Mapping[str, str]) -> dict[tuple[str, str], str]:
        """Returns who needs each column of a scan: this step needs all that it reads."""
        return self.rows.users(step, dict.fromkeys(self.rows.columns, step))

    def values(self) -> list[Values]:
        """Returns the literal tables that the rows read."""
        return self.rows.values()

    def owned_by(self, step: str) -> Recursion:
        """Names the literal tables of the rows after the step they belong to."""
        return replace(self, rows=self.rows.owned_by(step))

    def table(self, alias: str, naming: Naming, dialect: str, lone: bool) -> exp.Expression:
        """Prints the recursion as a subquery."""
        return subquery(self.select(naming, dialect), alias)

    def select(self, naming: Naming, dialect: str) -> exp.Select:
        """Prints the recursion as a SELECT with its parts before it."""
        first, then = self.first.select(naming, dialect), self.then.select(naming, dialect)
        parts = {
            self.rows_name: self.rows.select(naming, dialect),
            self.name: exp.Union(this=first, expression=then, distinct=False),
        }
        ctes = [
            exp.CTE(this=tree, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
            for name, tree in parts.items()
        ]
        return exp.Select(
            expressions=[column(name) for name in self.columns],
            from_=exp.From(this=named_table(self.name)),
            with_=exp.With(expressions=ctes, recursive=True),
        )
