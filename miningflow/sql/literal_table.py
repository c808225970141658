"""Literal tables: small tables of numbers and texts that belong to a step, as VALUES."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from miningflow.sql.dialect import printer
from miningflow.sql.literals import column, double, double_text, text


@dataclass(frozen=True)
class Values:
    """A small table that belongs to a step, such as support vectors: numbers, and some texts."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[float | str, ...], ...] = field(repr=False)
    texts: tuple[str, ...] = ()
    """The columns that hold texts."""


def values_select(values: Values, dialect: str) -> exp.Select:
    """Writes a literal table as SELECT … FROM (VALUES …) for an engine."""
    if not values.rows:
        return _no_values(values)
    rows: list[exp.Expression] = [exp.Var(this=_row(row, dialect)) for row in values.rows]
    if dialect == "postgres":  # the first row gives the type; others would be decimals
        rows[0] = exp.Tuple(expressions=[_literal(value) for value in values.rows[0]])
    names = [exp.to_identifier(name, quoted=True) for name in values.columns]
    alias = exp.TableAlias(this=exp.to_identifier("rows", quoted=True), columns=names)
    return exp.Select(
        expressions=[column(name) for name in values.columns],
        from_=exp.From(this=exp.Values(expressions=rows, alias=alias)),
    )


def _no_values(values: Values) -> exp.Select:
    """Writes a table without rows, which VALUES cannot."""
    kinds = {name: "text" if name in values.texts else "double" for name in values.columns}
    nulls = {name: exp.cast(exp.Null(), kind) for name, kind in kinds.items()}
    return exp.Select(
        expressions=[
            exp.Alias(this=null, alias=exp.to_identifier(name, quoted=True))
            for name, null in nulls.items()
        ],
        where=exp.Where(this=exp.EQ(this=double(1), expression=double(0))),
    )


def _row(row: tuple[float | str, ...], dialect: str) -> str:
    """Writes a row on one line; as a tree of literals each number would get a line of its own."""
    return f"({', '.join(_written(value, dialect) for value in row)})"


def _written(value: float | str, dialect: str) -> str:
    if isinstance(value, str):
        return exp.Literal.string(value).sql(dialect=printer(dialect))
    return double_text(value)


def _literal(value: float | str) -> exp.Expression:
    return text(value) if isinstance(value, str) else double(value)
