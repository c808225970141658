"""A dialect: its words, its limits, the shapes of models in it, and differences that it forces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from sqlglot import exp

Spelling = Callable[[exp.Expression], exp.Expression]
"""Returns what to print for a node whose parts are spelled already, or raises NotInDialect."""


class NotInDialect(ValueError):
    """The tree has something that an engine cannot do."""

    def __init__(self, message: str, hint: str = "use dialect 'duckdb', or another kernel") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Difference:
    """Something that an engine forces to be different from DuckDB."""

    what: str
    where: str
    """What it touches: parameters, operators, names."""
    remedy: str


@dataclass(frozen=True)
class Dialect:
    """The SQL of a database, as the compiler and the printer need to know it."""

    name: str
    title: str
    printer: str
    """sqlglot's name of it."""
    tried: str
    """The versions on which the tests run the examples of all operators, or nothing."""
    needs: str = ""
    """The version that the SQL needs."""
    older: str = ""
    """The dialect for versions before these, if there is one."""
    store: str = ""
    """How the address of a store begins, if cases can run there."""
    nodes: Mapping[type[exp.Expression], Spelling] | None = None
    """The nodes that may be printed and how; None where all of the compiler were tried."""
    calls: Mapping[str, Spelling] | None = field(default_factory=dict)
    """Functions that the printer does not know and passes on; None if any may be passed on."""
    lacks: Mapping[type[exp.Expression] | str, str] = field(default_factory=dict)
    """Reasons for nodes and functions that are not among these, after 'DIALECT '."""
    before: Spelling | None = None
    """Changes a whole statement before its nodes are spelled."""
    after: Spelling | None = None
    """Changes a whole statement after its nodes are spelled."""
    kernels: Literal["lists", "older lists", "folds", "lateral", "arithmetic"] = "arithmetic"
    """How rows are compared with support vectors."""
    functions: Literal["macro", "postgres", "spark"] | None = None
    """How a model becomes a function, if it can."""
    named_by: Literal["lists", "queries"] = "queries"
    """How an expression names a value that it uses several times."""
    recursion: Literal["query", "fold"] = "query"
    """How rows are followed one by one."""
    literal_tables: Literal["values", "typed values", "columns", "union"] = "values"
    """How small tables are written: VALUES with names, VALUES and SELECT of its columns, UNION."""
    computes_again: bool = False
    """Whether an inner SELECT is computed at each mention, unless it is fenced off."""
    materializes: bool = False
    """Whether a WITH has to be AS MATERIALIZED, and can be, to be computed once."""
    raises_on_overflow: bool = False
    replaces: Literal["replace", "drop", "temporary view"] = "replace"
    """How a table of literals replaces an existing one."""
    folds_case: bool = True
    """Whether quoted names that differ in case only are the same column."""
    longest_name: int | None = None
    """In bytes."""
    most_columns: int | None = None
    most_terms: int = 5_000
    """Most products and differences of a kernel machine in plain arithmetic, of which each takes
    about 150 characters."""
    plain_names: bool = False
    """Whether tables and functions have names of letters, digits and underscores only."""
    keeping: str = "CREATE TABLE scores AS <this statement>"
    """How to keep the result of a query in a table."""
    defines_tables: bool = False
    """Whether tables that files go into can be printed, column by column."""
    makes_schemas: bool = True
    """Whether CREATE SCHEMA IF NOT EXISTS is right."""
    separator: str = ""
    """A line that stands between statements."""
    differences: tuple[Difference, ...] = ()

    @property
    def is_duckdb(self) -> bool:
        """Returns whether it is that of DuckDB, of any version."""
        return self.printer == "duckdb"

    @property
    def is_checked(self) -> bool:
        """Returns whether nodes are refused that were not looked at one by one."""
        return self.nodes is not None

    def refused(self, node: type[exp.Expression] | str) -> NotInDialect:
        """Returns the error for a node or function that is not in the dialect."""
        word = node if isinstance(node, str) else node.__name__
        why = self.lacks.get(node, f"has no {word.upper()} that was tried")
        hint = "leave the step out, write it otherwise, or use dialect 'duckdb'"
        return NotInDialect(f"{self.name} {why}", hint)
