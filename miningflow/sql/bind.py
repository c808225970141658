"""Values that are computed once within an expression, and referred to by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from sqlglot import exp

from miningflow.sql.dialects import DIALECTS
from miningflow.sql.literals import column


@dataclass(frozen=True)
class Binding:
    """Values with names, under a common name."""

    name: str
    values: Mapping[str, exp.Expression]

    def refer(self, value: str, dialect: str) -> exp.Expression:
        """Refers to one of the values."""
        named_by = DIALECTS[dialect].named_by
        match named_by:
            case "queries":
                return column(value, self.name)
            case "lists":
                return exp.Dot(
                    this=exp.to_identifier(self.name, quoted=True),
                    expression=exp.to_identifier(value, quoted=True),
                )
            case _:
                assert_never(named_by)


def bound(bindings: Sequence[Binding], tree: exp.Expression, dialect: str) -> exp.Expression:
    """Puts bindings around an expression that refers to them, the first outermost."""
    named_by = DIALECTS[dialect].named_by
    for binding in reversed(bindings):
        match named_by:
            case "lists":
                tree = _by_list(binding, tree, dialect)
            case "queries":
                tree = _by_query(binding, tree)
            case _:
                assert_never(named_by)
    return tree


def _by_list(binding: Binding, tree: exp.Expression, dialect: str) -> exp.Expression:
    item = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=value)
            for name, value in binding.values.items()
        ]
    )
    parameter = exp.to_identifier(binding.name, quoted=True)
    function = exp.Lambda(this=tree, expressions=[parameter])
    items = exp.Transform(this=exp.Array(expressions=[item]), expression=function)
    first = "LIST_EXTRACT" if DIALECTS[dialect].is_duckdb else "ELEMENT_AT"
    return exp.Anonymous(this=first, expressions=[items, exp.Literal.number(1)])


def _by_query(binding: Binding, tree: exp.Expression) -> exp.Expression:
    inner = exp.Select(
        expressions=[
            exp.Alias(this=value, alias=exp.to_identifier(name, quoted=True))
            for name, value in binding.values.items()
        ]
    )
    alias = exp.TableAlias(this=exp.to_identifier(binding.name, quoted=True))
    source = exp.Subquery(this=inner, alias=alias)
    return exp.Subquery(this=exp.Select(expressions=[tree], from_=exp.From(this=source)))
