"""Literals as SQL trees: every number a double, every text quoted by the generator."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime

from sqlglot import exp


def double(value: float) -> exp.Expression:
    """Writes a number so that every engine reads a double, never a decimal.

    The exponent is what makes it a double in DuckDB (`0.94e0`); `miningflow.sql.dialect`
    rewrites it for engines that read it otherwise.
    """
    literal = exp.Literal.number(double_text(abs(value)))
    return exp.Neg(this=literal) if value < 0 else literal


def double_text(value: float) -> str:
    """Writes a number as text that is read back as the very same double."""
    if not math.isfinite(value):
        raise ValueError(f"{value} cannot be written as a SQL literal")
    mantissa, _, exponent = repr(float(value) + 0.0).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent or 0)}"


def text(value: str) -> exp.Expression:
    """Writes a text literal."""
    return exp.Literal.string(value)


def value_of(kind: str, written: str) -> exp.Expression:
    """Writes a value, as it stands in a case, for a feature of some type."""
    if kind == "numeric":
        return double(float(written.replace("_", "")))
    if kind == "time":
        # Python reads more forms of ISO 8601 than databases do.
        moment = datetime.fromisoformat(written).isoformat(" ")
        return exp.Cast(this=text(moment), to=exp.DataType.build("timestamp"))
    return text(written)


def column(name: str, table: str | None = None) -> exp.Column:
    """Refers to a column by its exact name, always quoted."""
    this = exp.Identifier(this=name, quoted=True)
    if table is None:
        return exp.Column(this=this)
    return exp.Column(this=this, table=exp.Identifier(this=table, quoted=True))


def unused(name: str, taken: Iterable[str]) -> str:
    """Returns a name that is not taken, not even in another case: this one, or one much like it."""
    folded = {other.casefold() for other in taken}
    while name.casefold() in folded:
        name += "_"
    return name
