"""Names in the store: a schema per case for people, one beside it for what runs build."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from miningflow.sql.stored import ours


@dataclass(frozen=True)
class Names:
    """The names of a case in its store."""

    case: str

    @property
    def schema(self) -> str:
        """Names the schema that people read.

        It is not the case's name alone: a DuckDB file is often called like its case, and
        `insurance.scored` could then mean the file or the schema.
        """
        return f"{self.case}_results"

    @property
    def built_schema(self) -> str:
        """Names the schema that holds what runs build, one object per step and run."""
        return f"{self.case}_built"

    def public(self, name: str) -> exp.Table:
        """Returns the table that people read."""
        return ours(table(name, self.schema))

    def built(self, name: str) -> exp.Table:
        """Returns an object that a run built."""
        return ours(table(name, self.built_schema))


def table(name: str, schema: str | None = None) -> exp.Table:
    """Refers to a table by its exact name."""
    return exp.Table(
        this=exp.to_identifier(name, quoted=True),
        db=exp.to_identifier(schema, quoted=True) if schema else None,
    )
