"""Columns of any type as features, in SQL that is used without MiningFlow.

A source is read by casts that fit the type of each column. The scoring script and the functions of
models do not know these types: here the SQL asks for them, which costs nothing per row.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from sqlglot import exp

from miningflow.sql.conditions import when
from miningflow.sql.dialects import DIALECTS
from miningflow.sql.literals import text

NUMBER = re.compile(r"-?[0-9]+([.][0-9]+)?")
WHOLE = re.compile(r"-?[0-9]+")
WHOLE_WITH_POINT = re.compile(r"(-?[0-9]+)[.]0+")
WORDS = ("true", "false")
# What follows the minutes or seconds of a time with a time zone: +02:00, Z, Europe/Berlin.
ZONED = r":[0-9]{2}([.][0-9]+)?\s*[A-Za-z+-]"
_TRAILING_ZEROS = "([.]0*|([.][0-9]*[1-9])0+)$"


def any_category(tree: exp.Expression, dialect: str, compared: Collection[str]) -> exp.Expression:
    """Reads a column as a category, as the texts are that it is compared with, if these are codes.

    A number has the text that it has as a source. A text stays as it is, unless it is a code or a
    truth value that all those it is compared with write in another way.
    """
    plain = exp.cast(tree.copy(), "text")
    if not DIALECTS[dialect].is_duckdb or not any(map(is_code, compared)):
        return plain
    known = when(_is_fraction(tree), _shortest(plain.copy()), plain)
    return _with_words(_with_codes(known, compared), compared)


def any_time(tree: exp.Expression, dialect: str) -> exp.Expression:
    """Reads a column as a time: one with a time zone, or a text with one, becomes that of UTC."""
    plain = exp.cast(tree.copy(), "timestamp")
    if not DIALECTS[dialect].is_duckdb:
        return plain
    written = exp.cast(tree.copy(), "text")
    can_be_zoned = exp.In(
        this=_type_of(tree), expressions=[text("VARCHAR"), text("TIMESTAMP WITH TIME ZONE")]
    )
    matches = _call("REGEXP_MATCHES", written.copy(), text(ZONED))
    moment = _call("EPOCH_US", exp.cast(written, "timestamptz"))
    return when(exp.and_(can_be_zoned, matches), _call("MAKE_TIMESTAMP", moment), plain)


def same_code(one: str, other: str) -> bool:
    """Returns whether two texts are the same code or truth value, written in two ways."""
    return _canonical(one) == _canonical(other)


def is_code(value: str) -> bool:
    """Returns whether a text is a number or a truth value, which may be written in several ways."""
    return value.lower() in WORDS or NUMBER.fullmatch(value) is not None


def _canonical(value: str) -> str:
    whole = WHOLE_WITH_POINT.fullmatch(value)
    return whole[1] if whole else value.lower() if value.lower() in WORDS else value


def _is_fraction(tree: exp.Expression) -> exp.Expression:
    doubles = exp.In(this=_type_of(tree), expressions=[text("DOUBLE"), text("FLOAT")])
    decimal = _call("STARTS_WITH", _type_of(tree), text("DECIMAL"))
    return exp.Or(this=doubles, expression=decimal)


def _shortest(number: exp.Expression) -> exp.Expression:
    """Writes the text of a number without a decimal point if it is whole, and no negative zero."""
    short = _replaced(number, _TRAILING_ZEROS, r"\2")
    return exp.Case(this=short, ifs=[exp.If(this=text("-0"), true=text("0"))], default=short.copy())


def _with_codes(tree: exp.Expression, compared: Collection[str]) -> exp.Expression:
    """Writes whole numbers with or without `.0`, as all those are that they are compared with."""
    whole = any(WHOLE.fullmatch(value) for value in compared)
    pointed = [value for value in compared if WHOLE_WITH_POINT.fullmatch(value)]
    if whole and not pointed:
        return _replaced(tree, f"^{WHOLE_WITH_POINT.pattern}$", r"\1")
    if pointed and not whole and all(value.endswith(".0") for value in pointed):
        return _replaced(tree, "^(-?[0-9]+)([.]0+)?$", r"\1.0")
    return tree


def _with_words(tree: exp.Expression, compared: Collection[str]) -> exp.Expression:
    """Writes truth values as those are that they are compared with, if all are written alike."""
    found = {value for value in compared if value.lower() in WORDS}
    spellings = [style for style in (str.lower, str.upper, str.capitalize) if found]
    fitting = [style for style in spellings if all(style(value) == value for value in found)]
    if not fitting:
        return tree
    lower = exp.Lower(this=tree)
    known = [exp.If(this=text(word), true=text(fitting[0](word))) for word in WORDS]
    return exp.Case(this=lower, ifs=known, default=tree.copy())


def _replaced(tree: exp.Expression, pattern: str, by: str) -> exp.Expression:
    return _call("REGEXP_REPLACE", tree, text(pattern), text(by))


def _type_of(tree: exp.Expression) -> exp.Expression:
    return _call("TYPEOF", tree.copy())


def _call(name: str, *arguments: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this=name, expressions=list(arguments))
