"""What a column of the design matrix is in SQL, in forms that scalings and weights fold into."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from miningflow.errors import CompileError, Diagnostic
from miningflow.sql.conditions import is_null
from miningflow.sql.literals import column, double, text

Category = str | bool | float


@dataclass(frozen=True)
class Raw:
    """A column of the table as it is, or with texts filled in: its type is not known yet."""

    tree: exp.Expression
    filled: bool = False
    """Whether missing texts were filled in, so that there are none."""


@dataclass(frozen=True)
class Number:
    """factor · (atom − center) + offset; without an atom only the offset.

    The center stands apart because subtracting it first keeps digits that a product would lose.
    """

    atom: exp.Expression | None
    factor: float = 1.0
    center: float = 0.0
    offset: float = 0.0

    def standardised(self, center: float, scale: float) -> Number:
        """Returns (x − center) / scale."""
        if self.atom is None or self.factor == 0:
            return replace(self, offset=(self.offset - center) / scale)
        moved = self.center + (center - self.offset) / self.factor
        return replace(self, factor=self.factor / scale, center=moved, offset=0.0)

    def stretched(self, factor: float, offset: float) -> Number:
        """Returns factor · x + offset."""
        moved = self.offset * factor + offset
        return replace(self, factor=self.factor * factor, offset=moved)


@dataclass(frozen=True)
class Coded:
    """A number for each category; NaN is a missing value, None one that is refused: both are NULL.

    `missing` is the number where the column is NULL or NaN, `unseen` that of all other values.
    """

    source: exp.Expression
    categories: tuple[Category, ...]
    numbers: tuple[float, ...]
    missing: float | None
    unseen: float | None

    def mapped(self, change: Callable[[float], float]) -> Coded:
        """Applies a function to every number; what is refused stays refused."""
        return replace(
            self,
            numbers=tuple(change(n) for n in self.numbers),
            missing=None if self.missing is None else change(self.missing),
            unseen=None if self.unseen is None else change(self.unseen),
        )


Value = Raw | Number | Coded


def as_number(value: Value) -> Number | Coded:
    """Takes a raw column as a double, as scikit-learn does."""
    return Number(exp.cast(value.tree.copy(), "double")) if isinstance(value, Raw) else value


def affine(value: Value, change: Callable[[Number], Number]) -> Number | Coded:
    """Scales a value; `change` is applied to numbers as it is to every code."""
    number = as_number(value)
    if isinstance(number, Number):
        return change(number)
    return number.mapped(lambda code: change(Number(None, offset=code)).offset)


def number_tree(value: Value) -> exp.Expression:
    """Writes a value as a number."""
    number = as_number(value)
    if isinstance(number, Coded):
        return coded_tree(number)
    if number.atom is None:
        return double(number.offset)
    tree = number.atom.copy()
    if number.center != 0:
        tree = exp.Paren(this=exp.Sub(this=tree, expression=double(number.center)))
    if number.factor != 1:
        tree = exp.Mul(this=double(number.factor), expression=tree)
    if number.offset != 0:
        tree = exp.Add(this=tree, expression=double(number.offset))
    return tree


def coded_tree(coded: Coded) -> exp.Expression:
    """Writes a CASE over the categories."""
    cases = [
        exp.If(
            this=exp.EQ(this=coded.source.copy(), expression=literal(category)),
            true=_number_or_null(number),
        )
        for category, number in zip(coded.categories, coded.numbers, strict=True)
    ]
    numeric = not any(isinstance(c, str | bool) for c in coded.categories)
    cases.append(
        exp.If(this=is_missing(coded.source, numeric), true=_number_or_null(coded.missing))
    )
    return exp.Case(ifs=cases, default=_number_or_null(coded.unseen))


def is_missing(tree: exp.Expression, numeric: bool) -> exp.Expression:
    """Holds where a column is NULL, or NaN if it is a number."""
    null = is_null(tree.copy())
    if not numeric:
        return null
    # NaN equals itself in DuckDB, PostgreSQL and Spark
    nan = exp.EQ(this=tree.copy(), expression=exp.cast(text("NaN"), "double"))
    return exp.Or(this=null, expression=nan)


def literal(value: Any) -> exp.Expression:
    """Writes a class label or a category as what it is: text, truth value or number."""
    plain = value.item() if hasattr(value, "item") else value
    match plain:
        case bool():
            return exp.Boolean(this=plain)
        case int():
            whole = exp.Literal.number(abs(plain))
            return exp.Neg(this=whole) if plain < 0 else whole
        case float() if math.isfinite(plain):
            return double(plain)
        case str() if _is_writable(plain):
            return text(plain)
    raise CompileError(
        Diagnostic(
            f"the value {plain!r} ({type(plain).__name__}) cannot be written in SQL",
            None,
            "classes and categories may be texts, whole numbers, numbers and truth values",
        )
    )


def plain(value: Value) -> bool:
    """Returns whether a value costs nothing to compute twice."""
    number = as_number(value)
    if isinstance(number, Coded):
        return False
    simple = number.atom is None or isinstance(number.atom, exp.Column)
    return simple and number == Number(number.atom)


def named(name: str) -> Number:
    """Refers to a column that already is a double."""
    return Number(column(name))


def _number_or_null(number: float | None) -> exp.Expression:
    return exp.Null() if number is None or math.isnan(number) else double(number)


def _is_writable(written: str) -> bool:
    return "\0" not in written and not any(0xD800 <= ord(c) <= 0xDFFF for c in written)
