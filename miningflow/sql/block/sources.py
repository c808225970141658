"""Plain inputs of a block: rows of a step, literal rows, part of a recursion, several blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from miningflow.sql.block.printing import Naming, aliased, named_table, subquery

if TYPE_CHECKING:
    from miningflow.sql.block.block import Block


@dataclass(frozen=True)
class Scan:
    """The rows of a source concept or of another step, by name."""

    name: str
    columns: tuple[str, ...]

    def prune(self, used: set[str]) -> Scan:
        """Keeps the columns that are used."""
        return Scan(self.name, tuple(c for c in self.columns if c in used))

    def users(self, step: str, wanted: Mapping[str, str]) -> dict[tuple[str, str], str]:
        """Returns for each column the step that needs it."""
        return {(self.name, column): user for column, user in wanted.items()}

    def values(self) -> list[Values]:
        """Returns no literal tables: a scan reads none."""
        return []

    def owned_by(self, step: str) -> Scan:
        """Returns the scan itself: it has no literal table to name after a step."""
        return self

    def table(self, alias: str, naming: Naming, dialect: str, lone: bool) -> exp.Expression:
        """Prints the table that `naming` knows; only one of several inputs needs an alias."""
        return aliased(naming(self.name), alias, lone)


@dataclass(frozen=True)
class Values:
    """A small table that belongs to a step, such as support vectors: numbers, and some texts."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[float | str, ...], ...] = field(repr=False)
    texts: tuple[str, ...] = ()
    """The columns that hold texts."""

    def prune(self, used: set[str]) -> Values:
        """Returns the table itself: it is small, and written once for all that read it."""
        return self

    def users(self, step: str, wanted: Mapping[str, str]) -> dict[tuple[str, str], str]:
        """Returns nothing: a literal table reads no scan."""
        return {}

    def values(self) -> list[Values]:
        """Returns the table itself."""
        return [self]

    def owned_by(self, step: str) -> Values:
        """Puts the step before the name, unless it has one."""
        return self if "." in self.name else replace(self, name=f"{step}.{self.name}")

    def table(self, alias: str, naming: Naming, dialect: str, lone: bool) -> exp.Expression:
        """Prints the name that `naming` knows for the table."""
        return aliased(naming(self.name), alias, lone)


@dataclass(frozen=True)
class Named:
    """A part of a recursion, by the name that it has inside of it."""

    name: str
    columns: tuple[str, ...]

    def prune(self, used: set[str]) -> Named:
        """Keeps the columns that are used."""
        return Named(self.name, tuple(c for c in self.columns if c in used))

    def users(self, step: str, wanted: Mapping[str, str]) -> dict[tuple[str, str], str]:
        """Returns nothing: the recursion answers for the scans below it."""
        return {}

    def values(self) -> list[Values]:
        """Returns no literal tables: the recursion answers for them."""
        return []

    def owned_by(self, step: str) -> Named:
        """Returns the part itself: it has no literal table to name after a step."""
        return self

    def table(self, alias: str, naming: Naming, dialect: str, lone: bool) -> exp.Expression:
        """Prints the name inside of the recursion."""
        return aliased(named_table(self.name), alias, lone)


@dataclass(frozen=True)
class Append:
    """The rows of several blocks with equal columns, one after the other (UNION ALL)."""

    branches: tuple[Block, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Returns the names of the columns, which are the same in every branch."""
        return tuple(self.branches[0].columns)

    def prune(self, used: set[str]) -> Append:
        """Keeps the columns that are used, in every branch."""
        return Append(tuple(branch.prune(used or branch.columns) for branch in self.branches))

    def users(self, step: str, wanted: Mapping[str, str]) -> dict[tuple[str, str], str]:
        """Returns for each column of a scan in any branch the step that needs it."""
        found: dict[tuple[str, str], str] = {}
        for branch in self.branches:
            found.update(branch.users(step, wanted))
        return found

    def values(self) -> list[Values]:
        """Returns the literal tables that the branches read."""
        return [values for branch in self.branches for values in branch.values()]

    def owned_by(self, step: str) -> Append:
        """Names the literal tables of all branches after the step they belong to."""
        return Append(tuple(branch.owned_by(step) for branch in self.branches))

    def table(self, alias: str, naming: Naming, dialect: str, lone: bool) -> exp.Expression:
        """Prints the branches as UNION ALL."""
        rows: exp.Expression = self.branches[0].select(naming, dialect)
        for branch in self.branches[1:]:
            added = branch.select(naming, dialect)
            rows = exp.Union(this=rows, expression=added, distinct=False)
        return subquery(rows, alias)
