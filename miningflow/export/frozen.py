"""A frozen case: everything that was learned, and all that files for other tools are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from sqlglot import exp

from miningflow.compile import Piece, ScoreScript
from miningflow.compile.names import table
from miningflow.declare.concept import Concept
from miningflow.export.sources import SourceData
from miningflow.plan import Builds
from miningflow.resolve import BoundCase
from miningflow.sql.block import Naming, Values
from miningflow.visible_text import visible

Form = Literal["script", "dbt", "sqlmesh"]
FORMS: tuple[str, ...] = get_args(Form)
Files = dict[str, str]
"""Path within the folder → text."""


@dataclass(frozen=True)
class ExportRequest:
    """What a person asks for."""

    form: Form
    dialect: str
    schema: str
    """Where the results go."""
    data_folder: str
    """Where the files of sources are, seen from the exported folder."""


@dataclass(frozen=True)
class FrozenCase:
    """A case with everything learned; nothing in it needs a database."""

    bound: BoundCase
    request: ExportRequest
    pieces: Mapping[str, Piece]
    sources: Mapping[str, SourceData]
    layout: Mapping[str, Builds]
    """How each step is built; those built inline are part of another, or ephemeral."""
    score: ScoreScript | None

    @property
    def name(self) -> str:
        """Returns the name of the case."""
        return self.bound.name

    @property
    def dialect(self) -> str:
        """Returns the dialect of the SQL."""
        return self.request.dialect

    def public(self, name: str) -> exp.Table:
        """Returns the table that people read."""
        return table(name, self.request.schema)

    def raw(self, name: str) -> exp.Table:
        """Returns the table that holds the raw rows of a source."""
        source = self.sources[name]
        return source.table.copy() if source.table else table(name, self.landing_schema)

    @property
    def landing_schema(self) -> str:
        """Returns the schema for tables loaded from files that the engine cannot read itself."""
        return f"{self.name}_sources"

    @property
    def landed(self) -> list[SourceData]:
        """Returns the sources whose files must be brought into a table first."""
        return [s for s in self.sources.values() if s.is_landed(self.dialect)]

    def source_query(self, name: str, relation: exp.Expression | None = None) -> exp.Select:
        """Reads a source as its concept, from where its rows are."""
        source = self.sources[name]
        if relation is None:
            in_place = source.table is None and not source.is_landed(self.dialect)
            folder = self.request.data_folder
            relation = source.relation(folder) if in_place else self.raw(name)
        return source.select(relation, self.dialect)

    def step_query(self, name: str, naming: Naming) -> exp.Select:
        """Returns the SELECT of a step."""
        return self.pieces[name].block.select(naming, self.dialect)

    def tables(self, name: str) -> list[Values]:
        """Returns the literal tables that a step reads."""
        return self.pieces[name].block.values()

    def concept(self, name: str) -> Concept:
        """Returns a source or what a step makes, with what is present of it."""
        return self.pieces[name].presence.concept

    def built(self) -> Iterator[str]:
        """Returns the steps that have their own view or table, in order."""
        yield from (name for name in self.bound.steps if not self.pieces[name].inline)

    def what(self, name: str) -> str:
        """Returns one line about a source or step."""
        step = self.bound.steps.get(name)
        return f"step '{name}': {type(step.operator).__name__}" if step else f"source '{name}'"

    def about(self, name: str) -> str:
        """Returns what the case says about a source or step."""
        step = self.bound.steps.get(name)
        return visible(step.about if step else self.bound.case.concepts[name].about)
