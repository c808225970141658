"""Snowflake; not tried. Looked up: NULL in GREATEST."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.dialects.dialect import Dialect, Difference
from miningflow.sql.dialects.spelling import call
from miningflow.sql.dialects.standard import (
    LETTERS,
    PLAIN,
    as_it_is,
    cast_to,
    filtered_by_case,
    joined_by,
    not_recursive,
    ordered_windows,
    without_null,
)


def _literal(node: exp.Expression) -> exp.Expression:
    """Casts a text to a double: a number with an exponent may be read as one with fixed places."""
    if node.is_string or "e" not in node.name:
        return node
    double = exp.DataType(this=exp.DType.USERDEFINED, kind="DOUBLE")
    return exp.Cast(this=exp.Literal.string(node.name), to=double)


def _days(node: exp.Expression) -> exp.Expression:
    return call("DATEDIFF", exp.Var(this="DAY"), node.expression, node.this)


def _trim(node: exp.Expression) -> exp.Expression:
    return call("TRIM", node.this, exp.Literal.string(" "))


SNOWFLAKE = Dialect(
    name="snowflake",
    title="Snowflake",
    printer="snowflake",
    tried="",
    nodes={
        **PLAIN,
        exp.Literal: _literal,
        exp.With: not_recursive("snowflake"),
        exp.Join: joined_by("snowflake", "INNER", "LEFT", "FULL", "CROSS"),
        exp.Window: ordered_windows("snowflake", ranges=False),
        exp.Lag: as_it_is,
        exp.Filter: filtered_by_case,
        exp.Cast: cast_to(
            {
                exp.DType.DOUBLE: "DOUBLE",
                exp.DType.TEXT: "VARCHAR",
                exp.DType.TIMESTAMP: "TIMESTAMP_NTZ",
                exp.DType.DATE: "DATE",
                exp.DType.BIGINT: "BIGINT",
                exp.DType.INT: "INT",
            }
        ),
        exp.Extract: as_it_is,
        exp.DateDiff: _days,
        exp.Greatest: without_null("GREATEST"),
        exp.Least: without_null("LEAST"),
        exp.DPipe: as_it_is,
        exp.MD5: as_it_is,
        exp.Length: as_it_is,
        exp.Substring: as_it_is,
        exp.Trim: _trim,
        exp.Replace: as_it_is,
        exp.Lower: as_it_is,
        exp.Upper: as_it_is,
        exp.Like: as_it_is,
        exp.ILike: as_it_is,
        exp.StddevSamp: as_it_is,
        exp.Boolean: as_it_is,
    },
    calls={"RANK": as_it_is, "TANH": as_it_is},
    lacks={"ERROR": "has no function that ends a query with a message"},
    literal_tables="union",
    folds_case=False,
    longest_name=255,
    differences=(
        LETTERS,
        Difference(
            "names are quoted, so they are exact: `age` is not the column AGE",
            "all names",
            "make views with the names of the case over your tables",
        ),
        Difference(
            "each double is a text that is cast: a number with an exponent may get fixed places",
            "all numbers",
            "nothing; the SQL is longer",
        ),
        Difference(
            "there is no window over a range of values that was looked at",
            "ExponentialMovingFunction",
            "refused",
        ),
    ),
)
