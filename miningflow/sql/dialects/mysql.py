"""MySQL 8 and MariaDB, in the SQL that both understand."""

from __future__ import annotations

from sqlglot import exp

from miningflow.sql.dialects.dialect import Dialect, Difference
from miningflow.sql.dialects.spelling import call, called
from miningflow.sql.dialects.standard import (
    LETTERS,
    PLAIN,
    as_it_is,
    cast_to,
    filtered_by_case,
    hyperbolic_by_exponential,
    ignoring_case,
    joined_by,
    not_recursive,
    nulls_last,
    ordered_windows,
    refuse_nan,
    without_nan,
    without_null,
)


def _joined(node: exp.Expression) -> exp.Expression:
    """Joins texts by CONCAT, which is NULL if one of them is; `||` means OR."""
    parts: list[exp.Expression] = []
    for side in (node.this, node.expression):
        inner = side.unnest()
        is_call = isinstance(inner, exp.Anonymous) and inner.name == "CONCAT"
        parts += inner.expressions if is_call else [side]
    return call("CONCAT", *parts)


def _days(node: exp.Expression) -> exp.Expression:
    return call("DATEDIFF", node.this, node.expression)


MYSQL = Dialect(
    name="mysql",
    title="MySQL and MariaDB",
    printer="mysql",
    tried="MariaDB 10.11",
    needs="windows, CAST to DOUBLE, and backslashes that escape in texts; MySQL 8 was not tried",
    nodes={
        **PLAIN,
        exp.Or: without_nan,
        exp.With: not_recursive("mysql"),
        exp.Join: joined_by("mysql", "INNER", "LEFT", "CROSS"),
        exp.Window: ordered_windows("mysql", ranges=True),
        exp.Order: nulls_last,
        exp.Lag: as_it_is,
        exp.Filter: filtered_by_case,
        exp.Cast: cast_to(
            {
                exp.DType.DOUBLE: "DOUBLE",
                exp.DType.TEXT: "CHAR",
                exp.DType.TIMESTAMP: "DATETIME(6)",
                exp.DType.DATE: "DATE",
                exp.DType.BIGINT: "SIGNED",
                exp.DType.INT: "SIGNED",
            }
        ),
        exp.Extract: as_it_is,
        exp.DateDiff: _days,
        exp.Greatest: without_null("GREATEST"),
        exp.Least: without_null("LEAST"),
        exp.DPipe: _joined,
        exp.MD5: as_it_is,
        exp.Length: called("CHAR_LENGTH"),
        exp.Substring: as_it_is,
        exp.Trim: as_it_is,
        exp.Replace: as_it_is,
        exp.Lower: as_it_is,
        exp.Upper: as_it_is,
        exp.Like: as_it_is,
        exp.ILike: ignoring_case,
        exp.StddevSamp: as_it_is,
        exp.Boolean: as_it_is,
    },
    calls={"RANK": as_it_is, "TANH": hyperbolic_by_exponential},
    lacks={"ERROR": "has no function that ends a query with a message"},
    after=refuse_nan("mysql"),
    literal_tables="union",
    replaces="drop",
    raises_on_overflow=True,
    longest_name=64,
    most_columns=4_096,
    differences=(
        LETTERS,
        Difference(
            "the usual collations take 'Yes' and 'yes' as equal, and 'a' and 'a '",
            "nominal features: groups, joins, comparisons, categories of a model",
            "give text columns of the tables that are read the collation utf8mb4_bin",
        ),
        Difference("there is no FULL JOIN", "UnionByKey", "refused"),
        Difference(
            "a text that is no number is read as 0 with a warning",
            "numeric features of the tables that a scoring script reads",
            "look at them before",
        ),
        Difference(
            "it raises where a double overflows, and has neither NaN nor infinity",
            "machines: inputs beyond 1e100 give NULL there",
            "nothing, unless your numbers are that large",
        ),
        Difference(
            "names have at most 64 characters (counted here as bytes)",
            "names of concepts, steps and features",
            "longer ones are refused: choose shorter ones",
        ),
        Difference("a schema is a database", "`<case>_results`", "CREATE DATABASE before"),
    ),
)
