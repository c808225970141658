"""Literal tables: small tables of numbers and texts that belong to a step, as VALUES."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from sqlglot import exp

from miningflow.sql.block import Values
from miningflow.sql.dialects import DIALECTS
from miningflow.sql.literals import column, double, double_text, text


def tables_read(values: Iterable[Values], *queries: exp.Expression) -> list[Values]:
    """Returns those of the literal tables that queries read: not every engine needs all of them.

    They are recognised by the name they have in the queries, whatever their schema is called.
    """
    read = {table.name for query in queries for table in query.find_all(exp.Table)}
    return [table for table in values if table.name in read]


def values_select(values: Values, dialect: str) -> exp.Select:
    """Writes a literal table as SELECT … FROM (VALUES …) for an engine."""
    if not values.rows:
        return _no_values(values)
    way = DIALECTS[dialect].literal_tables
    match way:
        case "union":
            return _union(values)
        case "columns":
            return _numbered_columns(values, _rows(values, dialect))
        case "values":
            return _named_columns(values, _rows(values, dialect))
        case "typed values":
            # the first row decides on the type; without casts the numbers would be decimals
            first = exp.Tuple(expressions=[_literal(value) for value in values.rows[0]])
            return _named_columns(values, [first, *_rows(values, dialect)[1:]])
        case _:
            assert_never(way)


def _named_columns(values: Values, rows: list[exp.Expression]) -> exp.Select:
    """Names the columns of VALUES in the alias."""
    names = [exp.to_identifier(name, quoted=True) for name in values.columns]
    alias = exp.TableAlias(this=exp.to_identifier("rows", quoted=True), columns=names)
    return exp.Select(
        expressions=[column(name) for name in values.columns],
        from_=exp.From(this=exp.Values(expressions=rows, alias=alias)),
    )


def _numbered_columns(values: Values, rows: list[exp.Expression]) -> exp.Select:
    """Names the columns of VALUES, which are column1, column2, … and take no other names."""
    alias = exp.TableAlias(this=exp.to_identifier("rows", quoted=True))
    return exp.Select(
        expressions=[
            exp.Alias(this=column(f"column{i + 1}"), alias=exp.to_identifier(name, quoted=True))
            for i, name in enumerate(values.columns)
        ],
        from_=exp.From(this=exp.Values(expressions=rows, alias=alias)),
    )


def _union(values: Values) -> exp.Select:
    """Writes each row as a SELECT; the first has the names."""
    selects: list[exp.Expression] = []
    for row in values.rows:
        literals = [_literal(value) for value in row]
        if not selects:
            literals = [
                exp.Alias(this=literal, alias=exp.to_identifier(name, quoted=True))
                for literal, name in zip(literals, values.columns, strict=True)
            ]
        selects.append(exp.Select(expressions=literals))
    rows = _appended(selects)
    alias = exp.TableAlias(this=exp.to_identifier("rows", quoted=True))
    return exp.Select(
        expressions=[column(name) for name in values.columns],
        from_=exp.From(this=exp.Subquery(this=rows, alias=alias)),
    )


def _appended(selects: list[exp.Expression]) -> exp.Expression:
    rows = selects[0]
    for select in selects[1:]:
        rows = exp.Union(this=rows, expression=select, distinct=False)
    return rows


def _no_values(values: Values) -> exp.Select:
    """Writes a table without rows, which VALUES cannot."""
    kinds = {name: "text" if name in values.texts else "double" for name in values.columns}
    nulls = {name: exp.cast(exp.Null(), kind) for name, kind in kinds.items()}
    return exp.Select(
        expressions=[
            exp.Alias(this=null, alias=exp.to_identifier(name, quoted=True))
            for name, null in nulls.items()
        ],
        where=exp.Where(this=double(1).eq(double(0))),
    )


def _rows(values: Values, dialect: str) -> list[exp.Expression]:
    return [exp.Var(this=_row(row, dialect)) for row in values.rows]


def _row(row: tuple[float | str, ...], dialect: str) -> str:
    """Writes a row on one line; as a tree of literals each number would get its own line."""
    return f"({', '.join(_written(value, dialect) for value in row)})"


def _written(value: float | str, dialect: str) -> str:
    if isinstance(value, str):
        return exp.Literal.string(value).sql(dialect=DIALECTS[dialect].printer)
    return double_text(value)


def _literal(value: float | str) -> exp.Expression:
    return text(value) if isinstance(value, str) else double(value)
