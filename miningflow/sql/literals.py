"""Literals as SQL trees: every number a double, every text quoted by the generator."""

from __future__ import annotations

import math

from sqlglot import exp


def double(value: float) -> exp.Expression:
    """Writes a number so that every engine reads a double, never a decimal.

    The exponent is what makes it a double in DuckDB (`0.94e0`); `miningflow.sql.dialect`
    rewrites it for engines that read it otherwise.
    """
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written as a SQL literal")
    text = repr(float(abs(value)))
    mantissa, _, exponent = text.partition("e")
    if mantissa.endswith(".0"):
        mantissa = mantissa[:-2]
    literal = exp.Literal.number(f"{mantissa}e{int(exponent or 0)}")
    negative = math.copysign(1.0, value) < 0 and value != 0
    return exp.Neg(this=literal) if negative else literal


def text(value: str) -> exp.Expression:
    """Writes a text literal."""
    return exp.Literal.string(value)


def column(name: str, table: str | None = None) -> exp.Column:
    """Refers to a column by its exact name, always quoted."""
    return exp.Column(
        this=exp.to_identifier(name, quoted=True),
        table=exp.to_identifier(table, quoted=True) if table is not None else None,
    )


def quoted(name: str) -> str:
    """Writes a name as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'
