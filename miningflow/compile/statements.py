"""Statements: what creates the view or table of a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from miningflow.declare.concept import Concept, Feature
from miningflow.sql.block import Naming
from miningflow.sql.dialect import render
from miningflow.sql.literals import column

SQL_TYPES = {"numeric": "double", "nominal": "text", "binary": "text", "time": "timestamp"}


@dataclass(frozen=True)
class Statement:
    """A SQL statement that knows the step it came from."""

    step: str
    tree: exp.Expression
    comment: str

    def sql(self, dialect: str) -> str:
        """Prints the statement."""
        return render(self.tree, dialect, self.comment)


def create_statement(
    step: str,
    target: exp.Table,
    kind: Literal["view", "table"],
    query: exp.Expression,
    comment: str,
    replace: bool = False,
) -> Statement:
    """Returns CREATE VIEW or CREATE TABLE … AS."""
    tree = exp.Create(this=target, kind=kind.upper(), expression=query, replace=replace)
    return Statement(step, tree, comment)


def typed_source(
    concept: Concept, table: exp.Expression, columns: Mapping[str, str] | None = None
) -> exp.Select:
    """Reads a raw table as a concept: features by name, each in the SQL type of its feature type.

    Numbers become doubles and categories text, so that every engine computes alike; keys stay.
    """
    columns = columns or {}
    return exp.Select(
        expressions=[
            exp.Alias(
                this=typed(column(columns.get(f.name, f.name)), f),
                alias=exp.to_identifier(f.name, quoted=True),
            )
            for f in concept.features.values()
        ],
        from_=exp.From(this=table),
    )


def typed(tree: exp.Expression, feature: Feature) -> exp.Expression:
    """Casts a raw column to the SQL type of its feature."""
    if feature.type == "key":
        return tree
    return exp.Cast(this=tree, to=exp.DataType.build(SQL_TYPES[feature.type]))


def null(feature: Feature) -> exp.Expression:
    """Returns NULL in the SQL type of a feature."""
    return typed(exp.Null(), feature)


def read_all(concept: Concept, source: str, naming: Naming) -> exp.Select:
    """Reads all columns of a concept, by name, from the object that holds them."""
    return exp.Select(
        expressions=[column(name) for name in concept.columns],
        from_=exp.From(this=naming(source)),
    )
