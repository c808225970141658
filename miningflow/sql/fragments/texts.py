"""Text functions of expressions."""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from miningflow.sql.fragments.values import operand


def lowered(x: exp.Expression) -> exp.Expression:
    """LOWER."""
    return exp.Lower(this=x)


def uppered(x: exp.Expression) -> exp.Expression:
    """UPPER."""
    return exp.Upper(this=x)


def trimmed(x: exp.Expression) -> exp.Expression:
    """TRIM of spaces on both sides; without naming them, DuckDB would remove other blanks too."""
    return exp.Trim(this=x, expression=exp.Literal.string(" "))


def length(x: exp.Expression) -> exp.Expression:
    """The number of characters, as a double."""
    return exp.cast(exp.Length(this=x), "DOUBLE")


def part(x: exp.Expression, start: int, size: int | None) -> exp.Expression:
    """SUBSTRING from a position counted from 1."""
    most = exp.Literal.number(size) if size is not None else None
    return exp.Substring(this=x, start=exp.Literal.number(start), length=most)


def replaced(x: exp.Expression, old: str, new: exp.Expression) -> exp.Expression:
    """REPLACE of every occurrence."""
    return exp.Replace(this=x, expression=exp.Literal.string(old), replacement=new)


def joined(parts: list[exp.Expression]) -> exp.Expression:
    """Joins texts; NULL counts as empty, which CONCAT does on DuckDB and not on Spark."""
    filled: list[exp.Expression] = [
        part if part.is_string else exp.Coalesce(this=part, expressions=[exp.Literal.string("")])
        for part in parts
    ]
    return exp.Paren(this=reduce(beside, filled))


def beside(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    """Writes `left || right`; NULL if one of them is NULL."""
    first = left if isinstance(left, exp.DPipe) else operand(left)
    return exp.DPipe(this=first, expression=operand(right))
