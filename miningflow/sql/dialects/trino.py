"""Trino; not tried. Looked up: what TRIM takes off, and how UPPER treats letters."""

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
    ignoring_case,
    joined_by,
    nan_by,
    not_recursive,
    ordered_windows,
    without_null,
)


def _hash(node: exp.Expression) -> exp.Expression:
    return call("LOWER", call("TO_HEX", call("MD5", call("TO_UTF8", node.this))))


def _days(node: exp.Expression) -> exp.Expression:
    return call("DATE_DIFF", exp.Literal.string("day"), node.expression, node.this)


def _table(node: exp.Expression) -> exp.Expression:
    """Writes a dot in a name, as tables of literals have one, as an underscore."""
    node.this.set("this", node.name.replace(".", "_"))
    return node


def _trim(node: exp.Expression) -> exp.Expression:
    """Takes off spaces only; without them it would be all white space."""
    return exp.Trim(this=node.this.copy(), expression=exp.Literal.string(" "), position="BOTH")


TRINO = Dialect(
    name="trino",
    title="Trino",
    printer="trino",
    tried="",
    nodes={
        **PLAIN,
        exp.EQ: nan_by("IS_NAN"),
        exp.Table: _table,
        exp.With: not_recursive("trino"),
        exp.Join: joined_by("trino", "INNER", "LEFT", "FULL", "CROSS"),
        exp.Window: ordered_windows("trino", ranges=False),
        exp.Lag: as_it_is,
        exp.Filter: filtered_by_case,
        exp.Cast: cast_to(
            {
                exp.DType.DOUBLE: "DOUBLE",
                exp.DType.TEXT: "VARCHAR",
                exp.DType.TIMESTAMP: "TIMESTAMP(6)",
                exp.DType.DATE: "DATE",
                exp.DType.BIGINT: "BIGINT",
                exp.DType.INT: "INTEGER",
            }
        ),
        exp.Extract: as_it_is,
        exp.DateDiff: _days,
        exp.Greatest: without_null("GREATEST"),
        exp.Least: without_null("LEAST"),
        exp.DPipe: as_it_is,
        exp.MD5: _hash,
        exp.Length: called("LENGTH"),
        exp.Substring: called("SUBSTR"),
        exp.Trim: _trim,
        exp.Replace: called("REPLACE"),
        exp.Lower: as_it_is,
        exp.Upper: as_it_is,
        exp.Like: as_it_is,
        exp.ILike: ignoring_case,
        exp.StddevSamp: called("STDDEV_SAMP"),
        exp.Boolean: as_it_is,
    },
    calls={"RANK": as_it_is, "TANH": as_it_is},
    lacks={"ERROR": "has no function that ends a query with a message"},
    literal_tables="union",
    replaces="drop",  # CREATE OR REPLACE TABLE is left to the connectors
    most_terms=2_000,  # expressions become methods of Java, which have 64 KiB
    differences=(
        LETTERS,
        Difference(
            "names are lower case whatever is quoted; a dot in the name of a table of literals "
            "becomes an underscore",
            "all names",
            "nothing: they are found all the same",
        ),
        Difference(
            "whether views and tables can be made is up to the connector",
            "`compile`",
            "use the scoring script where they cannot",
        ),
        Difference(
            "doubles as text are written as 1.0E0",
            "drawing rows of concepts whose key is a double, or which have none",
            "give the concept a whole number or a text as key",
        ),
        Difference(
            "NaN is neither greater nor less than a number, and on DuckDB the greatest of all",
            "comparisons and intervals of numeric features",
            "nothing for machines, which give NULL; elsewhere keep NaN out",
        ),
    ),
)
